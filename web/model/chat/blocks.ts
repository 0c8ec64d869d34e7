import type { SeenMessage } from "../../../src/protocol/tolerant-agents.ts";

/** Messages that are drawn, laid out and left out of sight together. */
export interface MessageBlock {
  /** Id of the first. */
  readonly key: string;
  readonly messages: readonly SeenMessage[];
}

export const MAX_MESSAGES = 12;
/** A few long messages are as much work as many short ones. */
const MAX_CHARACTERS = 4000;

/**
 * Parts messages, oldest first, into blocks. A block that was there before begins where it began, and
 * is the very same one where nothing in it differs: what arrives at either end redraws nothing else.
 *
 * @param startAt id of a message that begins a block, since something is drawn before it
 */
export function keepBlocks(
  before: readonly MessageBlock[],
  messages: readonly SeenMessage[],
  startAt: string | null,
): readonly MessageBlock[] {
  const known = new Map(before.map((block) => [block.key, block]));
  const blocks: SeenMessage[][] = [];
  let characters = 0;
  for (const message of messages) {
    const last = blocks.at(-1);
    const begins = known.has(message.id) || message.id === startAt;
    const isFull =
      last === undefined || last.length >= MAX_MESSAGES || characters >= MAX_CHARACTERS;
    if (begins || isFull) {
      blocks.push([message]);
      characters = message.content.length;
      continue;
    }
    last.push(message);
    characters += message.content.length;
  }
  return blocks.map((own) => {
    const key = own[0]?.id ?? "";
    const same = known.get(key);
    return same !== undefined && isSameBlock(same.messages, own) ? same : { key, messages: own };
  });
}

const isSameBlock = (a: readonly SeenMessage[], b: readonly SeenMessage[]): boolean =>
  a.length === b.length && a.every((message, i) => isSame(message, b[i]));

const isSame = (a: SeenMessage, b: SeenMessage | undefined): boolean =>
  a === b ||
  (a.id === b?.id &&
    a.status === b.status &&
    a.updated_at === b.updated_at &&
    a.created_at === b.created_at &&
    a.client_message_id === b.client_message_id &&
    a.content === b.content);
