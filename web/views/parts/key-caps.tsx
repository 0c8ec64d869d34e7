import type { JSX } from "preact";
import { useBrowser } from "../../state/client.ts";

/** Told beside the field that opens the palette, before the table of all commands is there. */
export const SEARCH_KEYS = "mod k";

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/**
 * Keys one after another, as they are printed on the keyboard at hand; nothing where they would do
 * nothing, unless all keys are told. Where a finger is the pointer the style sheet leaves them out.
 */
export function KeyCaps(props: {
  readonly keys: string;
  readonly isTold?: boolean;
}): JSX.Element | null {
  const { keys, isTold = false } = props;
  const { preferences } = useBrowser();
  const isDead = isSingle(keys) && !preferences.current.value.singleKeys;
  if (isDead && !isTold) return null;
  const names = keys.split(" ").map(namesOf);
  return (
    <span class={`key-caps inline rigid gap-4 ${isDead ? "dead" : ""}`}>
      <span class="inline rigid gap-4" aria-hidden="true">
        {names.map(([cap], i) => (cap === "to" ? ` ${cap} ` : <kbd key={i}>{cap}</kbd>))}
      </span>
      <span class="visually-hidden">{names.map(([, spoken]) => spoken).join(" ")}</span>
    </span>
  );
}

/** A letter, digit or sign alone, or two letters: what the switch for single keys turns off. */
const isSingle = (keys: string): boolean => keys.split(" ").every((key) => key.length === 1);

const namesOf = (key: string): Names => PRINTED[key] ?? [key, key];

/** What is printed on a key, and what is said of it. */
type Names = readonly [printed: string, spoken: string];

const PRINTED: Readonly<Record<string, Names>> = {
  mod: isApple ? ["⌘", "Command"] : ["Ctrl", "Control"],
  Enter: ["⏎", "Enter"],
  Escape: ["esc", "Escape"],
  ArrowUp: ["↑", "Up"],
  ArrowDown: ["↓", "Down"],
  "-": ["–", "Minus"],
  "+": ["+", "Plus"],
  ",": [",", "Comma"],
  "/": ["/", "Slash"],
  "[": ["[", "Left bracket"],
  "]": ["]", "Right bracket"],
  "?": ["?", "Question mark"],
  ">": [">", "Greater than"],
};

/** Keys by the names that tmux gives them. */
const NAMES: Readonly<Record<string, Names>> = {
  Escape: ["esc", "Esc"],
  Tab: ["tab", "Tab"],
  BTab: ["⇧tab", "Shift Tab"],
  Up: ["↑", "Up"],
  Down: ["↓", "Down"],
  Left: ["←", "Left"],
  Right: ["→", "Right"],
  Enter: ["⏎", "Enter"],
  Space: ["space", "Space"],
  BSpace: ["⌫", "Backspace"],
  PageUp: ["pg↑", "Page up"],
  PageDown: ["pg↓", "Page down"],
  Home: ["home", "Home"],
  End: ["end", "End"],
};

/** What is drawn for a key of the strip, and what is spoken. */
export function stripNames(key: string): Names {
  if (!key.startsWith("C-")) return NAMES[key] ?? [key, key];
  const letter = key.slice(2).toUpperCase();
  return [`⌃${letter}`, `Control ${letter}`];
}
