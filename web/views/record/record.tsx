import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { SeenAccessEvent, SeenAct } from "../../../src/protocol/tolerant-record.ts";
import {
  atOf,
  isAct,
  parseRecordFilter,
  recordHash,
  recordLines,
  type RecordFilter,
  type RecordLine,
  ActRecord,
} from "../../state/server/record.ts";
import { paneHash } from "../../state/browser/router.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Grants } from "../../state/server/grants.ts";
import { ChipSelect } from "../../ui/chips.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { RowParts } from "../../ui/row.tsx";
import { Section } from "../../ui/section.tsx";
import { common, timeOfDay } from "../../words/common.ts";
import { ListNotice, OlderButton } from "../agents/list.tsx";
import { useWatch } from "../agents/use.ts";
import { useDerived, useToday } from "../parts/derived.ts";
import { Head } from "../parts/head.tsx";
import { InnerLink } from "../parts/links.tsx";
import { Scroll } from "../parts/place.tsx";
import { Skeletons } from "../parts/skeletons.tsx";
import { TerminalText } from "../parts/text.tsx";
import { deviceIcon, isUsed } from "../settings/devices.tsx";
import { accessText, actText, fatesText, iconOf, isWrong, KINDS, whoText } from "./words.ts";
import { mayOf } from "../../words/scopes.ts";
import { dayText, daysBetween, whenText } from "../../words/times.ts";

function useRecordFilter(): RecordFilter {
  const { route } = useBrowser().router;
  return parseRecordFilter(route.value.screen === "record" ? route.value.query : "");
}

/** What was done, by whom, and what became of it: the newest first. */
export function RecordPage(): JSX.Element {
  const { layout } = useBrowser();
  const record = usePart(ActRecord);
  const filter = useRecordFilter();
  const list = record.list(filter);
  useWatch(list);
  useNewActs(() => list.invalidate());
  const today = useToday();
  const entries = list.items.value;
  const isNarrow = layout.columns.value === 1;
  const days = daysOf(recordLines(entries ?? []));
  const Lines = layout.columns.value === 3 ? LineTable : LineList;
  return (
    <main class="record" id="content" aria-label="Record">
      <Head
        title="Record"
        back={isNarrow ? { text: common.tabs.all } : null}
        end={!isNarrow && <Filters filter={filter} entries={entries ?? []} />}
      />
      {isNarrow && <Filters filter={filter} entries={entries ?? []} />}
      <Scroll list="record" isReached>
        <ListNotice list={list} isDown={false} />
        {entries === null && list.failure.value === null && <Skeletons />}
        {entries?.length === 0 && <Empty title="Nothing was done" isStatus />}
        {days.length > 0 && (
          <Lines
            days={days.map(({ at, lines }) => ({
              title: dayText(at, today),
              lines,
            }))}
          />
        )}
        <OlderButton list={list} />
        <p class="record-end text-3 fs-12">Of texts only the length is kept.</p>
      </Scroll>
    </main>
  );
}

/** Follows what is sent to panes: each tells its newest act. */
function useNewActs(onNew: () => void): void {
  const { panes } = useServer();
  const newest = useDerived(
    () => panes.all.value.map(({ act }) => (act ? `${act.key} ${act.state}` : "")).join(),
    [],
  );
  useEffect(onNew, [newest]);
}

interface Day {
  readonly title: string;
  readonly lines: readonly RecordLine[];
}

function daysOf(lines: readonly RecordLine[]): readonly { at: number; lines: RecordLine[] }[] {
  const days: { at: number; lines: RecordLine[] }[] = [];
  for (const line of lines) {
    const day = days.at(-1);
    if (day !== undefined && daysBetween(atOf(line), day.at) === 0) day.lines.push(line);
    else days.push({ at: atOf(line), lines: [line] });
  }
  return days;
}

/** A line as it is drawn, in a list or in a table. */
function useLine(line: RecordLine) {
  const { config, panes } = useServer();
  const fields = config.current.value?.fields;
  const nameOf = useNames(line.type === "act" ? line.acts : []);
  if (line.type === "access") {
    const { event } = line;
    return {
      mark: <Icon name={iconOf(event.kind)} class="small" />,
      saying: {
        text: accessText(event, (key) => fields?.find(({ live }) => live === key)?.label),
        code: "",
      },
      ...{ where: "", who: whoText(event), became: "", isBad: false, hash: null },
    };
  }
  const { acts } = line;
  const [first] = acts;
  const isBad = acts.some(isWrong);
  const isOver = acts.every(({ state }) => state === "confirmed" || state === "sent");
  const pane = panes.find(first.pane_id);
  return {
    mark: isBad ? (
      <Icon name="warning" class="small" />
    ) : first.kind === "broadcast" ? (
      <Icon name="broadcast" class="small" />
    ) : (
      <StatusIcon shape={isOver ? "ok" : "working"} />
    ),
    saying: actText(first, acts.length - 1),
    where: nameOf,
    who: first.by.name,
    became: fatesText(acts),
    isBad,
    hash: pane === null ? null : paneHash(first.pane_id),
  };
}

/** What the panes are called now; of those that are gone their place. */
function useNames(acts: readonly SeenAct[]): string {
  const { panes } = useServer();
  return useDerived(
    () =>
      acts
        .map(({ pane_id: id, target }) => panes.find(id)?.name ?? (target === "" ? "" : target))
        .filter((name) => name !== "")
        .join(", "),
    [acts],
  );
}

function What({ line }: { readonly line: ReturnType<typeof useLine> }): JSX.Element {
  const { text, code } = line.saying;
  return (
    <>
      <TerminalText text={text} />
      {code !== "" && (
        <code>
          <TerminalText text={code} dir="ltr" />
        </code>
      )}
    </>
  );
}

