import type { JSX } from "preact";
import { keyCaps as words } from "../../words/key-names.ts";

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/** Keys one after another, as they are printed on the keyboard at hand. */
export function KeyCaps({ keys }: { readonly keys: string }): JSX.Element {
  const names = keys.split(" ").map(namesOf);
  return (
    <span class="key-caps">
      <span aria-hidden="true">
        {names.map(([cap], i) => (
          <kbd key={i}>{cap}</kbd>
        ))}
      </span>
      <span class="visually-hidden">{names.map(([, spoken]) => spoken).join(" ")}</span>
    </span>
  );
}

function namesOf(key: string): readonly [string, string] {
  if (key === "mod") return words.keyNames.mod[isApple ? "apple" : "other"];
  const known = Object.entries(words.keyNames).find(([name]) => name === key)?.[1];
  return Array.isArray(known) ? [known[0], known[1]] : [key, key];
}
