import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { countByAppearance, filterPanes, sortPanes } from "../../model/filter.ts";
import { appearanceOf, lastLine, waits, type Appearance, type Pane } from "../../model/pane.ts";
import { groupPanes, type Group } from "../../model/tree.ts";
import { useClient } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { common } from "../../words/common.ts";
import { all as words } from "../../words/lists.ts";
import { Row } from "../parts/row.tsx";
import { TerminalText } from "../parts/text.tsx";
import { PeekRow } from "./peek.tsx";
import { UnsentDrafts } from "./unsent.tsx";
import { SheetButton } from "../parts/sheet-button.tsx";

const CHIPS: readonly Appearance[] = [
  "needs_input",
  "error",
  "working",
  "idle",
  "stale",
  "offline",
];

/** Every pane: searched, filtered, grouped by session. */
export function AllPanes({ isNarrow }: { readonly isNarrow: boolean }): JSX.Element {
  const { config, layout, panes, preferences, router } = useClient();
  const [search, setSearch] = useState("");
  const [status, setStatus] = useState<Appearance | null>(null);
  const { sort, starsFirst } = preferences.current.value;
  const everything = panes.all.value;
  const found = sortPanes(filterPanes(everything, { words: search, status }), sort, starsFirst);
  const isSearching = search !== "" || status !== null;
  const clear = () => {
    setSearch("");
    setStatus(null);
  };
  return (
    <>
      <div class="search-line">
        <Search value={search} onChange={setSearch} count={everything.length} />
        <SheetButton
          icon="sort"
          class="filled"
          label={words.sort(words.sorts[sort])}
          opens="sort"
        />
      </div>
      {layout.columns.value < 3 && (
        <Chips panes={everything} chosen={status} onChoose={setStatus} />
      )}
      <UnsentDrafts />
      {everything.length === 0 && panes.isLoaded.value && (
        <div class="empty">
          <h2>{words.emptyTitle}</h2>
          <p>{words.emptyText}</p>
          {config.has("mux_create_v1") && (
            <Button onClick={() => router.show("create")}>{common.newSomething}</Button>
          )}
        </div>
      )}
      {everything.length > 0 && found.length === 0 && (
        <div class="empty" role="status">
          <h2>{words.noMatchTitle}</h2>
          <Button onClick={clear}>{words.clear}</Button>
        </div>
      )}
      {sort === "session" && !isNarrow && <WaitingFirst panes={found} />}
      {sort === "session" ? (
        groupPanes(isNarrow ? found : found.filter((pane) => !waits(pane))).map((group) => (
          <SessionGroup key={group.key} group={group} isOpen={isSearching} isNarrow={isNarrow} />
        ))
      ) : (
        <PaneList panes={found} isNarrow={isNarrow} />
      )}
    </>
  );
}

/** Beside a pane whoever waits stands above the sessions. */
function WaitingFirst({ panes }: { readonly panes: readonly Pane[] }): JSX.Element | null {
  const { queue } = useClient();
  const shown = new Map(panes.filter(waits).map((pane) => [pane.id, pane]));
  const waiting = queue.order.value.waiting.flatMap(({ id }) => shown.get(id) ?? []);
  if (waiting.length === 0) return null;
  return (
    <section>
      <h2 class="section">
        {words.waiting}
        <span class="section-count numbers">{waiting.length}</span>
      </h2>
      <PaneList panes={waiting} isNarrow={false} />
    </section>
  );
}

function Search(props: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly count: number;
}): JSX.Element {
  const { value, onChange, count } = props;
  return (
    <search class="field grow">
      <Icon name="search" />
      <input
        class="grow"
        type="search"
        aria-label={words.search(count)}
        placeholder={words.search(count)}
        value={value}
        data-filter
        onInput={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          if (value === "") event.currentTarget.blur();
          else onChange("");
        }}
      />
    </search>
  );
}

function Chips(props: {
  readonly panes: readonly Pane[];
  readonly chosen: Appearance | null;
  readonly onChoose: (status: Appearance | null) => void;
}): JSX.Element {
  const { panes, chosen, onChoose } = props;
  const counts = countByAppearance(panes);
  return (
    <div class="chips" role="group" aria-label={words.filters}>
      <button
        type="button"
        class={`chip ${chosen === null ? "on" : ""}`}
        aria-pressed={chosen === null}
        onClick={() => onChoose(null)}
      >
        {words.everything}
        <span class="chip-count numbers">{panes.length}</span>
      </button>
      {CHIPS.filter((status) => counts.has(status)).map((status) => (
        <button
          key={status}
          type="button"
          class={`chip ${chosen === status ? "on" : ""}`}
          aria-pressed={chosen === status}
          onClick={() => onChoose(chosen === status ? null : status)}
        >
          <StatusIcon shape={status} />
          {status === "needs_input" ? words.waiting : common.status[status]}
          <span class="chip-count numbers">{counts.get(status)}</span>
        </button>
      ))}
    </div>
  );
}

function SessionGroup(props: {
  readonly group: Group;
  /** While searching every group shows its matches. */
  readonly isOpen: boolean;
  readonly isNarrow: boolean;
}): JSX.Element {
  const { group, isOpen, isNarrow } = props;
  const { preferences } = useClient();
  const listId = useId();
  const { collapsed } = preferences.current.value;
  const isCollapsed = !isOpen && collapsed.includes(group.key);
  const toggle = () => {
    const others = collapsed.filter((key) => key !== group.key);
    preferences.set({ collapsed: isCollapsed ? others : [...others, group.key] });
  };
  const fallback = group.key === "cfg:" ? words.notRunning : words.noSession;
  return (
    <section class="group">
      <h2>
        <button
          type="button"
          class="group-title"
          aria-expanded={!isCollapsed}
          aria-controls={listId}
          onClick={toggle}
        >
          <Icon name="down" class={isCollapsed ? "turned" : ""} />
          <TerminalText text={group.label === "" ? fallback : group.label} class="truncate" />
          <span class="section-count numbers">{group.panes.length}</span>
          {group.waiting > 0 && (
            <span class="wait needs_input numbers">
              <StatusIcon shape="needs_input" label={words.waiting} />
              {group.waiting}
            </span>
          )}
        </button>
      </h2>
      <div id={listId}>{!isCollapsed && <PaneList panes={group.panes} isNarrow={isNarrow} />}</div>
    </section>
  );
}

function PaneList(props: {
  readonly panes: readonly Pane[];
  readonly isNarrow: boolean;
}): JSX.Element {
  const { panes, isNarrow } = props;
  return (
    <ul class={isNarrow ? "list" : "rows"}>
      {panes.map((pane) =>
        isNarrow ? (
          <PeekRow key={pane.id} pane={pane} />
        ) : (
          <Row key={pane.id} pane={pane} second={briefOf(pane)} />
        ),
      )}
    </ul>
  );
}

/** The one line that says most about a pane. */
export function briefOf(pane: Pane): string {
  if (appearanceOf(pane) === "offline") return words.configured;
  return waits(pane) && pane.question !== null ? pane.question : lastLine(pane);
}
