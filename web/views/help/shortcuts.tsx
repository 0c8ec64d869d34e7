import type { JSX } from "preact";
import { useBrowser, useClient } from "../../state/client.ts";
import { help as words } from "../../words/commands.ts";
import { isOffered } from "../commands/command.ts";
import { COMMANDS, type CommandId } from "../commands/table.ts";
import { hasWorkspace } from "../commands/review.ts";
import { KeyCaps } from "../parts/key-caps.tsx";
import { Sheet } from "../parts/sheet.tsx";

/** A command by its id, or keys that belong to a control. */
type Line = CommandId | { readonly label: string; readonly keys: readonly string[] };

const LINES: Readonly<Record<keyof typeof words.groups, readonly Line[]>> = {
  go: [
    "search",
    "queue",
    "review",
    "active",
    "all",
    "agents",
    "timeline",
    "stats",
    "settings",
    "help",
  ],
  move: [
    { label: words.rows, keys: [COMMANDS.nextRow.keys, COMMANDS.previousRow.keys] },
    "nextWaiting",
    "previousWaiting",
    { label: words.open, keys: ["Enter"] },
    "back",
    "filter",
    { label: words.column, keys: ["F6"] },
  ],
  answer: [
    { label: words.pick, keys: ["1", "9"] },
    { label: words.send, keys: ["Enter"] },
    { label: words.drop, keys: ["Escape"] },
    "reply",
  ],
  review: [
    "mark",
    "later",
    "openPane",
    "openAgent",
    "plan",
    { label: words.leaveOpen, keys: ["0"] },
    { label: words.sendPlan, keys: ["mod Enter"] },
  ],
  pane: [
    "write",
    { label: words.sendMessage, keys: ["mod Enter"] },
    { label: words.newLine, keys: ["Enter"] },
    "find",
    "follow",
    "wrap",
    { label: words.textSize, keys: [COMMANDS.smaller.keys, COMMANDS.larger.keys] },
  ],
  do: ["create", "broadcast", "star", "copy"],
  look: ["theme", "navigator", "inspector"],
};

/** What only some servers can do: elsewhere its keys are not promised. */
const ABLE: readonly CommandId[] = ["create", "review", "agents", "timeline"];

/** Every key that does something, and the switch that turns single ones off. */
export function ShortcutHelp(): JSX.Element {
  const { preferences } = useBrowser();
  const client = useClient();
  const { singleKeys } = preferences.current.value;
  const groups = Object.entries(LINES).filter(
    ([group]) => group !== "review" || hasWorkspace(client),
  );
  return (
    <Sheet
      title={words.title}
      class="wide"
      headerEnd={
        <button
          type="button"
          class="header-switch"
          role="switch"
          aria-checked={singleKeys}
          onClick={() => preferences.set({ singleKeys: !singleKeys })}
        >
          {words.singleKeys}
          <span class={`switch ${singleKeys ? "on" : ""}`} />
        </button>
      }
    >
      <div class="help-groups">
        {groups.map(([group, lines]) => (
          <section key={group}>
            <h3>{words.groups[group as keyof typeof words.groups]}</h3>
            <dl>
              {lines.map((line) => (
                <HelpLine key={typeof line === "string" ? line : line.label} line={line} />
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Sheet>
  );
}

function HelpLine({ line }: { readonly line: Line }): JSX.Element | null {
  const client = useClient();
  if (typeof line !== "string")
    return (
      <div class="help-line">
        <dt>{line.label}</dt>
        <dd>
          {line.keys.map((keys, i) => (
            <span key={keys} class="key-caps">
              {i > 0 && line.label === words.pick && <span>{words.to}</span>}
              <KeyCaps keys={keys} />
            </span>
          ))}
        </dd>
      </div>
    );
  const command = COMMANDS[line];
  // What only lacks a pane just now is told.
  if (ABLE.includes(line) && !isOffered(command, client)) return null;
  return (
    <div class="help-line">
      <dt>{command.label}</dt>
      <dd>
        <KeyCaps keys={command.keys} />
      </dd>
    </div>
  );
}
