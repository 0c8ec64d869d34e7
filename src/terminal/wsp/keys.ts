/** The tool's names of the contract's keys; what is absent it cannot send. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["Enter", "enter"],
  ["Escape", "esc"],
  ["Tab", "tab"],
  ["BTab", "shift+tab"],
  ["Space", "space"],
  ["BSpace", "backspace"],
  ["Up", "up"],
  ["Down", "down"],
  ["Left", "left"],
  ["Right", "right"],
  ...[..."acdeklnopruwz"].map((letter) => [`C-${letter}`, `ctrl+${letter}`] as const),
]);

/** Keys that a client may ask for on a pane of this provider. */
export const SAFE_KEYS = [
  ...["BSpace", "BTab", "C-c", "C-u", "Down", "Enter"],
  ...["Escape", "Left", "Right", "Space", "Tab", "Up"],
];

/** Longer texts are typed as texts. */
const MAX_TEXT_AS_KEYS = 64;

export function keyName(key: string): string | null {
  return NAMES.get(key) ?? null;
}

/** A text as one key for each character, where each is a key with no second meaning; else null. */
export function keysOfText(text: string): string[] | null {
  if (text === "" || text.length > MAX_TEXT_AS_KEYS || !/^[!-~]+$/.test(text)) return null;
  return [...text];
}
