import { certainPaneOf } from "../agents/review/rank.ts";
import { CardSection } from "../protocol/cards.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { ReviewGroup } from "../protocol/review.ts";
import { sinceOf } from "../protocol/waiting.ts";

/** A pane, an agent, or an agent with the pane that it is certain to be in. */
export interface CardSubject {
  readonly pane: PaneState | null;
  readonly group: ReviewGroup | null;
}

interface CardPlace {
  readonly section: CardSection;
  /** Epoch seconds: since when it waits, failed or is blocked; when it changed or finished. */
  readonly since: number;
  readonly urgent: boolean;
}

/** Each pane and each agent once: a listed pane and its confirmed agent are one subject. */
export function subjectsOf(
  panes: readonly PaneState[],
  groups: readonly ReviewGroup[],
): readonly CardSubject[] {
  const there = new Set(panes.map(({ id }) => id));
  const inPane = new Map<string, ReviewGroup>();
  const others: ReviewGroup[] = [];
  for (const group of groups) {
    const id = certainPaneOf(group);
    if (id === null || !there.has(id)) others.push(group);
    // A pane is one card: of two agents that claim it the first is taken.
    else if (!inPane.has(id)) inPane.set(id, group);
  }
  return [
    ...panes.map((pane) => ({ pane, group: inPane.get(pane.id) ?? null })),
    ...others.map((group) => ({ pane: null, group })),
  ];
}

/** `agent:ID` where the agent is certain, else `pane:ID`. */
export const cardKeyOf = ({ pane, group }: CardSubject): string =>
  group === null ? `pane:${pane?.id ?? ""}` : `agent:${group.agent_id}`;

/** Null where it needs nobody. */
export function cardPlaceOf({ pane, group }: CardSubject): CardPlace | null {
  const decisions = group?.decisions ?? [];
  const urgent = decisions.some(({ priority }) => priority === "high" || priority === "critical");
  const at = (section: CardSection, since: number) => ({ section, since, urgent });
  const need = pane && screenNeedOf(pane);
  const byScreen = need && at(need.section, need.since);
  // The screen wins: where it shows a prompt, the wait began with that prompt.
  if (byScreen?.section === "waiting") return byScreen;
  if (decisions.length > 0)
    return at("waiting", Math.min(...decisions.map(({ created_at }) => created_at)));
  if (group === null || (byScreen && byScreen.section !== "finished")) return byScreen;
  const { agent, changes } = group;
  if (pane === null && agent.lifecycle === "error")
    return at(agent.parked ? "parked" : "errors", agent.updated_at);
  if (!group.has_changes) return byScreen;
  const blockedAt = (changes.new_blockers ?? []).map(({ created_at }) => created_at);
  if (blockedAt.length > 0) return at("blocked", Math.min(...blockedAt));
  // The screen tells that its work is finished: it changes no more.
  if (byScreen) return byScreen;
  const changedAt = group.as_of_snapshot_at ?? agent.updated_at;
  return at(agent.lifecycle === "completed" ? "finished" : "changed", changedAt);
}

/** What a pane's screen asks of a person, whatever is known of its agent. */
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

/** More seconds than any time: a section's ranks never reach the next section's. */
const SPAN = 1e10;

/** Cards ascend by it: urgent ones and the longest wait first, of news the newest first. */
export function rankOf({ section, since, urgent }: CardPlace): number {
  const isNews = section === "changed" || section === "finished";
  const within = isNews ? SPAN - since : since + (urgent ? 0 : SPAN);
  return CardSection.options.indexOf(section) * 3 * SPAN + within;
}
