import type { MessageEvent } from "../logs/events.ts";
import { wordsOf } from "../logs/text.ts";

/** Records of different types that say the same within this time are one message. */
export const TWIN_SECONDS = 2;

/** A stored message, as far as the question "is this one new?" needs it. */
export interface StoredMessage {
  id: string;
  /** Types of the records that wrote it. */
  sources: readonly string[];
  /** `path#generation` of the file that its first record stands in. */
  generation: string;
  isFallback: boolean;
}

export type Verdict =
  | { kind: "new" }
  /** Read before, or copied. */
  | { kind: "known" }
  | { kind: "twin"; id: string };

/**
 * Whether a message was read before. Two equal lines of one type are two messages; lines of
 * different types are one. A file that is read anew, or its copy, brings the same lines at the same times.
 *
 * @param id what the message would be called
 * @param near messages of the same role and text within `TWIN_SECONDS`
 */
export function verdictOf(
  event: MessageEvent,
  where: { id: string; generation: string },
  near: readonly StoredMessage[],
): Verdict {
  const isReread = near.some(
    ({ id, generation, sources }) =>
      id === where.id || (generation !== where.generation && sources.includes(event.source)),
  );
  if (isReread) return { kind: "known" };
  const twin = near.find(({ sources }) => !sources.includes(event.source));
  return twin ? { kind: "twin", id: twin.id } : { kind: "new" };
}

/** Whether what stands in the log is what was sent from here: the same words in the same order. */
export function isEcho(sent: string, observed: string): boolean {
  const words = wordsOf(sent);
  return words === "" ? sent.trim() === observed.trim() : words === wordsOf(observed);
}
