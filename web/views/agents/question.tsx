import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { SeenAgent, SeenDecision } from "../../../src/protocol/tolerant-agents.ts";
import { waits } from "../../model/pane.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useServer } from "../../state/client.ts";
import { agents as words } from "../../words/agents.ts";
import { TerminalText } from "../parts/text.tsx";
import { DockedPrompt } from "../pane/docked.tsx";
import { Asked } from "../parts/ago.tsx";
import { Decision } from "../answer/decision.tsx";
import { usePaneOf } from "./use.ts";

interface QuestionProps {
  readonly workspace: Workspace;
  readonly agent: SeenAgent;
  /** Above the composer of its page; else in a column of its own. */
  readonly isDocked: boolean;
}

/**
 * What an agent asks, with its answers. The prompt on its screen is the question; a decision stands
 * here by itself only where no screen shows one.
 */
export function AgentQuestion({ workspace, agent, isDocked }: QuestionProps): JSX.Element | null {
  const { answers } = useServer();
  const pane = usePaneOf(agent);
  const open = openDecisions(workspace, agent);
  const hasPrompt = pane !== null && (waits(pane) || answers.of(pane.id).value !== null);
  if (!hasPrompt) return <Decisions {...{ workspace, agent, open, isDocked }} />;
  const other = open.find(({ title }) => title !== pane.question);
  return (
    <DockedPrompt key={pane.id} pane={pane} isDocked={isDocked} withExcerpt>
      {other !== undefined && waits(pane) && (
        <p class="hint">
          <TerminalText text={words.alsoOpen(other.title)} />
        </p>
      )}
    </DockedPrompt>
  );
}

const OPEN: ReadonlySet<SeenDecision["status"]> = new Set(["pending", "submitting", "unknown"]);

/** What an agent has asked and nobody has answered, or whose answer can still be read; the oldest first. */
function openDecisions({ replies, tables }: Workspace, agent: SeenAgent): readonly SeenDecision[] {
  // A row that was read before the last answer came may still say that it waits.
  const isOpen = (status: SeenDecision["status"]) =>
    agent.pending_decisions_count > 0 && OPEN.has(status);
  return tables.decisions
    .where(
      ({ agent_id, id, status }) => agent_id === agent.id && (isOpen(status) || replies.holds(id)),
    )
    .toSorted((a, b) => a.created_at - b.created_at);
}

function Decisions(props: QuestionProps & { readonly open: readonly SeenDecision[] }) {
  const { workspace, agent, open, isDocked } = props;
  const element = useRef<HTMLElement>(null);
  const [first] = open;
  if (first === undefined) return null;
  return (
    <section
      ref={element}
      class={isDocked ? "docked" : "card inspector-prompt"}
      aria-label={words.question}
    >
      <header class="prompt-header">
        <Asked at={first.created_at} />
      </header>
      <div class={isDocked ? "docked-body scroll" : ""}>
        {open.map((decision) => (
          <Decision
            key={decision.id}
            {...{ workspace, agent, decision }}
            isOpen
            card={element}
            headingLevel={2}
          />
        ))}
      </div>
    </section>
  );
}
