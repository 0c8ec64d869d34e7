import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { paneHash } from "../../state/browser/router.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { ActRecord, atOf, recordLines, type RecordLine } from "../../state/server/record.ts";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Section } from "../../ui/section.tsx";
import { common, timeOfDay } from "../../words/common.ts";
import { dayText } from "../../words/times.ts";
import { useWatch } from "../agents/use.ts";
import { Asked, OlderButton } from "../parts/asked.tsx";
import { useDerived } from "../parts/derived.ts";
import { useToday } from "../parts/today.ts";
import { Head } from "../parts/head.tsx";
import { InnerLink } from "../parts/links.tsx";
import { Scroll } from "../parts/place.tsx";
import { TerminalText } from "../parts/text.tsx";
import { Filters, useRecordFilter } from "./filters.tsx";
import { actSays, eventSays, fatesText, isWrong, type Saying } from "./words.ts";

/** What was done, by whom, and what became of it: the newest first. A table where there is room. */
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
  const days = [...Map.groupBy(recordLines(entries ?? []), (line) => dayText(atOf(line), today))];
  return (
    <main class="stack fills ground" id="content" aria-label="Record">
      <Head
        title="Record"
        back={columns === 1 ? { text: common.tabs.all } : null}
        end={columns > 1 && filters}
      />
      {columns === 1 && filters}
      <Scroll list="record" isReached>
        <Asked query={list} />
        {entries?.length === 0 && <Empty title="Nothing was done" isStatus />}
        {columns < 3 &&
          days.map(([day, lines]) => (
            <Section key={day} title={day}>
              <ol class="timeline record-list">
                {lines.map((line) => (
                  <Line key={line.seq} line={line} />
                ))}
              </ol>
            </Section>
          ))}
        {columns === 3 && days.length > 0 && (
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
            {days.map(([day, lines]) => (
              <tbody key={day}>
                <tr class="record-day">
                  <th colSpan={5} scope="rowgroup">
                    {day}
                  </th>
                </tr>
                {lines.map((line) => (
                  <Line key={line.seq} line={line} isRow />
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

/** Follows what is sent to panes: each tells its newest act. */
function useNewActs(onNew: () => void): void {
  const { panes } = useServer();
  const newest = useDerived(
    () => panes.all.value.map(({ act }) => (act ? `${act.key} ${act.state}` : "")).join(),
    [],
  );
  useEffect(onNew, [newest]);
}

interface Drawn {
  readonly mark: JSX.Element;
  readonly saying: Saying;
  readonly where: string;
  readonly who: string;
  readonly became: string;
  readonly isBad: boolean;
  /** Its pane, where there still is one. */
  readonly hash: string | null;
}

function useDrawn(line: RecordLine): Drawn {
  const { config, panes } = useServer();
  const acts = line.type === "act" ? line.acts : [];
  // What the panes are called now; of those that are gone their place.
  const where = useDerived(
    () =>
      acts
        .map(({ pane_id: id, target }) => panes.find(id)?.name ?? target)
        .filter((name) => name !== "")
        .join(", "),
    [line],
  );
  if (line.type === "access") {
    const { kind, what, by } = line.event;
    const fields = config.current.value?.fields;
    const { icon, text } = eventSays(
      line.event,
      (key) => fields?.find(({ live }) => live === key)?.label,
    );
    return {
      mark: <Icon name={icon} class="small" />,
      saying: [text],
      who: kind === "sign_refused" ? `from ${what}` : by.name,
      ...{ where, became: "", isBad: false, hash: null },
    };
  }
  const [first] = line.acts;
  const isBad = acts.some(isWrong);
  const isOver = acts.every(({ state }) => state === "confirmed" || state === "sent");
  const icon = isBad ? "warning" : first.kind === "broadcast" ? "broadcast" : null;
  return {
    mark:
      icon === null ? (
        <StatusIcon shape={isOver ? "ok" : "working"} />
      ) : (
        <Icon name={icon} class="small" />
      ),
    saying: actSays(first, acts.length),
    who: first.by.name,
    became: fatesText(acts),
    hash: panes.find(first.pane_id) === null ? null : paneHash(first.pane_id),
    ...{ where, isBad },
  };
}

/** One line, as an item of a list or the row of a table. */
function Line(props: { readonly line: RecordLine; readonly isRow?: boolean }): JSX.Element {
  const { line, isRow = false } = props;
  const { mark, saying, where, who, became, isBad, hash } = useDrawn(line);
  const [text, code = ""] = saying;
  const time = timeOfDay(atOf(line));
  const what = (
    <span class={isRow ? undefined : "event-title own-line fs-15 anywhere"}>
      <TerminalText text={text} />
      {code !== "" && (
        <code>
          <TerminalText text={code} dir="ltr" />
        </code>
      )}
    </span>
  );
  const look = isRow ? "record-what text-1" : "record-link";
  const linked = (parts: JSX.Element) => {
    if (hash === null) return <div class={look}>{parts}</div>;
    return (
      <InnerLink class={look} hash={hash} row={String(line.seq)}>
        {parts}
      </InnerLink>
    );
  };
  if (isRow)
    return (
      <tr data-at={line.seq}>
        <td class="numbers">{time}</td>
        <td>
          {linked(
            <>
              {mark}
              {what}
            </>,
          )}
        </td>
        {[where, who].map((told, i) => (
          <td key={i}>
            <TerminalText text={told} />
          </td>
        ))}
        <td class={isBad ? "text-error" : undefined}>{became}</td>
      </tr>
    );
  const by = line.type === "access" && !who.startsWith("from ") ? `by ${who}` : who;
  const told = [where, by, isBad ? "" : became].filter((part) => part !== "");
  return (
    <li data-at={line.seq}>
      <time class="numbers">{time}</time>
      <span class={`step-mark center relative ${isBad ? "text-error" : "text-3"} ground`}>
        {mark}
      </span>
      {linked(
        <>
          {what}
          <span class="own-line fs-13 prose text-2 anywhere">
            <TerminalText text={told.join(" · ")} />
          </span>
          {isBad && <span class="own-line fs-13 prose text-error anywhere">{became}</span>}
        </>,
      )}
    </li>
  );
}
