import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { searchWords } from "../../model/search.ts";
import { useClient } from "../../state/client.ts";
import { Icon } from "../../ui/button.tsx";
import { Empty } from "../../ui/notice.tsx";
import { count } from "../../words/common.ts";
import { useWatch, workspaceIn } from "../agents/use.ts";
import { KeyCaps } from "../parts/key-caps.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { useMessageSearch } from "../search/messages.tsx";
import { messageResults, resultsFor, type ResultGroup, type Result } from "./results.tsx";
import { COMMANDS } from "./table.ts";

const PAGE = 8;
const SAID = { role: null, after: null, limit: 8 };

/** The focus stays in the field; arrow keys move through the results. */
export function Palette(): JSX.Element {
  const client = useClient();
  const [text, setText] = useState("");
  /** By its key: it stays chosen when others come above it. */
  const [chosen, setChosen] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  // A leading `>` searches commands alone, `"` messages alone.
  const [, only = "", query = ""] = /^\s*([>"]?)(.*)$/s.exec(text) ?? [];
  const findsSaid = only !== ">" && client.server.config.has("search_v1");
  const messages = useMessageSearch(findsSaid ? query : null, SAID);
  const groups: readonly ResultGroup[] = [
    ...(only === '"' ? [] : resultsFor(searchWords(query), only === "", client)),
    ["Said", messageResults(query, messages)] as const,
  ].filter(([, results]) => results.length > 0);
  // Loads the agents, which are found by their names.
  useWatch(workspaceIn(client.server)?.agents ?? null);
  const results = groups.flatMap(([, items]) => items);
  const active = Math.max(
    0,
    results.findIndex(({ key }) => key === chosen),
  );
  const activeKey = results[active]?.key ?? null;
  useEffect(() => setChosen(activeKey), [activeKey, text]);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [active, text]);
  const open = (result: Result | undefined) => {
    if (result !== undefined) client.browser.router.close(() => result.open(client));
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const next = moveBy(event.key, active, results.length);
    if (next !== null) setChosen(results[next]?.key ?? null);
    else if (event.key === "Enter") open(results[active]);
    else return;
    event.preventDefault();
  };
  return (
    <Sheet kind="palette" title="Search or run" initialFocus={field} footer={<PaletteKeys />}>
      <div class="palette-field flex rigid gap-12 fs-17 rule-below">
        <Icon name="search" class="text-3" />
        <input
          ref={field}
          class="bare grow"
          type="text"
          role="combobox"
          aria-label="Search panes, agents and commands"
          aria-expanded={results.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={results.length > 0 ? `${id}-${active}` : undefined}
          autocomplete="off"
          spellcheck={false}
          placeholder="Panes, agents, commands"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setChosen(null);
          }}
          onKeyDown={onKeyDown}
        />
        <KeyCaps keys="Escape" />
      </div>
      <p class="visually-hidden" role="status">
        {results.length === 0 ? "Nothing matches" : count(results.length, "result", "results")}
      </p>
      {results.length === 0 && <Empty title="Nothing matches" text="Try fewer letters." isBrief />}
      <div
        ref={list}
        class="rows palette-list fills scrolls"
        id={`${id}-list`}
        role="listbox"
        aria-label="Results"
      >
        {groups.map(([title, items]) => (
          <div key={title} role="group" aria-label={title}>
            <div class="section flex fs-13 bold text-2" role="presentation">
              {title}
            </div>
            {items.map((result) => {
              const at = results.indexOf(result);
              return (
                <div
                  key={result.key}
                  id={`${id}-${at}`}
                  class={`row ${at === active ? "selected" : ""}`}
                  role="option"
                  aria-selected={at === active}
                  onPointerMove={() => setChosen(result.key)}
                  onClick={() => open(result)}
                >
                  {result.row}
                </div>
              );
            })}
          </div>
        ))}
      </div>
    </Sheet>
  );
}

function moveBy(key: string, at: number, count: number): number | null {
  if (count === 0) return null;
  if (key === "ArrowDown") return (at + 1) % count;
  if (key === "ArrowUp") return (at - 1 + count) % count;
  if (key === "PageDown") return Math.min(count - 1, at + PAGE);
  return key === "PageUp" ? Math.max(0, at - PAGE) : null;
}

const PaletteKeys = (): JSX.Element => (
  <div class="palette-keys flex fs-12 text-2" aria-hidden="true">
    {[
      ["ArrowUp ArrowDown", "move"],
      ["Enter", "open"],
      ['"', "only what was said"],
      [">", "only commands"],
    ].map(([keys = "", does]) => (
      <span key={keys} class="inline gap-6">
        <KeyCaps keys={keys} />
        {does}
      </span>
    ))}
  </div>
);

export function ShortcutHelp(): JSX.Element {
  const client = useClient();
  const { preferences } = client.browser;
  const { singleKeys } = preferences.current.value;
  // Commands that only lack a pane at the moment are listed.
  const listed = COMMANDS.filter(
    ({ keys, able }) => keys !== undefined && able?.(client) !== false,
  );
  const groups = Map.groupBy(listed, ({ group }) => group);
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
          <span class={`switch rigid relative ${singleKeys ? "on" : ""}`} />
        </button>
      }
    >
      <div class="help-groups">
        {[...groups].map(([group, commands]) => (
          <section key={group}>
            <h3 class="mb-4 fs-12 bold text-3">{group}</h3>
            <dl>
              {commands.map(({ label, keys = "" }) => (
                <div key={label} class="help-line flex between gap-12">
                  <dt>{label}</dt>
                  <dd class="flex rigid gap-4">
                    <KeyCaps keys={keys} isListed />
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
