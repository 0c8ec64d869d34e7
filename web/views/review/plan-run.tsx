import type { JSX } from "preact";
import { countsOf, differenceOf, inResultOrder } from "../../model/review/plan-result.ts";
import type { Run, Step } from "../../state/server/agents/plan-run.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { StatusIcon } from "../../ui/icons.tsx";
import { timeOfDay } from "../../words/common.ts";
import { plan as words, review } from "../../words/review.ts";
import { Notice } from "../../ui/notice.tsx";
import { TerminalText } from "../parts/text.tsx";
import { Doubt } from "../answer/fate.tsx";
import { PlanBar } from "./plan-bar.tsx";
import { nameOf, usePaneOf } from "./use.ts";

interface RunProps {
  readonly workspace: Workspace;
  readonly run: Run;
}

/** Answers on their way, one after another, and what became of each. */
export function PlanRunning({ workspace, run }: RunProps): JSX.Element {
  const { router } = useBrowser();
  const { steps, isOver } = run;
  const at = steps.findIndex(({ decision }) => decision.id === run.current);
  const ended = Math.max(...steps.map((step) => step.at));
  const back = () => {
    if (isOver) workspace.planned.dismiss();
    router.back("#/queue");
  };
  return (
    <>
      <PlanBar
        title={isOver ? words.result(countsOf(steps)) : words.sending(at + 1, steps.length)}
        text={isOver ? timeOfDay(ended) : words.oneByOne}
        onBack={back}
      />
      <div class="plan-body scroll" tabIndex={0}>
        <ul class="list plan-steps">
          {(isOver ? inResultOrder(steps) : steps).map((step) => (
            <li key={step.decision.id}>
              <PlanStep
                {...{ workspace, step, isOver }}
                place={steps.indexOf(step) + 1}
                isCurrent={step.decision.id === run.current}
              />
            </li>
          ))}
        </ul>
        <p class="hint plan-hint">{isOver ? words.notAgain : words.mayLeave}</p>
      </div>
      <footer class="plan-actions">
        {isOver ? (
          <Over workspace={workspace} onBack={back} />
        ) : (
          <Button
            size="block"
            disabled={run.isStopping}
            onClick={() => workspace.planned.sending.stop()}
          >
            {run.isStopping ? words.stopping : words.stop}
          </Button>
        )}
      </footer>
    </>
  );
}

function Over(props: { readonly workspace: Workspace; readonly onBack: () => void }): JSX.Element {
  const { planned } = props.workspace;
  const left = Object.keys(planned.plan.value.choices).length;
  return (
    <>
      {left > 0 && (
        <Button size="block" onClick={() => planned.dismiss()}>
          {words.backToPlan(left)}
        </Button>
      )}
      <Button size="block" onClick={props.onBack}>
        {words.backToReview}
      </Button>
    </>
  );
}

interface StepProps {
  readonly workspace: Workspace;
  readonly step: Step;
  readonly place: number;
  readonly isCurrent: boolean;
  readonly isOver: boolean;
}

function PlanStep(props: StepProps): JSX.Element {
  const { step, isCurrent, isOver } = props;
  const { agent, decision, choice, outcome } = step;
  const pane = usePaneOf(agent);
  const option = decision.options.find(({ id }) => id === choice.option_id);
  const isWaiting = outcome === null && !isCurrent && !isOver;
  return (
    <div class={`plan-step ${isWaiting ? "waits-its-turn" : ""}`}>
      <StepMark {...props} />
      <div class="grow">
        <h2 class="name">
          <TerminalText text={nameOf(agent, pane)} />
        </h2>
        <p class="plan-asked">
          <TerminalText text={decision.title} />
        </p>
        <p class="plan-answer">
          <TerminalText text={option?.label ?? ""} />
        </p>
        <StepEnd {...props} />
      </div>
    </div>
  );
}

function StepMark({ step, place, isCurrent, isOver }: StepProps): JSX.Element {
  if (step.outcome === "sent") return <StatusIcon shape="ok" label={review.sent} />;
  if (step.outcome === "uncertain") return <StatusIcon shape="stale" label={words.unclear} />;
  if (step.outcome !== null || isOver) return <StatusIcon shape="error" label={words.notSent} />;
  if (isCurrent) return <StatusIcon shape="working" label={words.checking} />;
  return (
    <span class="plan-place numbers" aria-hidden="true">
      {place}
    </span>
  );
}

/** What became of it, in words, and the way on. */
function StepEnd({ workspace, step, isCurrent, isOver }: StepProps): JSX.Element | null {
  const { agent, decision, outcome, at } = step;
  const latest = workspace.board.newest(decision);
  if (isCurrent) return <p class="hint">{words.readingAgain}</p>;
  if (outcome === null)
    return isOver ? <Notice icon="info" tone="stale" title={words.left} /> : null;
  if (outcome === "sent")
    return <p class="hint">{words.sentAt(timeOfDay(at), latest.status === "resolved")}</p>;
  if (outcome === "uncertain") return <Doubt paneId={agent.pane_id} />;
  const { title, text } =
    outcome === "changed" ? words.changedBy(differenceOf(decision, latest)) : words.ends[outcome];
  return (
    <>
      <Notice icon="warning" tone="error" title={title} isAlert>
        {text}
      </Notice>
      {outcome === "changed" && isOver && (
        <div class="actions">
          <Button onClick={() => workspace.planned.dismiss()}>{words.chooseAgain}</Button>
        </div>
      )}
    </>
  );
}
