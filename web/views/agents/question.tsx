import type { JSX } from "preact";
import type { SeenAgent, SeenDecision } from "../../../src/protocol/tolerant-agents.ts";
import { waits } from "../../model/pane.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useServer } from "../../state/client.ts";
import { agents as words } from "../../words/agents.ts";
import { DockedPrompt } from "../pane/docked.tsx";
import { Asked } from "../parts/ago.tsx";
import { Unshown } from "../answer/unshown.tsx";
import { usePaneOf } from "./use.ts";

interface QuestionProps {
  readonly workspace: Workspace;
  readonly agent: SeenAgent;
  /** Above the composer of its page; else in a column of its own. */
  readonly isDocked: boolean;
}

/**
 * What an agent asks, with its answers. The prompt on its screen is the question; what no screen
 * shows is said, and answered in its pane.
 */
export function AgentQuestion({ workspace, agent, isDocked }: QuestionProps): JSX.Element | null {
  const { answers } = useServer();
  const pane = usePaneOf(agent);
  const open = openDecisions(workspace, agent);
  const hasPrompt = pane !== null && (waits(pane) || answers.of(pane.id).value !== null);
  const [first] = open;
  if (!hasPrompt)
    return first === undefined ? null : (
      <section class={isDocked ? "docked" : "card inspector-prompt"} aria-label={words.question}>
        <header class="prompt-header">
          <Asked at={first.created_at} />
        </header>
        <div class={isDocked ? "docked-body scroll" : ""}>
          <Unshown open={open} asked={null} paneId={agent.pane_id} />
        </div>
      </section>
    );
  return (
    <DockedPrompt key={pane.id} pane={pane} isDocked={isDocked} withExcerpt>
      {waits(pane) && <Unshown open={open} asked={pane.question ?? ""} paneId={pane.id} />}
    </DockedPrompt>
  );
}

/** What an agent has asked and nobody has answered, the oldest first. */
function openDecisions({ tables }: Workspace, agent: SeenAgent): readonly SeenDecision[] {
  // A row that was read before the last answer came may still say that it waits.
  if (agent.pending_decisions_count === 0) return [];
  return tables.decisions
    .where(({ agent_id, status }) => agent_id === agent.id && status === "pending")
    .toSorted((a, b) => a.created_at - b.created_at);
}
