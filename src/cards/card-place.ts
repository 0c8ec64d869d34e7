import { CardSection } from "../protocol/cards.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { ReviewGroup } from "../protocol/review.ts";
import { NEEDS_A_LOOK, paneOf, sinceOf } from "../protocol/waiting.ts";

/** A card's pane, its agent where that is certain to be in it, or both. */
export interface Subject {
  readonly pane: PaneState | null;
  readonly group: ReviewGroup | null;
}

export interface CardPlace {
  readonly section: CardSection;
  /** Epoch seconds: since when it waits, failed or is blocked; when it changed or finished. */
  readonly since: number;
  readonly urgent: boolean;
}

/** Each pane and each agent once: an agent whose pane is confirmed and there is one with it. */
export function subjectsOf(
  panes: readonly PaneState[],
  groups: readonly ReviewGroup[],
): readonly Subject[] {
  const there = new Set(panes.map(({ id }) => id));
  const inPane = new Map<string, ReviewGroup>();
  const others: ReviewGroup[] = [];
  for (const group of groups) {
    const id = paneOf(group);
    if (id === null || !there.has(id)) others.push(group);
    // Of two that claim one pane the first is taken for the one in it: a pane is one card.
    else if (!inPane.has(id)) inPane.set(id, group);
  }
  return [
    ...panes.map((pane) => ({ pane, group: inPane.get(pane.id) ?? null })),
    ...others.map((group) => ({ pane: null, group })),
  ];
}

/** `agent:ID` where the agent is certain, else `pane:ID`. */
export const cardKeyOf = ({ pane, group }: Subject): string =>
  group === null ? `pane:${pane?.id ?? ""}` : `agent:${group.agent_id}`;

/** Null where it needs nobody. */
export function cardPlaceOf({ pane, group }: Subject): CardPlace | null {
  const decisions = openDecisions(group);
  const urgent = decisions.some(({ priority }) => priority === "high" || priority === "critical");
  const at = (section: CardSection, since: number) => ({ section, since, urgent });
  const asked = decisions.map(({ created_at }) => created_at);
  const need = pane && screenNeedOf(pane);
  const own = need && at(need.section, need.since);
  // The screen wins: where it shows a prompt, the wait is that prompt's.
  if (own?.section === "waiting") return own;
  if (asked.length > 0) return at("waiting", Math.min(...asked));
  if (group === null || (own && own.section !== "finished")) return own;
  const { agent, changes } = group;
  if (pane === null && agent.lifecycle === "error")
    return at(agent.parked ? "parked" : "errors", agent.updated_at);
  if (!group.has_changes) return own;
  const blockedAt = (changes.new_blockers ?? []).map(({ created_at }) => created_at);
  if (blockedAt.length > 0) return at("blocked", Math.min(...blockedAt));
  // An agent that ended its work with something new to read has finished: it changes no more.
  if (own) return own;
  const changedAt = group.as_of_snapshot_at ?? agent.updated_at;
  return at(agent.lifecycle === "completed" ? "finished" : "changed", changedAt);
}

/** What a pane's own screen asks of a person, whatever is known of its agent. */
export interface ScreenNeed {
  readonly section: Extract<CardSection, "waiting" | "parked" | "errors" | "finished">;
  /** Epoch seconds. */
  readonly since: number;
}

/** Null where its screen asks nothing. */
export function screenNeedOf(pane: PaneState): ScreenNeed | null {
  const { status, parked } = pane;
  if (status === "needs_input") return { section: "waiting", since: sinceOf(pane) };
  if (status === "error")
    return { section: parked === null ? "errors" : "parked", since: sinceOf(pane) };
  if (pane.finished_at !== null) return { section: "finished", since: pane.finished_at };
  return null;
}

/** Its decisions that nobody has ended. */
export const openDecisions = (group: ReviewGroup | null): ReviewGroup["decisions"] =>
  group?.decisions.filter(({ status }) => NEEDS_A_LOOK.has(status)) ?? [];

/** Sections span more than all times within one. */
const SPAN = 1e10;

/** Ascending in the order of the cards: urgent ones and the longest wait first, news newest first. */
export function rankOf({ section, since, urgent }: CardPlace): number {
  const isNews = section === "changed" || section === "finished";
  const within = isNews ? SPAN - since : since + (urgent ? 0 : SPAN);
  return CardSection.options.indexOf(section) * 3 * SPAN + within;
}
