import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { SeenAgent, SeenDecision } from "../../../src/protocol/tolerant-agents.ts";
import { daysBetween } from "../../model/timeline.ts";
import type { AgentState } from "../../state/server/agents/agent.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useToday } from "../parts/derived.ts";
import { Asked } from "../review/ago.tsx";
import { StatusIcon } from "../../ui/icons.tsx";
import { agents as words, dayText } from "../../words/agents.ts";
import { timeOfDay } from "../../words/common.ts";
import { Skeletons } from "../parts/skeletons.tsx";
import { TerminalText } from "../parts/text.tsx";
import { Decision } from "../review/decision.tsx";
import { useWatch } from "../review/use.ts";
import { ListNotice, OlderButton } from "./list.tsx";
import { Empty } from "./screen.tsx";

const ENDED: ReadonlySet<SeenDecision["status"]> = new Set(["resolved", "superseded"]);

/** What it asked: what is open with its answers, what has ended with what was chosen. */
export function AgentDecisions(props: {
  readonly workspace: Workspace;
  readonly state: AgentState;
  readonly agent: SeenAgent;
}): JSX.Element {
  const { workspace, state, agent } = props;
  const { decisions: list } = state;
  useWatch(list);
  const decisions = list.items.value;
  const open = (decisions ?? []).filter(({ status }) => !ENDED.has(status));
  const ended = (decisions ?? []).filter(({ status }) => ENDED.has(status));
  return (
    <>
      <ListNotice list={list} isDown={workspace.isDown.value} />
      {decisions === null && list.failure.value === null && <Skeletons />}
      {decisions !== null && decisions.length === 0 && (
        <Empty title={words.decisionsEmptyTitle} text={words.decisionsEmptyText} />
      )}
      {open.length > 0 && <Heading text={words.pending} count={open.length} />}
      {open.map((decision) => (
        <Open key={decision.id} {...{ workspace, agent, decision }} />
      ))}
      {ended.length > 0 && (
        <>
          <Heading text={words.resolved} count={ended.length} />
          <ul class="list">
            {ended.map((decision) => (
              <Ended key={decision.id} decision={decision} />
            ))}
          </ul>
        </>
      )}
      <OlderButton list={list} />
      {decisions !== null && decisions.length > 0 && (
        <p class="list-note">{words.decisionsFootnote}</p>
      )}
    </>
  );
}

function Heading({ text, count }: { readonly text: string; readonly count: number }): JSX.Element {
  return (
    <h2 class="section">
      {text}
      <span class="section-count numbers">{count}</span>
    </h2>
  );
}

function Open(props: {
  readonly workspace: Workspace;
  readonly agent: SeenAgent;
  readonly decision: SeenDecision;
}): JSX.Element {
  const { decision } = props;
  const element = useRef<HTMLElement>(null);
  return (
    <section class="panel" ref={element}>
      <p class="decision-kind">
        {words.kinds[decision.kind]}
        {decision.status === "pending" && <Asked at={decision.created_at} />}
      </p>
      <Decision {...props} isOpen card={element} headingLevel={3} />
    </section>
  );
}

function Ended({ decision }: { readonly decision: SeenDecision }): JSX.Element {
  const today = useToday();
  const ago = daysBetween(decision.updated_at, today);
  const day = ago === 0 ? "" : `${dayText(decision.updated_at, ago)} `;
  return (
    <li class="row-item ended">
      <StatusIcon shape={decision.status === "resolved" ? "ok" : "offline"} />
      <div>
        <h3>
          <TerminalText text={decision.title} />
        </h3>
        <p>
          <Outcome decision={decision} />
          <span class="numbers"> · {day + timeOfDay(decision.updated_at)}</span>
        </p>
      </div>
    </li>
  );
}

/** What was chosen, where the log says it. */
function Outcome({ decision }: { readonly decision: SeenDecision }): JSX.Element {
  const { options, selected_option_id, status } = decision;
  const chosen = options.find(({ id }) => id === selected_option_id);
  if (chosen === undefined)
    return <>{status === "superseded" ? words.superseded : words.inTerminal}</>;
  return (
    <>
      <span class="visually-hidden">{words.chosen}</span> <TerminalText text={chosen.label} />
    </>
  );
}
