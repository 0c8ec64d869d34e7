import type { SeenMessage, SeenMessageList } from "../../../src/protocol/tolerant-agents.ts";

/** Epoch seconds up to which a session was reviewed; null before the first time. */
export const reviewedAt = (
  facts: Pick<SeenMessageList, "reviewed_snapshot_at" | "reviewed_at"> | null,
): number | null => facts?.reviewed_snapshot_at ?? facts?.reviewed_at ?? null;

/**
 * How many messages have come since the last review; null where not all of them are known.
 *
 * @param messages newest first, as narrowed by `filter`
 */
export function countSince(
  messages: readonly SeenMessage[] | null,
  facts: Pick<SeenMessageList, "reviewed_snapshot_at" | "reviewed_at"> | null,
  filter: { readonly q: string; readonly role: string | null; readonly after: number | null },
  hasMore: boolean,
): number | null {
  const at = filter.after ?? reviewedAt(facts);
  if (messages === null || at === null || filter.q !== "" || filter.role !== null) return null;
  const before = messages.findIndex(({ created_at }) => created_at <= at);
  if (before >= 0) return before;
  return hasMore ? null : messages.length;
}

/** Parts messages, oldest first, at a time: what was said until then, and what came after. */
export function splitAt(
  messages: readonly SeenMessage[],
  at: number | null,
): { readonly before: readonly SeenMessage[]; readonly after: readonly SeenMessage[] } {
  const first = at === null ? 0 : messages.findIndex(({ created_at }) => created_at > at);
  if (first < 0) return { before: messages, after: [] };
  return { before: messages.slice(0, first), after: messages.slice(first) };
}
