/** What of a chat is shown, oldest first, while it goes on growing. */
export interface Shown<Message> {
  readonly messages: readonly Message[];
  /** How many have come since the person went away from the end. */
  readonly newer: number;
}

/**
 * Away from the end nothing is added below what is read, so that it cannot move: what comes is counted.
 *
 * @param lastId of the newest message that was shown at the end; null shows all
 */
export function shownUntil<Message extends { readonly id: string }>(
  messages: readonly Message[],
  lastId: string | null,
): Shown<Message> {
  const last = lastId === null ? -1 : messages.findLastIndex(({ id }) => id === lastId);
  if (last < 0) return { messages, newer: 0 };
  return { messages: messages.slice(0, last + 1), newer: messages.length - last - 1 };
}