function LineList({ days }: { readonly days: readonly Day[] }): JSX.Element {
  return (
    <>
      {days.map(({ title, lines }) => (
        <Section key={lines[0]?.seq} title={title}>
          <ol class="timeline record-list">
            {lines.map((line) => (
              <ListLine key={line.seq} line={line} />
            ))}
          </ol>
        </Section>
      ))}
    </>
  );
}

function ListLine(props: { readonly line: RecordLine }): JSX.Element {
  const line = useLine(props.line);
  const { where, who, became, isBad, hash } = line;
  const by = props.line.type === "access" && !who.startsWith("from ") ? `by ${who}` : who;
  const parts = [where, by, isBad ? "" : became].filter((text) => text !== "");
  const inside = (
    <>
      <span class="event-title fs-15 anywhere">
        <What line={line} />
      </span>
      <span class="event-text to-start text-2 fs-13 prose anywhere">
        <TerminalText text={parts.join(" · ")} />
      </span>
      {isBad && <span class="event-text to-start bad text-2 fs-13 prose anywhere">{became}</span>}
    </>
  );
  return (
    <li data-at={props.line.seq}>
      <time class="numbers">{timeOfDay(atOf(props.line))}</time>
      <span class={`step-mark center relative text-3 ground ${isBad ? "bad" : ""}`}>
        {line.mark}
      </span>
      {hash === null ? (
        <div>{inside}</div>
      ) : (
        <InnerLink class="record-link" hash={hash} row={String(props.line.seq)}>
          {inside}
        </InnerLink>
      )}
    </li>
  );
}

function LineTable({ days }: { readonly days: readonly Day[] }): JSX.Element {
  return (
    <table class="record-table full">
      <thead>
        <tr>
          {["When", "What", "Where", "Who", "What became of it"].map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      {days.map(({ title, lines }) => (
        <tbody key={lines[0]?.seq}>
          <tr class="record-day">
            <th colSpan={5} scope="rowgroup">
              {title}
            </th>
          </tr>
          {lines.map((line) => (
            <TableLine key={line.seq} line={line} />
          ))}
        </tbody>
      ))}
    </table>
  );
}

function TableLine(props: { readonly line: RecordLine }): JSX.Element {
  const line = useLine(props.line);
  const { where, who, became, isBad, hash } = line;
  const what = (
    <>
      {line.mark}
      <span>
        <What line={line} />
      </span>
    </>
  );
  return (
    <tr data-at={props.line.seq}>
      <td class="numbers">{timeOfDay(atOf(props.line))}</td>
      <td>
        {hash === null ? (
          <span class="record-what text-1">{what}</span>
        ) : (
          <InnerLink class="record-what text-1" hash={hash} row={String(props.line.seq)}>
            {what}
          </InnerLink>
        )}
      </td>
      <td>
        <TerminalText text={where} />
      </td>
      <td>
        <TerminalText text={who} />
      </td>
      <td class={isBad ? "bad" : undefined}>{became}</td>
    </tr>
  );
}

/** What the list is narrowed to: a pane, a device, a kind. */
function Filters(props: {
  readonly filter: RecordFilter;
  readonly entries: readonly (SeenAct | SeenAccessEvent)[];
}): JSX.Element {
  const { filter, entries } = props;
  const { layout, router } = useBrowser();
  const server = useServer();
  const panes = useDerived(() => server.panes.all.value.map(({ id, name }) => [id, name]), []);
  const devices = useDevices(entries);
  const gone = entries.filter(isAct).map(({ pane_id: id, target }) => [id, target || id]);
  const kinds = Object.entries(KINDS).filter(
    ([kind]) =>
      kind !== "unknown" &&
      (server.may("own") || !/_(made|changed|removed|refused|added)$/.test(kind)),
  );
  const choice = (name: keyof RecordFilter, all: string, options: readonly string[][]) => {
    const chosen = filter[name];
    const known = options.map(([value = "", label = ""]) => [value, label] as const);
    // Of two by one name the later one holds.
    const labels = new Map([["", all], [chosen, chosen || all], ...known]);
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
      {choice("kind", "Every kind", kinds)}
    </div>
  );
}

/** Who is in the list, and whoever else is let in. */
function useDevices(entries: readonly (SeenAct | SeenAccessEvent)[]): [id: string, name: string][] {
  const server = useServer();
  const grants = usePart(Grants);
  useWatch(server.may("own") ? grants.all : null);
  const names = new Map(entries.map(({ by }) => [by.grant, by.name]));
  for (const grant of grants.all.value.value?.grants ?? [])
    if (names.has(grant.id) || isUsed(grant)) names.set(grant.id, grant.name);
  return [...names];
}

/** Beside the record: whose acts it shows. */
export function RecordDevices(): JSX.Element {
  const filter = useRecordFilter();
  const server = useServer();
  const grants = usePart(Grants);
  const list = usePart(ActRecord).list(filter);
  const devices = useDevices(list.items.value ?? []);
  const all = server.may("own") ? (grants.all.value.value?.grants ?? []) : [];
  const today = useToday();
  const isHere = useBrowser().router.sheet.value === null;
  return (
    <Section title="By device">
      <ul class="rows">
        {[["", "Every device"] as const, ...devices].map(([id, name]) => {
          const {
            scope,
            sockets = 0,
            last_used_at: at = null,
          } = all.find((one) => one.id === id) ?? {};
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
                      {sockets > 0 ? "now" : at !== null && whenText(at, today)}
                    </span>
                  }
                  second={scope && mayOf(scope)}
                />
              </InnerLink>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
