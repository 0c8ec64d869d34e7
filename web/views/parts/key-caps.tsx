import type { JSX } from "preact";
import { useBrowser } from "../../state/client.ts";

/** The keys of the palette, named here as well as in the table of commands. */
export const SEARCH_KEYS = "mod k";

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/**
 * Keys as they are printed on this keyboard, or nothing where single keys are switched off. On touch
 * screens the style sheet hides them.
 */
export function KeyCaps(props: {
  readonly keys: string;
  /** Drawn also where they are switched off, struck through. */
  readonly isListed?: boolean;
}): JSX.Element | null {
  const { keys, isListed = false } = props;
  const { preferences } = useBrowser();
  const isDead = isSingle(keys) && !preferences.current.value.singleKeys;
  if (isDead && !isListed) return null;
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

/** A letter, digit or sign, or two letters: what the switch for single keys turns off. */
const isSingle = (keys: string): boolean => keys.split(" ").every((key) => key.length === 1);

const namesOf = (key: string): Names => PRINTED[key] ?? [key, key];

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

/** The names of a key of the strip. */
export function stripNames(key: string): Names {
  if (!key.startsWith("C-")) return NAMES[key] ?? [key, key];
  const letter = key.slice(2).toUpperCase();
  return [`⌃${letter}`, `Control ${letter}`];
}
