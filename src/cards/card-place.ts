import { CARD_SECTIONS, type CardSection } from "../protocol/card-section.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { ReviewGroup } from "../protocol/review.ts";
import { NEEDS_A_LOOK, paneOf, sinceOf } from "../protocol/waiting.ts";

/** A pane that finished and was not reviewed is listed this long. */
export const FINISHED_SECONDS = 3600;

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

/** Null where it needs nobody at this moment, in epoch seconds. */
export function cardPlaceOf({ pane, group }: Subject, now: number): CardPlace | null {
  const decisions = openDecisions(group);
  const urgent = decisions.some(({ priority }) => priority === "high" || priority === "critical");
  const at = (section: CardSection, from: number) => ({ section, since: from, urgent });
  const asked = decisions.map(({ created_at }) => created_at);
  // The screen wins: where it shows a prompt, the wait is that prompt's.
  if (pane?.status === "needs_input") return at("waiting", sinceOf(pane));
  if (asked.length > 0) return at("waiting", Math.min(...asked));
  if (pane !== null && pane.parked !== null) return at("parked", sinceOf(pane));
  if (pane?.status === "error") return at("errors", sinceOf(pane));
  const doneAt = pane === null ? null : doneSince(pane);
  const isRecent = doneAt !== null && now - doneAt < FINISHED_SECONDS;
  if (group === null) return isRecent ? at("finished", doneAt) : null;
  const { agent, changes } = group;
  if (pane === null && agent.lifecycle === "error")
    return at(agent.parked ? "parked" : "errors", agent.updated_at);
  if (!group.has_changes) return isRecent ? at("finished", doneAt) : null;
  const blockedAt = (changes.new_blockers ?? []).map(({ created_at }) => created_at);
  if (blockedAt.length > 0) return at("blocked", Math.min(...blockedAt));
  // An agent that ended its work with something new to read has finished: it changes no more.
  if (doneAt !== null) return at("finished", doneAt);
  const changedAt = group.as_of_snapshot_at ?? agent.updated_at;
  return at(agent.lifecycle === "completed" ? "finished" : "changed", changedAt);
}

/** Its decisions that nobody has ended. */
export const openDecisions = (group: ReviewGroup | null): ReviewGroup["decisions"] =>
  group?.decisions.filter(({ status }) => NEEDS_A_LOOK.has(status)) ?? [];

/** Since when its agent is done and nobody has looked; null where it is not. */
export const doneSince = ({ status, finished_at }: PaneState): number | null =>
  status === "idle" ? finished_at : null;

/** Sections span more than all times within one. */
const SPAN = 1e10;

/** Ascending in the order of the cards: urgent ones and the longest wait first, news newest first. */
export function rankOf({ section, since, urgent }: CardPlace): number {
  const isNews = section === "changed" || section === "finished";
  const within = isNews ? SPAN - since : since + (urgent ? 0 : SPAN);
  return CARD_SECTIONS.indexOf(section) * 3 * SPAN + within;
}
