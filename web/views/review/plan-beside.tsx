import type { JSX } from "preact";
import type { PlanRow } from "../../state/server/agents/planned.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { IconButton } from "../../ui/button.tsx";
import { timeOfDay } from "../../words/common.ts";
import { desk as words, plan } from "../../words/review.ts";
import { TerminalText } from "../parts/text.tsx";
import { Description, OpenPane } from "./decision.tsx";
import { Asked } from "./ago.tsx";
import { BesideBody, BesideFrame, NoCard, useChosen } from "./beside.tsx";
import { KeyHints } from "./key-hints.tsx";
import { PlanEnd, PlanQuestion } from "./plan-card.tsx";
import { Restored, SendBar } from "./plan-parts.tsx";
import { PlanRunning } from "./plan-run.tsx";
import { ChangedSection, SaidSection } from "./sections.tsx";
import { nameOf, usePaneOf, useWorkspace } from "./use.ts";

/** The questions of the chosen card with circles, and below them what they are about. */
export function PlanBeside(): JSX.Element {
  const workspace = useWorkspace();
  const card = useChosen(workspace);
  if (workspace === null || card === null) return <NoCard workspace={workspace} />;
  const rows = workspace.planned.rows.value.filter(({ agent }) => agent.id === card.agentId);
  return (
    <BesideFrame workspace={workspace} card={card}>
      <BesideBody key={card.agentId}>
        {rows.map((row) => (
          <PlanSection key={row.decision.id} workspace={workspace} row={row} />
        ))}
        {rows.length === 0 && <p class="beside-none">{words.asksNothing}</p>}
        <ChangedSection workspace={workspace} card={card} />
        <SaidSection workspace={workspace} card={card} isWhole={false} />
      </BesideBody>
      <KeyHints of="plan" />
    </BesideFrame>
  );
}

interface RowProps {
  readonly workspace: Workspace;
  readonly row: PlanRow;
}

function PlanSection({ workspace, row }: RowProps): JSX.Element {
  const { agent, decision, isOpen } = row;
  const { planned } = workspace;
  const obstacle = planned.obstacle(agent, decision);
  // While answers leave nothing can be chosen; what becomes of each stands beside.
  const isLeaving = planned.sending.run.value !== null;
  if (!isOpen)
    return (
      <section>
        <PlanEnd workspace={workspace} row={row} />
      </section>
    );
  return (
    <section>
      <p class="beside-title">
        {words.waitsSince(timeOfDay(decision.created_at))}
        <Asked at={decision.created_at} />
      </p>
      {obstacle === null && !isLeaving ? (
        <PlanQuestion workspace={workspace} row={row} headingLevel={2} />
      ) : (
        <>
          <h2 class="question">
            <TerminalText text={decision.title} />
          </h2>
          <Description text={decision.description} />
        </>
      )}
      {obstacle !== null && !isLeaving && (
        <>
          <p class="beside-none">{plan.blocked[obstacle]}</p>
          <OpenPane paneId={agent.pane_id} />
        </>
      )}
    </section>
  );
}

/** What is chosen so far, and the one button that sends it; then what became of each. */
export function PlanInspector(): JSX.Element {
  const workspace = useWorkspace();
  const run = workspace?.planned.sending.run.value ?? null;
  return (
    <aside class="column answer-column" aria-label={words.yourPlan}>
      {workspace !== null && run !== null && <PlanRunning workspace={workspace} run={run} />}
      {workspace !== null && run === null && <YourPlan workspace={workspace} />}
    </aside>
  );
}

function YourPlan({ workspace }: { readonly workspace: Workspace }): JSX.Element {
  const { planned } = workspace;
  const rows = planned.rows.value.filter(
    ({ agent, decision, isOpen }) => isOpen && planned.takes(agent, decision),
  );
  return (
    <>
      <div class="inspector scroll">
        <Restored workspace={workspace} />
        <section class="panel">
          <h2 class="panel-title">
            {words.yourPlan}
            <span class="panel-end" role="status">
              {plan.nothingSent}
            </span>
          </h2>
          {planned.isRead.value && rows.length === 0 && <p class="beside-none">{plan.emptyText}</p>}
          <ul class="plan-list">
            {rows.map((row) => (
              <li key={row.decision.id}>
                <Planned workspace={workspace} row={row} />
              </li>
            ))}
          </ul>
        </section>
        <p class="hint">{words.planHint}</p>
      </div>
      <SendBar workspace={workspace} />
    </>
  );
}

/** One question of the plan; pressing it brings its card, the cross leaves it open. */
function Planned({ workspace, row }: RowProps): JSX.Element {
  const { planned, chosen } = workspace;
  const { agent, decision } = row;
  const name = nameOf(agent, usePaneOf(agent));
  const optionId = planned.plan.value.choices[decision.id]?.option_id ?? null;
  const option = decision.options.find(({ id }) => id === optionId);
  return (
    <div class="plan-line">
      <button
        type="button"
        class={`plan-pick ${option === undefined ? "" : "chosen"}`}
        aria-current={chosen.id.value === agent.id ? "true" : undefined}
        onClick={() => chosen.choose(agent.id)}
      >
        <span class="circle" />
        <span class="grow">
          {option === undefined ? words.open : <TerminalText text={option.label} />}
          <small>
            <TerminalText text={name} />
          </small>
        </span>
      </button>
      {option !== undefined && (
        <IconButton
          icon="close"
          label={words.remove(name)}
          onClick={() => planned.choose(decision, null)}
        />
      )}
    </div>
  );
}
