import type { SeenMessage, SeenMessageList } from "../../../src/protocol/tolerant-agents.ts";
import { reviewedAt, splitAt } from "../chat/reviewed.ts";

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
