import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { SeenAgent, SeenDecision } from "../../../src/protocol/tolerant-agents.ts";
import type { AgentState } from "../../state/server/agents/agent.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { Icon } from "../../ui/icons.tsx";
import { agents as words } from "../../words/agents.ts";
import { timeOfDay } from "../../words/common.ts";
import { Skeletons } from "../parts/skeletons.tsx";
import { TerminalText } from "../parts/text.tsx";
import { Decision } from "../review/decision.tsx";
import { useFollowed } from "../review/use.ts";
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
  const { decisions: list, followed } = state;
  useFollowed(followed.decisions);
  const decisions = list.items.value;
  const open = (decisions ?? []).filter(({ status }) => !ENDED.has(status));
  const ended = (decisions ?? []).filter(({ status }) => ENDED.has(status));
  return (
    <>
      <ListNotice
        list={list}
        isDown={workspace.isDown.value}
        onRetry={() => followed.decisions.retry()}
      />
      {decisions === null && list.failure.value === null && <Skeletons />}
      {decisions !== null && decisions.length === 0 && (
        <Empty title={words.decisionsEmptyTitle} text={words.decisionsEmptyText} />
      )}
      {open.length > 0 && <h2 class="section">{words.pending}</h2>}
      {open.map((decision) => (
        <Open key={decision.id} {...{ workspace, agent, decision }} />
      ))}
      {ended.length > 0 && <h2 class="section">{words.resolved}</h2>}
      {ended.map((decision) => (
        <Ended key={decision.id} decision={decision} />
      ))}
      <OlderButton list={list} />
    </>
  );
}

function Open(props: {
  readonly workspace: Workspace;
  readonly agent: SeenAgent;
  readonly decision: SeenDecision;
}): JSX.Element {
  const element = useRef<HTMLElement>(null);
  return (
    <section class="panel" ref={element}>
      <Decision {...props} isOpen card={element} headingLevel={3} />
    </section>
  );
}

function Ended({ decision }: { readonly decision: SeenDecision }): JSX.Element {
  return (
    <section class="panel ended">
      <h3>
        <TerminalText text={decision.title} />
      </h3>
      <Outcome decision={decision} />
      <p class="event-more numbers">{timeOfDay(decision.updated_at)}</p>
    </section>
  );
}

function Outcome({ decision }: { readonly decision: SeenDecision }): JSX.Element {
  const { options, selected_option_id, status } = decision;
  const chosen = options.find(({ id }) => id === selected_option_id);
  if (chosen === undefined)
    return <p>{status === "superseded" ? words.superseded : words.inTerminal}</p>;
  return (
    <p class="outcome">
      <Icon name="check" class="small" />
      <span>
        <span class="visually-hidden">{words.chosen}</span> <TerminalText text={chosen.label} />
      </span>
    </p>
  );
}
