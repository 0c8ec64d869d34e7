import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Draft, placeKey } from "../../model/drafts.ts";
import {
  countByAppearance,
  filterPanes,
  groupByHost,
  groupPanes,
  hostOf,
  sortPanes,
} from "../../model/filter.ts";
import { type Appearance, type Pane, waits } from "../../model/pane.ts";
import { SORTS } from "../../state/browser/preferences.ts";
import { useBrowser, useClient, useServer } from "../../state/client.ts";
import type { Server } from "../../state/server/server.ts";
import { Button, IconButton, StatusIcon } from "../../ui/button.tsx";
import { Chips, RadioItem, SwitchItem } from "../../ui/item.tsx";
import { Empty } from "../../ui/notice.tsx";
import { SearchField } from "../../ui/field.tsx";
import { RowParts, Section } from "../../ui/list.tsx";
import { common, count as counted } from "../../words/common.ts";
import { HostChips, HostHeading } from "../hosts/hosts.tsx";
import { SessionsWithoutPane, PaneList, SessionGroup } from "./rows.tsx";
import { MessageResults } from "../search/messages.tsx";
import { useDerived } from "../parts/derived.ts";
import { SheetButton } from "../parts/links.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { copyText, TerminalText } from "../parts/text.tsx";

// The keys are those of the table.
const STATUSES = Object.keys(common.status) as Appearance[];
const SORT_WORDS = {
  session: "By session",
  waiting: "Waiting first",
  changed: "Last change",
  name: "By name",
};

export function AllPanes(): JSX.Element {
  const server = useServer();
  const { config, hosts, panes, queue, workspace } = server;
  const { layout, preferences, router } = useBrowser();
  const isNarrow = layout.columns.value === 1;
  const search = layout.listSearch.value;
  const setSearch = (words: string) => {
    layout.listSearch.value = words;
  };
  const [status, setStatus] = useState<Appearance | null>(null);
  const [machine, setMachine] = useState<string | null>(null);
  const { sort, starsFirst } = preferences.current.value;
  const count = useDerived(() => panes.all.value.length, []);
  const list = useDerived(() => {
    const matching = filterPanes(panesOn(machine, server), { words: search, status });
    const sorted = sortPanes(matching, sort, starsFirst);
    const hasWaitingFirst = sort === "session" && !isNarrow;
    return {
      ids: sorted.map((pane) => pane.id),
      // Beside a pane, waiting panes stand above the sessions, in the order of the queue.
      waiting: hasWaitingFirst
        ? queue.asking.value.filter((id) => sorted.some((pane) => pane.id === id && waits(pane)))
        : [],
      machines: groupByHost(
        hasWaitingFirst ? sorted.filter((pane) => !waits(pane)) : sorted,
        hosts.value,
      ).map(({ host, panes: its }) => ({ host, count: its.length, groups: groupPanes(its) })),
    };
  }, [search, status, machine, sort, starsFirst, isNarrow]);
  // Another list clears the search; Back from an opened result still shows it.
  useEffect(
    () => () => {
      if (router.route.peek().screen === "tab") setSearch("");
    },
    [],
  );
  const isNarrowed = status !== null || machine !== null;
  const asksSaid = search !== "" && !isNarrowed;
  const findsSaid = asksSaid && config.has("search_v1");
  const isSearching = search !== "" || status !== null;
  const clear = () => {
    setSearch("");
    setStatus(null);
    setMachine(null);
  };
  return (
    <>
      <div class="search-line flex gap-8">
        <SearchField
          label={`Search ${counted(count, "pane", "panes")}`}
          value={search}
          onChange={setSearch}
          isFilter
        />
        <SheetButton icon="sort" class="filled" label={`Sort: ${SORT_WORDS[sort]}`} opens="sort" />
        {config.has("act_ledger_v1") && (
          <IconButton
            icon="clock"
            class="filled"
            label="Record"
            onClick={() => router.go("#/record")}
          />
        )}
      </div>
      <HostChips chosen={machine} onChoose={setMachine} />
      {layout.columns.value < 3 && !findsSaid && (
        <StatusChips machine={machine} chosen={status} onChoose={setStatus} />
      )}
      <UnsentDrafts />
      {count === 0 && panes.isLoaded.value && (
        <Empty title="No panes yet" text="Start a terminal session and its panes appear here.">
          {config.has("mux_create_v1") && server.may("type") && (
            <Button onClick={() => router.show("create")}>New</Button>
          )}
        </Empty>
      )}
      {count > 0 && list.ids.length === 0 && (
        <Empty title="No match" role="status" isBrief={findsSaid}>
          <Button onClick={clear}>Clear</Button>
        </Empty>
      )}
      {list.waiting.length > 0 && (
        <Section title="Waiting" count={list.waiting.length}>
          <PaneList ids={list.waiting} />
        </Section>
      )}
      {sort === "session" ? (
        list.machines.map(({ host, count: its, groups }) => (
          <div key={host?.name} class={host === null ? undefined : "of-host"}>
            {host !== null && <HostHeading host={host} panes={its} />}
            {groups.map((group) => (
              <SessionGroup key={group.key} group={group} isOpen={isSearching} />
            ))}
          </div>
        ))
      ) : (
        <PaneList ids={list.ids} />
      )}
      {workspace.facts.value.step === "on" && !isNarrowed && (
        <SessionsWithoutPane search={search} />
      )}
      {findsSaid && <MessageResults search={search} />}
      {asksSaid && workspace.facts.value.step === "off" && (
        <p class="flex between gap-12 pad mt-8 fs-13 text-2">
          Agent workspace finds what was said.
          <Button tone="plain" class="nowrap" onClick={() => router.show("settings-workspace")}>
            Switch on
          </Button>
        </p>
      )}
    </>
  );
}

