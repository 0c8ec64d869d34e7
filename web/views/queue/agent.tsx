import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { waits } from "../../model/pane.ts";
import type { Card } from "../../model/review/cards.ts";
import { useBrowser } from "../../state/client.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { pass, review as words } from "../../words/review.ts";
import { useDerived, usePane } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";
import { MarkRow } from "../review/card.tsx";
import { Changes } from "../review/changes.tsx";
import { NewerChanges } from "../review/newer.tsx";
import { useBoard, useWorkspace } from "../review/use.ts";

interface AgentCard {
  readonly workspace: Workspace;
  readonly card: Card;
}

/** What the workspace knows of the agent that is certain to be in this pane. */
function useAgentCard(paneId: string): AgentCard | null {
  const workspace = useWorkspace();
  const { router } = useBrowser();
  useBoard(workspace);
  useEffect(() => workspace?.board.enter(router.visit.peek()), [workspace]);
  const card = useDerived(() => {
    const isHere = ({ drawn, latest }: Card) => {
      const { agent } = latest ?? drawn;
      return agent.association === "confirmed" && agent.pane_id === paneId;
    };
    return workspace?.board.cards.value.find(isHere) ?? null;
  }, [workspace, paneId]);
  return workspace === null || card === null ? null : { workspace, card };
}

/** What the agent of a card works for, and what changed since it was last looked at. */
export function AgentNews({ paneId }: { readonly paneId: string }): JSX.Element | null {
  const known = useAgentCard(paneId);
  const pane = usePane(paneId).value;
  if (known === null) return null;
  const { workspace, card } = known;
  const { goal } = (card.latest ?? card.drawn).agent.context;
  const open = workspace.board.decisions(card).filter(({ isOpen }) => isOpen).length;
  // The question that its terminal shows is one of them.
  const more = open - Number(pane !== null && waits(pane));
  return (
    <>
      {goal !== null && (
        <p class="pass-goal">
          <span class="visually-hidden">{pass.goal}: </span>
          <TerminalText text={goal} />
        </p>
      )}
      <Changes changes={card.drawn.changes} />
      <NewerChanges workspace={workspace} card={card} />
      {more > 0 && <p class="fine">{words.moreQuestions(more)}</p>}
    </>
  );
}

/** Marks what is drawn of the agent in this pane as reviewed; it goes on waiting. */
export function AgentMark({ paneId }: { readonly paneId: string }): JSX.Element | null {
  const known = useAgentCard(paneId);
  if (known === null) return null;
  const { workspace, card } = known;
  const mark = workspace.marks.of(card.agentId).value;
  return <MarkRow workspace={workspace} card={card} mark={mark} isHeaded />;
}
