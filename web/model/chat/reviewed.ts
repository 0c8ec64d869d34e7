import type { SeenMessage, SeenMessageList } from "../../../src/protocol/tolerant-agents.ts";

/** Epoch seconds up to which a session was reviewed; null before the first time. */
export const reviewedAt = (
  facts: Pick<SeenMessageList, "reviewed_snapshot_at" | "reviewed_at"> | null,
): number | null => facts?.reviewed_snapshot_at ?? facts?.reviewed_at ?? null;

/** Parts messages, oldest first, at a time: what was said until then, and what came after. */
export function splitAt(
  messages: readonly SeenMessage[],
  at: number | null,
): { readonly before: readonly SeenMessage[]; readonly after: readonly SeenMessage[] } {
  const first = at === null ? 0 : messages.findIndex(({ created_at }) => created_at > at);
  if (first < 0) return { before: messages, after: [] };
  return { before: messages.slice(0, first), after: messages.slice(first) };
}

/** More is read in the chat. */
const MAX_SAID = 12;
/** So much leads up to a first look. */
const MAX_FIRST = 4;

type Facts = Pick<SeenMessageList, "reviewed_snapshot_at" | "reviewed_at">;

/** The last of what was said since the last review, oldest first. `messages` too. */
export function saidSince(
  messages: readonly SeenMessage[],
  facts: Facts | null,
): readonly SeenMessage[] {
  const at = reviewedAt(facts);
  const { after } = splitAt(messages, at);
  return after.slice(at === null ? -MAX_FIRST : -MAX_SAID);
}
