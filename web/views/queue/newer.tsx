import { count } from "../../words/common.ts";
import type { JSX } from "preact";
import { newer, type Card } from "../../model/queue/cards.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser } from "../../state/client.ts";
import { Icon } from "../../ui/icons.tsx";

/** Says that more has come since a card was drawn; it is shown when a person asks for it. */
export function NewerChanges(props: {
  readonly workspace: Workspace;
  readonly card: Card;
}): JSX.Element | null {
  const { workspace, card } = props;
  const { shield } = useBrowser();
  const n = newer(card);
  if (n === 0) return null;
  const show = () => {
    shield.raise();
    workspace.board.show(card.agentId);
  };
  return (
    <button type="button" class="newer" onClick={show}>
      <Icon name="refresh" class="small" />
      {count(n, "newer change", "newer changes")}
      <b>Show</b>
    </button>
  );
}
