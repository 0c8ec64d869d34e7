import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { countsOf, isSamePrompt, type Step } from "../../model/queue/collect.ts";
import { waits } from "../../model/pane.ts";
import { Collected } from "../../state/server/collected.ts";
import type { Run } from "../../state/server/sending-run.ts";
import { useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { timeOfDay } from "../../words/common.ts";
import { collect as words } from "../../words/collect.ts";
import { answer } from "../../words/queue.ts";
import { Doubt } from "../answer/fate.tsx";
import { useDerived } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";

/** How far it is, and the way to stop it; then what became of all. */
export function SendingBar(props: { readonly part: Collected; readonly run: Run }): JSX.Element {
  const { part, run } = props;
  const { steps, isOver, isStopping, current } = run;
  useEffect(() => {
    // A page that goes cannot tell what became of the one on its way, and begins no other.
    const stop = () => part.run.stop();
    window.addEventListener("beforeunload", stop);
    return () => window.removeEventListener("beforeunload", stop);
  }, [part]);
  const counts = countsOf(steps, isOver);
  if (isOver)
    return (
      <footer class="collect-bar">
        <p class="numbers" role="status">
          {words.result(counts)}
        </p>
        <Button class="whole" onClick={() => part.run.dismiss()}>
          {words.done}
        </Button>
      </footer>
    );
  const at = steps.findIndex(({ seen }) => seen.id === current);
  const ended = steps.filter(({ outcome }) => outcome !== null).length;
  const text = words.sending(Math.max(1, at + 1), steps.length);
  return (
    <footer class="collect-bar">
      <p class="numbers" role="status">
        {text}
      </p>
      <progress max={steps.length} value={ended} aria-label={text} />
      <Button class="whole" disabled={isStopping} onClick={() => part.run.stop()}>
        {isStopping ? words.stopping : words.stop}
      </Button>
    </footer>
  );
}

/** What becomes of the answer of one card, in one line. */
export function SendingFate({ id }: { readonly id: string }): JSX.Element | null {
  const part = useServer().part(Collected);
  const run = part.run.run.value;
  const step = run?.steps.find(({ seen }) => seen.id === id) ?? null;
  const isConfirmed = useConfirmed(step);
  if (run === null || step === null) return null;
  const { outcome, at } = step;
  const label = <TerminalText text={step.text ?? step.option.label} />;
  if (outcome === "uncertain") return <Doubt paneId={step.seen.prompt.id} />;
  if (outcome === "sent")
    return (
      <Line tone="ok" mark={<StatusIcon shape="ok" />} label={label}>
        {isConfirmed ? answer.confirmed : answer.sent}
        <span class="outcome-time">{timeOfDay(at)}</span>
      </Line>
    );
  if (run.current === id)
    return (
      <Line mark={<StatusIcon shape="working" />} label={label}>
        {words.isSending}
      </Line>
    );
  if (outcome === null && !run.isOver)
    return (
      <Line mark={<Icon name="clock" class="small" />} label={label}>
        {words.next}
      </Line>
    );
  return (
    <>
      <Line tone="bad" mark={<Icon name="warning" />} label={label} isAlert>
        <small>{words.notSent[outcome ?? "stopped"]}</small>
      </Line>
      {run.isOver && (
        <div class="actions">
          <Button tone="plain" onClick={() => part.run.dismiss(id)}>
            {words.showNew}
          </Button>
        </div>
      )}
    </>
  );
}

/** Whether what asked is seen to have taken it. */
function useConfirmed(step: Step | null): boolean {
  const { panes } = useServer();
  return useDerived(() => {
    if (step === null) return false;
    const { prompt } = step.seen;
    const pane = panes.find(prompt.id);
    return pane === null || (!pane.stale && !(waits(pane) && isSamePrompt(prompt, pane)));
  }, [step]);
}

function Line(props: {
  readonly tone?: "ok" | "bad";
  readonly mark: JSX.Element;
  readonly label: JSX.Element;
  readonly isAlert?: boolean;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { tone = "", mark, label, isAlert, children } = props;
  return (
    <div class={`outcome ${tone}`}>
      {mark}
      <p class="grow" role={isAlert ? "alert" : "status"}>
        <b>{label}</b>
        {children}
      </p>
    </div>
  );
}
