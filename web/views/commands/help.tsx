import type { JSX } from "preact";
import { useClient } from "../../state/client.ts";
import { KeyCaps } from "../parts/key-caps.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { COMMANDS } from "./table.ts";

const GROUPS = {
  go: "Go",
  move: "Move",
  answer: "Answer",
  review: "Card",
  pane: "Pane",
  files: "Changes",
  do: "Do",
  look: "Look",
};

/** Every key that does something, and the switch that turns single ones off. */
export function ShortcutHelp(): JSX.Element {
  const client = useClient();
  const { preferences } = client.browser;
  const { singleKeys } = preferences.current.value;
  // What only lacks a pane just now is told.
  const told = COMMANDS.filter(({ keys, able }) => keys !== undefined && able?.(client) !== false);
  const groups = Map.groupBy(told, ({ group }) => group);
  return (
    <Sheet
      title="Keyboard"
      class="wide"
      headerEnd={
        <button
          type="button"
          class="inline gap-10 fs-13 text-2 tap"
          role="switch"
          aria-checked={singleKeys}
          onClick={() => preferences.set({ singleKeys: !singleKeys })}
        >
          Single keys
          <span class={`switch ${singleKeys ? "on" : ""}`} />
        </button>
      }
    >
      <div class="help-groups">
        {[...groups].map(([group, commands]) => (
          <section key={group}>
            <h3 class="mb-4 fs-12 bold text-3">{GROUPS[group]}</h3>
            <dl>
              {commands.map(({ label, keys = "" }) => (
                <div key={label} class="help-line flex between gap-12">
                  <dt>{label}</dt>
                  <dd class="flex rigid gap-4">
                    <KeyCaps keys={keys} isTold />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Sheet>
  );
}
