import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { isLate, type Answer, type PaneAct } from "../../model/answer.ts";
import { isAnswerable, nativeDoubt, waits, type Pane } from "../../model/pane.ts";
import { useBrowser, useClient, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { Notice } from "../../ui/notice.tsx";
import { waitText } from "../../words/common.ts";
import { more } from "../more.tsx";
import { Boundary } from "../parts/boundary.tsx";
import { useDerived } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";

/** What is said of an answer that has left. */
export const wordOf = ({ confirmed }: { readonly confirmed: boolean }): string =>
  confirmed ? "confirmed" : "sent";

const LATE = "Not confirmed yet";

/** Reads out what became of an answer, wherever it is shown. */
export function useSaidFate(answer: Answer | null, late = false): void {
  const { messages } = useBrowser();
  const said =
    answer?.step === "sent"
      ? `${answer.sent.shown.name}: ${answer.sent.label}, ${wordOf(answer)}${late ? `. ${LATE}` : ""}`
      : "";
  useEffect(() => {
    if (said !== "") messages.said.value = said;
  }, [said]);
}

/** What became of an answer, from here or else from another device: it stands in the place of `children`. */
export function Fate(props: {
  readonly paneId: string;
  readonly answer: Answer | null;
  readonly other?: PaneAct | null;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { paneId, answer, other = null, children } = props;
  const client = useClient();
  const { clock, router } = client.browser;
  const late = useDerived(
    () => clock.now.value > 0 && isLate(answer, clock.monotonicMs()),
    [answer],
  );
  useSaidFate(answer, late);
  const inspect = () => client.inspect(paneId);
  if (answer?.step === "sent")
    return (
      <Line
        label={answer.sent.label}
        isConfirmed={answer.confirmed}
        end={
          late && (
            <Button size="small" onClick={inspect}>
              {router.openPane.value === paneId ? "Inspect terminal" : "Open pane"}
            </Button>
          )
        }
      >
        {`, ${wordOf(answer)}`}
        {(late || answer.isOrphan) && (
          <small class="grid fs-13 text-2">
            {late ? LATE : "Not confirmed, and its pane is gone"}
          </small>
        )}
      </Line>
    );
  // Nobody knows whether it arrived: the only way on is a look at the terminal.
  if (answer?.step === "uncertain")
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
          <Button tone="primary" onClick={inspect}>
            <Icon name="terminal" />
            Inspect terminal
          </Button>
        }
      />
    );
  if (answer === null && other !== null) return <OthersFate act={other} />;
  return <>{children}</>;
}

/** "Yes, from Pixel 9, 5 s ago · confirmed" */
function OthersFate({ act }: { readonly act: PaneAct }): JSX.Element {
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

function Line(props: {
  readonly label: string;
  readonly isConfirmed: boolean;
  readonly end?: ComponentChildren;
  readonly role?: "status";
  readonly children: ComponentChildren;
}): JSX.Element {
  const { label, isConfirmed, end, role, children } = props;
  return (
    <div
      class={`outcome ${isConfirmed ? "ok" : ""} flex gap-10 mt-12 fs-15 anywhere fill round-3 tap`}
    >
      <StatusIcon shape="ok" />
      <p class="grow" role={role}>
        <TerminalText as="b" text={label} />
        {children}
      </p>
      {end}
    </div>
  );
}

/** What stands between the reader and an answer, and what makes its pane doubtful, in words. */
export function Notices(props: {
  readonly pane: Pane;
  readonly answer: Answer | null;
}): JSX.Element {
  const { pane, answer } = props;
  const { config, outage } = useServer();
  const said = nativeDoubt(pane);
  const provider = config.labels.value[pane.provider] ?? pane.provider;
  return (
    <>
      {answer?.step === "refused" && (
        <Boundary instead={() => <Notice icon="warning" tone="error" title="Not sent" isAlert />}>
          <more.Refusal reason={answer.reason} />
        </Boundary>
      )}
      {/* An outage is said above all panes. */}
      {answer === null && outage.value === null && !isAnswerable(pane) && (
        <Boundary>
          <more.Obstacle pane={pane} />
        </Boundary>
      )}
      {said !== null && (
        <p class="hint">
          {`${provider} says ${NATIVE[said].toLowerCase()}; the screen ${waits(pane) ? "asks" : "does not show it"}.`}
        </p>
      )}
    </>
  );
}

/** What an agent does by the multiplexer's own word. */
export const NATIVE = {
  ...{ idle: "Idle", working: "Working", blocked: "Waiting" },
  ...{ done: "Done", unknown: "Not known" },
};
