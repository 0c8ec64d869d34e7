import type { JSX } from "preact";
import type { Answer, PaneAct } from "../../model/answer.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Notice } from "../../ui/notice.tsx";
import { waitText } from "../../words/common.ts";
import { useDerived } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";
import { Line } from "./fate.tsx";

/** "Yes, from Pixel 9, 5 s ago · confirmed" */
export function OthersFate({ act }: { readonly act: PaneAct }): JSX.Element {
  const { clock } = useBrowser();
  const { config } = useServer();
  const { label, by, at, state } = act;
  const isHere = config.current.value?._info.grant?.id === by.grant;
  const wait = useDerived(() => waitText(Math.max(0, clock.now.value - at)), [at]);
  return (
    <Line label={label} isConfirmed={state === "confirmed"} role="status">
      {!isHere && (
        <>
          , from <TerminalText text={by.name} />
        </>
      )}
      , <span aria-live="off">{wait === "now" ? "just now" : `${wait} ago`}</span> · {state}
    </Line>
  );
}

/** Nobody knows whether it arrived: the only way on is a look at the terminal. */
export function Uncertain(props: {
  readonly answer: Extract<Answer, { readonly step: "uncertain" }>;
  readonly onInspect: () => void;
}): JSX.Element {
  const { answer, onInspect } = props;
  return (
    <Notice
      icon="eye"
      tone="stale"
      title={
        answer.isPart
          ? `A part of “${answer.sent.label}” was sent, the rest may be missing. Look at its screen.`
          : "May have arrived. Look at its screen."
      }
      isAlert
      actions={
        <Button tone="primary" onClick={onInspect}>
          <Icon name="terminal" />
          Inspect terminal
        </Button>
      }
    />
  );
}
