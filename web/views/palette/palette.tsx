import { count } from "../../words/common.ts";
import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { placeOf, waits } from "../../model/pane.ts";
import { shapeOfAgent } from "../../model/lifecycle.ts";
import { markFound } from "../../model/search.ts";
import { agentHash } from "../../state/browser/router.ts";
import { useClient, type Client } from "../../state/client.ts";
import { Broadcast } from "../../state/server/broadcast.ts";
import { Icon } from "../../ui/icons.tsx";
import { palette as words } from "../../words/commands.ts";
import { HostChip } from "../hosts/hosts.tsx";
import { KeyCaps } from "../parts/key-caps.tsx";
import { TerminalText } from "../parts/text.tsx";
import { Tile, AgentTile } from "../parts/tile.tsx";
import { Wait } from "../parts/wait.tsx";
import { useWatch } from "../agents/use.ts";
import { readQuery, resultsFor, type Result } from "./results.ts";

import { SaidRow } from "../said/row.tsx";
import { useSaid } from "../said/use.ts";
import { Sheet } from "../parts/sheet.tsx";
import { Empty } from "../../ui/empty.tsx";

const PAGE = 8;
const PALETTE = { role: null, after: null, limit: 8 };

/** Finds a pane or a command by a few letters; the keyboard stays in the field. */
export function Palette(): JSX.Element {
  const client = useClient();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const query = readQuery(text);
  const said = useSaid(query.said, PALETTE);
  const groups = resultsFor(query, client, said);
  // Asked for while the palette is open: agents are found by their names.
  useWatch(client.server.workspace.current.value?.agents ?? null);
  const results = groups.flatMap((group) => group.results);
  const active = Math.min(chosen, results.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [active, text]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const next = moveBy(event.key, active, results.length);
    if (next !== null) setChosen(next);
    else if (event.key === "Enter") open(client, results[active]);
    else return;
    event.preventDefault();
  };
  let index = 0;
  return (
    <Sheet kind="palette" title="Search or run" initialFocus={field} footer={<PaletteKeys />}>
      <div class="palette-field flex rigid gap-12 fs-17">
        <Icon name="search" />
        <input
          ref={field}
          class="grow"
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
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
        />
        <KeyCaps keys="Escape" />
      </div>
      <p class="visually-hidden" role="status">
        {words.found(results.length)}
      </p>
      {results.length === 0 && <Empty title="Nothing matches" text="Try fewer letters." isBrief />}
      <div
        ref={list}
        class="rows palette-list scrolls"
        id={`${id}-list`}
        role="listbox"
        aria-label="Results"
      >
        {groups.map((group, g) => (
          <div key={group.title} role="group" aria-labelledby={`${id}-group-${g}`}>
            <div class="section" id={`${id}-group-${g}`} role="presentation">
              {group.title}
            </div>
            {group.results.map((result) => {
              const at = index++;
              return (
                <div
                  key={keyOf(result)}
                  id={`${id}-${at}`}
                  class={`row ${at === active ? "selected" : ""}`}
                  role="option"
                  aria-selected={at === active}
                  onPointerMove={() => setChosen(at)}
                  onClick={() => open(client, result)}
                >
                  <ResultRow result={result} sought={query.words} />
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

function keyOf(result: Result): string {
  if (result.kind === "pane") return result.pane.id;
  if (result.kind === "agent") return `agent ${result.agent.id}`;
  if (result.kind === "page") return result.name;
  if (result.kind === "said") return `said ${result.find.id}`;
  if (result.kind === "all") return "all that was said";
  return result.kind === "command" ? result.command.label : result.kind;
}

function open(client: Client, result: Result | undefined): void {
  if (result === undefined) return;
  const broadcast = client.server.part(Broadcast);
  const { layout, router } = client.browser;
  router.close(() => {
    if (result.kind === "pane") return router.goPane(result.pane.id);
    if (result.kind === "command") return result.command.run?.(client);
    if (result.kind === "agent") return router.go(agentHash(result.agent.id));
    if (result.kind === "page") return router.show(result.name);
    if (result.kind === "said") return router.go(agentHash(result.find.agent_id, result.find.id));
    if (result.kind === "all") {
      layout.searched.value = result.q;
      return router.goTab("all");
    }
    broadcast.choose(result.ids);
    router.show("broadcast");
  });
}

function ResultRow(props: {
  readonly result: Result;
  readonly sought: readonly string[];
}): JSX.Element {
  const { result, sought } = props;
  if (result.kind === "broadcast")
    return (
      <>
        <Icon name="broadcast" />
        <span class="grow">Broadcast to the matches</span>
        <span class="palette-end flex grow gap-8 fs-13 text-2 numbers">
          {`${result.ids.length} of ${count(result.found, "pane", "panes")}`}
        </span>
      </>
    );
  if (result.kind === "command")
    return (
      <>
        <Icon name={result.command.icon ?? "next"} />
        <span class="grow">
          <Found text={result.command.label} sought={sought} />
        </span>
        {result.command.keys !== undefined && <KeyCaps keys={result.command.keys} />}
      </>
    );
  if (result.kind === "said") return <SaidRow said={result} />;
  if (result.kind === "all")
    return (
      <>
        <Icon name="search" />
        <span class="grow">All that was said</span>
      </>
    );
  if (result.kind === "page")
    return (
      <>
        <Icon name="sliders" />
        <Found text={result.title} sought={sought} />
      </>
    );
  if (result.kind === "agent") {
    const shape = shapeOfAgent(result.agent, result.pane);
    return (
      <>
        <AgentTile agent={result.agent} shape={shape} size="small" />
        <span class="palette-name rigid truncate">
          <Found text={result.name} sought={sought} />
        </span>
      </>
    );
  }
  const { pane } = result;
  return (
    <>
      <Tile pane={pane} status size="small" />
      <span class="palette-name rigid truncate">
        <Found text={pane.name} sought={sought} />
      </span>
      <span class="palette-end flex grow gap-8 fs-13 text-2 truncate">
        {waits(pane) ? (
          <>
            <HostChip pane={pane} />
            <span class="truncate">
              <TerminalText text={pane.question ?? ""} />
            </span>
            <Wait pane={pane} />
          </>
        ) : (
          <span class="truncate">
            <HostChip pane={pane} />
            {placeOf(pane).map((label, i) => (
              <span key={i}>
                {i > 0 && " › "}
                <Found text={label} sought={sought} />
              </span>
            ))}
          </span>
        )}
      </span>
    </>
  );
}

/** Untrusted text with what was found in it set bold. */
function Found(props: { readonly text: string; readonly sought: readonly string[] }): JSX.Element {
  return (
    <span class="untrusted" dir="auto">
      {markFound(props.text, props.sought).map(({ text, isFound }, i) =>
        isFound ? (
          <b key={i}>
            <TerminalText text={text} />
          </b>
        ) : (
          <TerminalText key={i} text={text} />
        ),
      )}
    </span>
  );
}

function PaletteKeys(): JSX.Element {
  return (
    <div class="palette-keys fs-12 text-2" aria-hidden="true">
      <span>
        <KeyCaps keys="ArrowUp ArrowDown" />
        move
      </span>
      <span>
        <KeyCaps keys="Enter" />
        open
      </span>
      <span class="palette-only">
        <KeyCaps keys='"' />
        only what was said
      </span>
      <span>
        <KeyCaps keys=">" />
        only commands
      </span>
    </div>
  );
}
