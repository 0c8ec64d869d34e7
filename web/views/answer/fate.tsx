import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { isLate, type Answer, type PaneAct } from "../../model/answer.ts";
import { isAnswerable, nativeDoubt, waits, type Pane } from "../../model/pane.ts";
import { useBrowser, useClient, useServer } from "../../state/client.ts";
import { Button, StatusIcon } from "../../ui/button.tsx";
import { more, optional } from "../more.tsx";
import { Boundary } from "../parts/boundary.tsx";
import { useDerived } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";

export const sentWord = ({ confirmed }: { readonly confirmed: boolean }): string =>
  confirmed ? "confirmed" : "sent";

const LATE = "Not confirmed yet";

/** Reads out what became of an answer, wherever that is shown. */
export function useSpokenFate(answer: Answer | null, late = false): void {
  const { messages } = useBrowser();
  const text =
    answer?.step === "sent"
      ? `${answer.sent.shown.name}: ${answer.sent.label}, ${sentWord(answer)}${late ? `. ${LATE}` : ""}`
      : "";
  useEffect(() => {
    if (text !== "") messages.announcement.value = text;
  }, [text]);
}

/** What became of an answer, of this device or else of another one; without any, `children`. */
export function Fate(props: {
  readonly paneId: string;
  readonly answer: Answer | null;
  readonly other: PaneAct | null;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { paneId, answer, other, children } = props;
  const client = useClient();
  const { clock, router } = client.browser;
  const late = useDerived(() => clock.now.value > 0 && isLate(answer, performance.now()), [answer]);
  useSpokenFate(answer, late);
  const inspect = () => client.inspect(paneId);
  if (answer?.step === "sent")
    return (
      <FateLine
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
        {`, ${sentWord(answer)}`}
        {(late || answer.isOrphan) && (
          <small class="grid fs-13 text-2">
            {late ? LATE : "Not confirmed, and its pane is gone"}
          </small>
        )}
      </FateLine>
    );
  if (answer?.step === "uncertain")
    return (
      <Boundary instead={() => <p role="alert">May have arrived. Look at its screen.</p>}>
        <more.Uncertain answer={answer} onInspect={inspect} />
      </Boundary>
    );
  if (answer === null && other !== null) return <optional.OthersFate act={other} />;
  return <>{children}</>;
}

export function FateLine(props: {
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

/** Why an answer was refused or is not possible, and where the multiplexer contradicts the screen. */
export function Notices(props: {
  readonly pane: Pane;
  readonly answer: Answer | null;
}): JSX.Element {
  const { pane, answer } = props;
  const { config, outage } = useServer();
  const native = nativeDoubt(pane);
  const provider = config.labels.value[pane.provider] ?? pane.provider;
  return (
    <>
      {answer?.step === "refused" && (
        <Boundary instead={() => <p role="alert">Not sent</p>}>
          <more.Refusal reason={answer.reason} />
        </Boundary>
      )}
      {/* An outage is said above all panes. */}
      {answer === null && outage.value === null && !isAnswerable(pane) && (
        <optional.Obstacle pane={pane} />
      )}
      {native !== null && (
        <p class="hint">
          {`${provider} says ${NATIVE[native].toLowerCase()}; the screen ${waits(pane) ? "asks" : "does not show it"}.`}
        </p>
      )}
    </>
  );
}

/** What the multiplexer itself says of an agent. */
export const NATIVE = {
  ...{ idle: "Idle", working: "Working", blocked: "Waiting" },
  ...{ done: "Done", unknown: "Not known" },
};
