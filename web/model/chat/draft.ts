import { storedMembers } from "../stored.ts";

/**
 * A message as it is kept in the browser. It has its name from its first letter on: whichever tab or
 * page sends it, the server takes one of a name.
 */
export interface ChatDraft {
  readonly id: string;
  readonly text: string;
  /** Set before it leaves and until it is known what became of it; null while it is written. */
  readonly leaving: Leaving | null;
  /** Epoch seconds. */
  readonly savedAt: number;
}

export interface Leaving {
  readonly paneId: string;
  /** Epoch seconds. */
  readonly at: number;
}

/** Longer than this nobody comes back to a message. */
const KEPT_SECONDS = 30 * 24 * 3600;

/** A stored draft, or null when it is not one or is too old. */
export function parseChatDraft(stored: string | null, nowSeconds: number): ChatDraft | null {
  const { id, text, leaving, savedAt } = storedMembers(stored);
  if (typeof id !== "string" || typeof text !== "string" || typeof savedAt !== "number")
    return null;
  if (nowSeconds - savedAt > KEPT_SECONDS) return null;
  return { id, text, leaving: parseLeaving(leaving), savedAt };
}

function parseLeaving(value: unknown): Leaving | null {
  if (typeof value !== "object" || value === null) return null;
  const { paneId, at } = value as Record<string, unknown>;
  return typeof paneId === "string" && typeof at === "number" ? { paneId, at } : null;
}

/** Where the draft to one agent of one server is kept. */
export const chatDraftKey = (prefix: string, instance: string, agentId: string): string =>
  `${prefix}${encodeURIComponent(instance)}.${agentId}`;

/** The agent of a key of this server; null for any other key. */
export function agentOfKey(prefix: string, instance: string, key: string): string | null {
  const own = chatDraftKey(prefix, instance, "");
  return key.startsWith(own) ? key.slice(own.length) : null;
}
