import type { ComponentChildren, JSX } from "preact";
import { holdsAnswers, isLate, type Answer } from "../../model/answer.ts";
import { useBrowser, useClient } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { Notice } from "../../ui/notice.tsx";
import { useDerived } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";

/** Whether the fate of an answer stands in the place of the options. */
export const hasFate = (attempt: Answer | null): boolean =>
  holdsAnswers(attempt) && attempt.step !== "sending";

/** What became of an answer, in the place of the options. */
export function Fate(props: {
  readonly attempt: Answer | null;
  /** Whose terminal it went to. */
  readonly paneId: string | null;
}): JSX.Element | null {
  const { attempt, paneId } = props;
  const { clock } = useBrowser();
  const late = useDerived(
    () => clock.now.value > 0 && isLate(attempt, clock.monotonicMs()),
    [attempt],
  );
  if (!holdsAnswers(attempt) || attempt.step === "sending") return null;
  if (attempt.step === "uncertain")
    return <Doubt paneId={paneId} part={attempt.isPart ? attempt.sent.label : null} />;
  return (
    <Outcome label={attempt.sent.label} isConfirmed={attempt.confirmed}>
      {late && <OpenPane paneId={paneId} />}
    </Outcome>
  );
}

/** "{label}, confirmed"; with something to do while it is not. */
export function Outcome(props: {
  readonly label: string;
  readonly isConfirmed: boolean;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { label, isConfirmed, children = false } = props;
  return (
    <div class={`outcome ${isConfirmed ? "ok" : ""}`}>
      <StatusIcon shape="ok" />
      <p class="grow" role="status">
        <b>
          <TerminalText text={label} />
        </b>
        {isConfirmed ? ", confirmed" : ", sent"}
        {children !== false && <small>Not confirmed yet</small>}
      </p>
      {children}
    </div>
  );
}

/** Nobody knows whether it arrived: the only way on is a look at the terminal. */
export function Doubt(props: {
  readonly paneId: string | null;
  /** What it was, where only a part of it was sent. */
  readonly part?: string | null;
}): JSX.Element {
  const { paneId, part = null } = props;
  const client = useClient();
  return (
    <Notice
      icon="eye"
      tone="stale"
      title={
        part === null
          ? "May have arrived. Look at its screen."
          : `A part of “${part}” was sent, then the pane changed. Look at its screen.`
      }
      isAlert
      actions={
        paneId !== null && (
          <Button tone="primary" onClick={() => client.inspect(paneId)}>
            <Icon name="terminal" />
            Inspect terminal
          </Button>
        )
      }
    />
  );
}

function OpenPane({ paneId }: { readonly paneId: string | null }): JSX.Element | null {
  const client = useClient();
  if (paneId === null) return null;
  const isOpen = client.browser.router.openPane.value === paneId;
  return (
    <Button size="small" onClick={() => client.inspect(paneId)}>
      {isOpen ? "Inspect terminal" : "Open pane"}
    </Button>
  );
}
