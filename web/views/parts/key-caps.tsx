import type { JSX } from "preact";
import { useBrowser } from "../../state/client.ts";
import { keyCaps as words } from "../../words/keys.ts";

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
    <span class={`key-caps ${isDead ? "dead" : ""}`}>
      <span aria-hidden="true">
        {names.map(([cap], i) => (cap === "to" ? ` ${cap} ` : <kbd key={i}>{cap}</kbd>))}
      </span>
      <span class="visually-hidden">{names.map(([, spoken]) => spoken).join(" ")}</span>
    </span>
  );
}

/** A letter, digit or sign alone, or two letters: what the switch for single keys turns off. */
const isSingle = (keys: string): boolean => keys.split(" ").every((key) => key.length === 1);

function namesOf(key: string): readonly [string, string] {
  if (key === "mod") return words.keyNames.mod[isApple ? "apple" : "other"];
  const known = Object.entries(words.keyNames).find(([name]) => name === key)?.[1];
  return Array.isArray(known) ? [known[0], known[1]] : [key, key];
}
