import type { JSX } from "preact";
import { answeredElsewhere, type PaneAct } from "../../model/answer.ts";
import type { Pane } from "../../model/pane.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { StatusIcon } from "../../ui/icons.tsx";
import { waitText } from "../../words/common.ts";
import { useDerived } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";

/** What another device, or another page of this one, has just answered here; null where nobody has. */
export function useOtherAct(pane: Pane | null): PaneAct | null {
  const { clock } = useBrowser();
  const { outbox } = useServer();
  return useDerived(() => {
    const isOwn = pane === null || pane.act === null || outbox.hasMade(pane.act.key);
    return isOwn ? null : answeredElsewhere(pane, clock.now.value);
  }, [pane]);
}

/** "Yes, from Pixel 9, 5 s ago · confirmed" */
export function OtherAct({ act }: { readonly act: PaneAct }): JSX.Element {
  const { clock } = useBrowser();
  const { config } = useServer();
  const { label, by, at, state } = act;
  const isHere = config.current.value?._info.grant?.id === by.grant;
  const wait = useDerived(() => waitText(Math.max(0, clock.now.value - at)), [at]);
  return (
    <div class={`outcome ${state === "confirmed" ? "ok" : ""}`}>
      <StatusIcon shape="ok" />
      <p class="grow" role="status">
        <b>
          <TerminalText text={label} />
        </b>
        {!isHere && (
          <>
            , from <TerminalText text={by.name} />
          </>
        )}
        , {wait === "now" ? "just now" : `${wait} ago`} · {state}
      </p>
    </div>
  );
}
