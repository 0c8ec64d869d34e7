import { ALLOWED_KEYS } from "../../protocol/input.ts";

type KeyName = (typeof ALLOWED_KEYS)[number];

/** What a key sends where tmux cannot be asked to translate it. */
interface Key {
  bytes: string;
  /** Instead of `bytes` while the program has asked for application cursor keys. */
  application?: string;
}

const KEYS: Readonly<Record<KeyName, Key>> = {
  BSpace: { bytes: "\x7f" },
  BTab: { bytes: "\x1b[Z" },
  "C-a": { bytes: "\x01" },
  "C-c": { bytes: "\x03" },
  "C-d": { bytes: "\x04" },
  "C-e": { bytes: "\x05" },
  "C-k": { bytes: "\x0b" },
  "C-l": { bytes: "\x0c" },
  "C-n": { bytes: "\x0e" },
  "C-o": { bytes: "\x0f" },
  "C-p": { bytes: "\x10" },
  "C-r": { bytes: "\x12" },
  "C-u": { bytes: "\x15" },
  "C-w": { bytes: "\x17" },
  "C-z": { bytes: "\x1a" },
  Down: { bytes: "\x1b[B", application: "\x1bOB" },
  End: { bytes: "\x1b[4~" },
  Enter: { bytes: "\r" },
  Escape: { bytes: "\x1b" },
  Home: { bytes: "\x1b[1~" },
  Left: { bytes: "\x1b[D", application: "\x1bOD" },
  PageDown: { bytes: "\x1b[6~" },
  PageUp: { bytes: "\x1b[5~" },
  Right: { bytes: "\x1b[C", application: "\x1bOC" },
  Space: { bytes: " " },
  Tab: { bytes: "\t" },
  Up: { bytes: "\x1b[A", application: "\x1bOA" },
};

/**
 * The bytes that tmux itself would send for a key. Its own names are those of the list.
 * @throws Error for a key outside the list, which no caller lets through.
 */
export function keyBytes(name: string, mode: "normal" | "application"): string {
  if (!isKeyName(name)) throw new Error(`not a key of the list: ${name}`);
  const key = KEYS[name];
  return mode === "application" ? (key.application ?? key.bytes) : key.bytes;
}

function isKeyName(name: string): name is KeyName {
  return Object.hasOwn(KEYS, name);
}
