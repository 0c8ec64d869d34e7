/** An unsent text for one pane. */
export interface Draft {
  readonly text: string;
  /** The freeform option that the text answers, and the prompt that it belongs to. */
  readonly choice: { readonly key: string; readonly signature: string } | null;
  /** Name of the pane, to say whose draft it is when the pane is gone. */
  readonly name: string;
  /** Epoch milliseconds. */
  readonly savedAt: number;
}

const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
const PREFIX = "panewatch.draft.";

export const draftKey = (server: string, target: string): string =>
  `${PREFIX}${server}.${encodeURIComponent(target)}`;

/** The target of a draft of this server, or null for any other key. */
export function draftTarget(key: string, server: string): string | null {
  const start = `${PREFIX}${server}.`;
  if (!key.startsWith(start)) return null;
  try {
    return decodeURIComponent(key.slice(start.length));
  } catch {
    return null;
  }
}

export const isDraftKey = (key: string): boolean => key.startsWith(PREFIX);

/** A stored draft, or null when it is not one or is too old. */
export function parseDraft(stored: string | null, nowMs: number): Draft | null {
  if (stored === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(stored);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const { text, choice, name, savedAt } = value as Record<string, unknown>;
  if (typeof text !== "string" || typeof savedAt !== "number") return null;
  if (nowMs - savedAt > KEPT_MS) return null;
  return { text, choice: parseChoice(choice), name: typeof name === "string" ? name : "", savedAt };
}

function parseChoice(value: unknown): Draft["choice"] {
  if (typeof value !== "object" || value === null) return null;
  const { key, signature } = value as Record<string, unknown>;
  return typeof key === "string" && typeof signature === "string" ? { key, signature } : null;
}

/** The draft once its prompt has changed: the text stays, as a text for the composer. */
export function followPrompt(draft: Draft, signature: string | null): Draft {
  if (draft.choice === null || draft.choice.signature === signature) return draft;
  return { ...draft, choice: null };
}
