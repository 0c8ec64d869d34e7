import type { ComponentChildren, JSX } from "preact";
import {
  answeredElsewhere,
  holdsAnswers,
  isLate,
  type Answer,
  type PaneAct,
} from "../../model/answer.ts";
import type { Pane } from "../../model/pane.ts";
import { useBrowser, useClient, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { Notice } from "../../ui/notice.tsx";
import { waitText } from "../../words/common.ts";
import { useDerived } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";

/** Whether the fate of an answer stands in the place of the options. */
export const hasFate = (attempt: Answer | null): boolean =>
  holdsAnswers(attempt) && attempt.step !== "sending";

/** What became of an answer, in the place of the options. */
export function Fate(props: {
  readonly attempt: Answer | null;
  readonly paneId: string;
}): JSX.Element | null {
  const { attempt, paneId } = props;
  const client = useClient();
  const { clock, router } = client.browser;
  const late = useDerived(
    () => clock.now.value > 0 && isLate(attempt, clock.monotonicMs()),
    [attempt],
  );
  if (!holdsAnswers(attempt) || attempt.step === "sending") return null;
  const { sent } = attempt;
  const inspect = () => client.inspect(paneId);
  if (attempt.step === "sent")
    return (
      <Outcome
        label={sent.label}
        isConfirmed={attempt.confirmed}
        end={
          late && (
            <Button size="small" onClick={inspect}>
              {router.openPane.value === paneId ? "Inspect terminal" : "Open pane"}
            </Button>
          )
        }
      >
        {attempt.confirmed ? ", confirmed" : ", sent"}
        {late && <small>Not confirmed yet</small>}
      </Outcome>
    );
  // Nobody knows whether it arrived: the only way on is a look at the terminal.
  return (
    <Notice
      icon="eye"
      tone="stale"
      title={
        attempt.isPart
          ? `A part of “${sent.label}” was sent, then the pane changed. Look at its screen.`
          : "May have arrived. Look at its screen."
      }
      isAlert
      actions={
        <Button tone="primary" onClick={inspect}>
          <Icon name="terminal" />
          Inspect terminal
        </Button>
      }
    />
  );
}

/** An answer and what became of it, in one line. */
export function Outcome(props: {
  readonly label: string;
  readonly isConfirmed: boolean;
  readonly end?: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { label, isConfirmed, end, children } = props;
  return (
    <div class={`outcome ${isConfirmed ? "ok" : ""} flex gap-10 fs-15 anywhere fill round-3`}>
      <StatusIcon shape="ok" />
      <p class="grow" role="status">
        <b>
          <TerminalText text={label} />
        </b>
        {children}
      </p>
      {end}
    </div>
  );
}

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
    <Outcome label={label} isConfirmed={state === "confirmed"}>
      {!isHere && (
        <>
          , from <TerminalText text={by.name} />
        </>
      )}
      , {wait === "now" ? "just now" : `${wait} ago`} · {state}
    </Outcome>
  );
}
