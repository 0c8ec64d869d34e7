/** 1 to 64 bytes; `.` and `..` would be folders. */
const SESSION_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/;

/** One argument longer than this is refused by the operating system. */
const MAX_ARGUMENT_BYTES = 128 * 1024 - 1;

/** Cut out of the arguments wherever they stand, also where a text was meant. */
const FLAGS = ["--session", "--remote", "--remote-keybindings"];

export type ReadSource = "detection" | "recent-unwrapped";

export function isSessionName(name: string): boolean {
  return SESSION_NAME.test(name);
}

/**
 * The whole list of arguments. The session stands last, as two arguments of its own: it wins over
 * every earlier one, and over the environment.
 */
export function withSession(words: readonly string[], session: string): string[] {
  return [...words, "--session", session];
}

/**
 * Whether the tool would take this text for something else than a text: a bare `--` ends its search
 * for the session, the others it cuts out, and the text with them.
 */
export function isTakenForFlag(text: string): boolean {
  if (text === "--") return true;
  return FLAGS.some((flag) => text === flag || text.startsWith(`${flag}=`));
}

export function isTooLong(text: string): boolean {
  return Buffer.byteLength(text) > MAX_ARGUMENT_BYTES;
}

export const STATUS = ["status", "--json"];
export const VERSION = ["--version"];
export const SESSIONS = ["session", "list", "--json"];
export const SCHEMA = ["api", "schema", "--json"];
export const SNAPSHOT = ["api", "snapshot"];

export function getPane(pane: string): string[] {
  return ["pane", "get", pane];
}

export function processInfo(pane: string): string[] {
  return ["pane", "process-info", "--pane", pane];
}

/**
 * Only forms that never reach the program: the detection buffer, and the history with its colours.
 * The same history as plain text scrolls an idle agent on the alternate screen by typing into it.
 */
export function readPane(pane: string, source: ReadSource, lines: number): string[] {
  const words = ["pane", "read", pane, "--source", source];
  if (source === "detection") return words;
  return [...words, "--lines", String(lines), "--format", "ansi"];
}

export function sendText(pane: string, text: string): string[] {
  return ["pane", "send-text", pane, text];
}

export function sendKeys(pane: string, keys: readonly string[]): string[] {
  return ["pane", "send-keys", pane, ...keys];
}

/** Looks at the foreground process as it sends, and refuses what would reach a shell. */
export function sendAgentKeys(pane: string, keys: readonly string[]): string[] {
  return ["agent", "send-keys", pane, ...keys];
}
