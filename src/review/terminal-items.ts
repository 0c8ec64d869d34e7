import type { PaneState } from "../protocol/pane.ts";
import type { ReviewGroup, TerminalItem } from "../protocol/review.ts";

/** What is asked of each pane here. */
type Pane = Pick<PaneState, "id" | "status" | "kind" | "status_since" | "legacy_guard">;

/**
 * Panes that ask or failed and that no card speaks for, errors first, then the longest waiting. A
 * card speaks for a waiting pane only while a pending decision of its confirmed session is the very
 * prompt on its screen, and for a failed one only while it shows the error itself.
 */
export function terminalItems(
  panes: readonly Pane[],
  groups: readonly ReviewGroup[],
): TerminalItem[] {
  const bound = new Map<string, ReviewGroup[]>();
  for (const group of groups) {
    const { association, pane_id } = group.agent;
    if (association !== "confirmed" || pane_id === null) continue;
    bound.set(pane_id, [...(bound.get(pane_id) ?? []), group]);
  }
  return panes
    .flatMap((pane) => {
      const { id, status, kind, status_since } = pane;
      if (status !== "needs_input" && status !== "error") return [];
      if ((bound.get(id) ?? []).some((group) => speaksFor(group, pane))) return [];
      return [itemOf(id, status, kind, status_since)];
    })
    .sort(byUrgency);
}

function itemOf(
  id: string,
  status: TerminalItem["status"],
  kind: string,
  updated_at: number,
): TerminalItem {
  return { id: `pane:${id}`, pane_id: id, status, kind, updated_at, acknowledgeable: false };
}

function byUrgency(a: TerminalItem, b: TerminalItem): number {
  if (a.status !== b.status) return a.status === "error" ? -1 : 1;
  return a.updated_at - b.updated_at || (a.id < b.id ? -1 : 1);
}

function speaksFor(group: ReviewGroup, { status, legacy_guard }: Pane): boolean {
  if (status === "error") return group.attention_reasons.includes("agent_error");
  const live = legacy_guard?.prompt_fingerprint ?? null;
  return group.decisions.some(
    (decision) =>
      decision.status === "pending" && live !== null && decision.prompt_fingerprint === live,
  );
}
