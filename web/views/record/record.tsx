import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import {
  ActRecord,
  type Entry,
  isAct,
  parseRecordFilter,
  recordHash,
  type RecordFilter,
  recordLines,
} from "../../state/server/record.ts";
import { ChipSelect } from "../../ui/item.tsx";
import { Empty } from "../../ui/notice.tsx";
import { Icon } from "../../ui/button.tsx";
import { RowParts, Section } from "../../ui/list.tsx";
import { common } from "../../words/common.ts";
import { mayOf } from "../../words/scopes.ts";
import { dayText, whenText } from "../../words/times.ts";
import { useWatch } from "../agents/use.ts";
import { QueryStatus, OlderButton } from "../parts/query-status.tsx";
import { Head } from "../parts/head.tsx";
import { InnerLink } from "../parts/links.tsx";
import { Banner } from "../parts/screen-header.tsx";
import { Scroll } from "../parts/scroll.tsx";
import { useDerived, useToday } from "../parts/derived.ts";
import { deviceIcon, isUsed, useGrantsQuery, useWatchGrants } from "../settings/devices.tsx";
import { kindsFor, RecordRow } from "./line.tsx";

/** The newest first; a table where there is room. */
export function RecordPage(): JSX.Element {
  const { layout } = useBrowser();
  const filter = useRecordFilter();
  const list = usePart(ActRecord).list(filter);
  useWatch(list);
  useNewActs(() => list.invalidate());
  const today = useToday();
  const entries = list.items.value;
  const columns = layout.columns.value;
  const filters = <Filters filter={filter} entries={entries ?? []} />;
  const days = [...Map.groupBy(recordLines(entries ?? []), ([{ at }]) => dayText(at, today))];
  return (
    <main class="stack fills ground" id="content" aria-label="Record">
      <Head
        title="Record"
        back={columns === 1 ? { text: common.tabs.all } : null}
        end={columns > 1 && filters}
      />
      {columns === 1 && <Banner />}
      {columns === 1 && filters}
      <Scroll list="record" isReached>
        <QueryStatus query={list} />
        {entries?.length === 0 && <Empty title="Nothing was done" role="status" />}
        {columns < 3 &&
          days.map(([day, lines]) => (
            <Section key={day} title={day}>
              <ol class="record-list">
                {lines.map((line) => (
                  <RecordRow key={line[0].seq} line={line} />
                ))}
              </ol>
            </Section>
          ))}
        {columns === 3 && days.length > 0 && (
          <table class="record-table full text-2">
            <thead>
              <tr>
                {["When", "What", "Where", "Who", "What became of it"].map((title) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            {days.map(([day, lines]) => (
              <tbody key={day}>
                <tr class="record-day">
                  <th colSpan={5} scope="rowgroup">
                    {day}
                  </th>
                </tr>
                {lines.map((line) => (
                  <RecordRow key={line[0].seq} line={line} isRow />
                ))}
              </tbody>
            ))}
          </table>
        )}
        <OlderButton list={list} />
        <p class="list-end fs-12 text-3">Of texts only the length is kept.</p>
      </Scroll>
    </main>
  );
}

/** Calls `onNew` for each act that is sent to a pane: a pane carries its newest one. */
function useNewActs(onNew: () => void): void {
  const { panes } = useServer();
  const newest = useDerived(
    () => panes.all.value.map(({ act }) => (act ? `${act.key} ${act.state}` : "")).join(),
    [],
  );
  useEffect(onNew, [newest]);
}

function useRecordFilter(): RecordFilter {
  const { route } = useBrowser().router;
  return parseRecordFilter(route.value.screen === "record" ? route.value.query : "");
}

function Filters(props: {
  readonly filter: RecordFilter;
  readonly entries: readonly Entry[];
}): JSX.Element {
  const { filter, entries } = props;
  const { layout, router } = useBrowser();
  const server = useServer();
  const panes = useDerived(() => server.panes.all.value.map(({ id, name }) => [id, name]), []);
  const devices = useDevices(entries);
  const gone = entries.filter(isAct).map(({ pane_id: id, target }) => [id, target || id]);
  const choice = (
    name: keyof RecordFilter,
    all: string,
    options: readonly (readonly string[])[],
  ) => {
    const chosen = filter[name];
    const labelled = options.map(([value = "", label = ""]) => [value, label] as const);
    // Later labels replace earlier ones of the same value.
    const labels = new Map([["", all], [chosen, chosen || all], ...labelled]);
    return (
      <ChipSelect
        label={all}
        options={[...labels]}
        chosen={chosen}
        onChoose={(value) => router.replace(recordHash({ ...filter, [name]: value }))}
      />
    );
  };
  return (
    <div class="record-filters flex gap-8" role="group" aria-label="Filter">
      {choice("pane", "Every pane", [...gone, ...panes])}
      {layout.columns.value === 1 && choice("by", "Every device", devices)}
      {choice("kind", "Every kind", kindsFor(server.may("own")))}
    </div>
  );
}

/** The devices in the list, and all others that are let in. */
function useDevices(entries: readonly Entry[]): [id: string, name: string][] {
  const server = useServer();
  const letIn = useGrantsQuery();
  useWatchGrants(server.may("own") ? letIn : null);
  const names = new Map(entries.map(({ by }) => [by.grant, by.name]));
  for (const grant of letIn.value.value?.grants ?? [])
    if (names.has(grant.id) || isUsed(grant)) names.set(grant.id, grant.name);
  return [...names];
}

export function RecordDevices(): JSX.Element {
  const filter = useRecordFilter();
  const list = usePart(ActRecord).list(filter);
  const devices = useDevices(list.items.value ?? []);
  const grants = useGrantsQuery().value.value?.grants;
  const today = useToday();
  const isHere = useBrowser().router.sheet.value === null;
  return (
    <Section title="By device">
      <ul class="rows">
        {[["", "Every device"] as const, ...devices].map(([id, name]) => {
          const grant = grants?.find((one) => one.id === id);
          const at = grant?.last_used_at ?? null;
          return (
            <li key={id}>
              <InnerLink
                class={`row ${id === filter.by ? "selected" : ""}`}
                hash={recordHash({ ...filter, by: id })}
                isShown={isHere && id === filter.by}
              >
                <RowParts
                  lead={<Icon name={id === "" ? "clock" : deviceIcon(name)} />}
                  title={name}
                  titleEnd={
                    <span class="row-time numbers">
                      {grant?.sockets ? "now" : at !== null && whenText(at, today)}
                    </span>
                  }
                  second={grant && mayOf(grant.scope)}
                />
              </InnerLink>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
