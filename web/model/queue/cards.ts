import { reuse } from "../reuse.ts";
import { changeLines, type ChangeLine } from "../../../src/protocol/change-lines.ts";
import type { SeenDelta, SeenGroup, SeenReview } from "../../../src/protocol/tolerant-agents.ts";

export interface Card {
  readonly agentId: string;
  /** The group whose changes are on the screen, and whose snapshot a mark sends. */
  readonly drawn: SeenGroup;
  /** The newest group: its decisions are the ones to answer. Null once there is no card any more. */
  readonly latest: SeenGroup | null;
}

/** The list from scratch, in the server's order; a card that stands so already is the same object. */
export const drawCards = (
  { groups }: Pick<SeenReview, "groups">,
  cards: readonly Card[] = [],
): readonly Card[] =>
  reuse(
    cards,
    groups.map(cardOf),
    ({ agentId }) => agentId,
    (a, b) => a.drawn === b.drawn && a.latest === b.latest,
  );

function cardOf(group: SeenGroup): Card {
  return { agentId: group.agent_id, drawn: group, latest: group };
}

/**
 * The list after a reply: every card keeps its place and what is drawn on it, arrivals are
 * appended, and a card that is over stays until the screen lets go of it (`isKept`).
 */
export function keepCards(
  cards: readonly Card[],
  { groups }: Pick<SeenReview, "groups">,
  isKept: (agentId: string) => boolean,
): readonly Card[] {
  const news = new Map(groups.map((group) => [group.agent_id, group]));
  const known = new Set(cards.map(({ agentId }) => agentId));
  const kept = cards.flatMap((card) => {
    const latest = news.get(card.agentId) ?? null;
    // It was over, and is something to look at again.
    if (card.latest === null && latest !== null) return [cardOf(latest)];
    if (latest === null && !isKept(card.agentId)) return [];
    return [latest === card.latest ? card : { ...card, latest }];
  });
  return [...kept, ...groups.filter(({ agent_id }) => !known.has(agent_id)).map(cardOf)];
}

export function redraw(cards: readonly Card[], agentId: string): readonly Card[] {
  return cards.map((card) =>
    card.agentId === agentId && card.latest ? { ...card, drawn: card.latest } : card,
  );
}

export function newer({ drawn, latest }: Card): number {
  if (!latest || latest.as_of_snapshot_sequence <= drawn.as_of_snapshot_sequence) return 0;
  // Marked meanwhile elsewhere: what is on the screen is no news, what came since is.
  if (latest.reviewed_snapshot_sequence >= drawn.as_of_snapshot_sequence)
    return newerCount({}, latest.changes);
  return newerCount(drawn.changes, latest.changes);
}

/** Whether there is something on the card that a mark would acknowledge. */
export function isMarkable({ drawn, latest }: Card): boolean {
  if (drawn.as_of_snapshot_id === null) return false;
  const reviewed = latest?.reviewed_snapshot_sequence ?? drawn.reviewed_snapshot_sequence;
  if (reviewed >= drawn.as_of_snapshot_sequence) return false;
  return (
    drawn.has_changes ||
    drawn.attention_reasons.includes("agent_error") ||
    drawn.attention_reasons.includes("extraction_degraded")
  );
}

/** How many lines the later changes have that the earlier ones do not; at least one. */
export function newerCount(drawn: SeenDelta, latest: SeenDelta): number {
  const key = ({ kind, text }: ChangeLine) => `${kind}\0${text}`;
  const known = new Set(changeLines(drawn).map(key));
  return Math.max(1, changeLines(latest).filter((line) => !known.has(key(line))).length);
}