function panesOn(machine: string | null, { panes, hosts }: Server): readonly Pane[] {
  if (machine === null) return panes.all.value;
  return panes.all.value.filter((pane) => hostOf(pane, hosts.value)?.name === machine);
}

function StatusChips({
  machine,
  ...props
}: {
  readonly machine: string | null;
  readonly chosen: Appearance | null;
  readonly onChoose: (status: Appearance | null) => void;
}): JSX.Element {
  const server = useServer();
  const counted = useDerived(() => [...countByAppearance(panesOn(machine, server))], [machine]);
  const counts = new Map(counted);
  const all = counted.reduce((sum, [, n]) => sum + n, 0);
  return (
    <Chips
      {...props}
      label="Filter by status"
      all={{ label: "All", count: all }}
      chips={STATUSES.filter((status) => counts.has(status)).map((value) => ({
        value,
        label: common.status[value],
        mark: <StatusIcon shape={value} />,
        count: counts.get(value),
      }))}
    />
  );
}

export function SortSheet(): JSX.Element {
  const { preferences } = useBrowser();
  const { sort, starsFirst } = preferences.current.value;
  return (
    <Sheet title="Sort">
      <div class="set" role="radiogroup" aria-label="Sort">
        {SORTS.map((choice) => (
          <RadioItem
            key={choice}
            name="sort"
            label={SORT_WORDS[choice]}
            isChosen={choice === sort}
            onChoose={() => preferences.set({ sort: choice })}
          />
        ))}
      </div>
      <div class="set">
        <SwitchItem
          icon="star"
          label="Stars first"
          isOn={starsFirst}
          onChange={(on) => preferences.set({ starsFirst: on })}
        />
      </div>
    </Sheet>
  );
}

/** Drafts whose pane is gone: kept until they are discarded or expire. */
function UnsentDrafts(): JSX.Element | null {
  const client = useClient();
  const { connection, drafts, panes } = client.server;
  const places = useDerived(() => panes.all.value.map(placeKey), []);
  const unsent = useDerived(() => {
    void drafts.revision.value;
    return drafts.orphans(panes.all.peek());
  }, [places]);
  // Without a connection no panes are loaded: all drafts are listed then, so that none seems lost.
  if (!panes.isLoaded.value && connection.value.phase !== "offline") return null;
  if (unsent.length === 0) return null;
  return (
    <Section title="Unsent drafts" count={unsent.length}>
      <ul class="list">
        {unsent.map(({ key, target, draft }) => (
          <li key={key} class="row-item">
            <div class="row">
              <RowParts
                title={<TerminalText text={draft.name === "" ? target : draft.name} />}
                second={<TerminalText text={wordsOf(draft).join(" · ")} />}
                end={
                  <>
                    <IconButton
                      icon="copy"
                      label={`Copy the draft for ${draft.name}`}
                      onClick={() => copyText(client, wordsOf(draft).join("\n\n"))}
                    />
                    <Button
                      size="small"
                      aria-label={`Discard the draft for ${draft.name}`}
                      onClick={() => drafts.discard(key)}
                    >
                      Discard
                    </Button>
                  </>
                }
              />
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const wordsOf = ({ text, remarks, writing, edits }: Draft): string[] =>
  [
    text,
    ...remarks.map(({ words }) => words),
    writing?.words ?? "",
    ...Object.values(edits),
  ].filter((words) => words !== "");
