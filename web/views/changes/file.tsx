import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";
import type { ChangedFile, DiffLine, FileChanges } from "../../../src/protocol/changes.ts";
import {
  isChange,
  lineKey,
  markedParts,
  lineNumber,
  placeRemarks,
  hunkRows,
  lineSide,
} from "../../model/changes.ts";
import type { Remark } from "../../model/drafts.ts";
import { useBrowser, usePart } from "../../state/client.ts";
import { ChangesPart } from "../../state/server/queries.ts";
import { Empty } from "../../ui/notice.tsx";
import { giveFocus } from "../../ui/focus.ts";
import { count } from "../../words/common.ts";
import { useWatch } from "../agents/use.ts";
import { QueryStatus } from "../parts/query-status.tsx";
import { TerminalText } from "../parts/text.tsx";
import { moveLine } from "./files.tsx";
import { RemarkBox, RemarkField, type Remarks } from "./remarks.tsx";

export function FileView(props: {
  readonly id: string;
  readonly file: ChangedFile;
  readonly top: string;
  readonly remarks: Remarks;
}): JSX.Element {
  const { id, file, top, remarks } = props;
  const query = usePart(ChangesPart).file(id, file);
  useWatch(query);
  const changes = query.value.value;
  if (changes === null) return <QueryStatus query={query} failed="The changes could not be read" />;
  const { astray } = placeRemarks(changes, remarks.all);
  const { writing } = remarks;
  const isLoose = writing !== null && placeRemarks(changes, [writing]).astray.length > 0;
  return (
    <>
      {isLoose && <RemarkField remarks={remarks} remark={writing} />}
      {astray.length > 0 && (
        <section class="astray" aria-label="The line has changed">
          {astray.map((remark) => (
            <RemarkBox key={remark.id} remark={remark} onRemove={() => remarks.remove(remark)} />
          ))}
        </section>
      )}
      {changes.named_only ? (
        <Empty
          title="Its lines are not shown"
          text="It is binary, very large, or a repository of its own."
        />
      ) : changes.hunks.length === 0 ? (
        <Empty title="No line of it has changed." />
      ) : (
        <Diff {...{ changes, top, remarks }} />
      )}
    </>
  );
}

function Diff(props: {
  readonly changes: FileChanges;
  readonly top: string;
  readonly remarks: Remarks;
}): JSX.Element {
  const { changes, top, remarks } = props;
  const browser = useBrowser();
  const diff = useRef<HTMLDivElement>(null);
  const { at } = placeRemarks(changes, remarks.all);
  const { writing } = remarks;
  const writtenAt = writing?.path === changes.path ? `${writing.side}${writing.line}` : null;
  const rows = hunkRows(changes.hunks);
  const lines = rows.flatMap((row) => (row.kind === "line" ? [row.line] : []));
  const write = (line: DiffLine, { id, words }: Pick<Remark, "id" | "words">) => {
    const where = {
      path: changes.path,
      side: lineSide(line),
      line: lineNumber(line),
      text: line.text,
    };
    remarks.write({ id, words, top, ...where });
  };
  const move = (from: string, step: number) => {
    const next = lines[lines.findIndex((line) => lineKey(line) === from) + step];
    if (next !== undefined && writing !== null) write(next, writing);
  };
  const focusLine = (key: string) =>
    giveFocus(
      diff.current?.querySelector<HTMLElement>(`[data-line="${CSS.escape(key)}"]`),
      diff.current,
    );
  return (
    <>
      <div
        ref={diff}
        class="diff"
        role="group"
        aria-label="Changed lines"
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (step === undefined || event.target instanceof HTMLTextAreaElement) return;
          event.preventDefault();
          moveLine(step > 0 ? 1 : -1);
        }}
      >
        {rows.map((row, i) => {
          if (row.kind === "gap")
            return (
              <p key={`gap ${i}`} class="diff-gap fs-13 text-2">
                {row.count > 0 && count(row.count, "unchanged line", "unchanged lines")}{" "}
                {row.heading !== "" && <TerminalText text={row.heading} class="mono" />}
              </p>
            );
          const { line } = row;
          const key = lineKey(line);
          const before = rows[i - 1];
          const isInChange = before?.kind === "line" && isChange(before.line);
          return (
            <Line
              key={key}
              line={line}
              isFirst={before?.kind !== "line"}
              change={isInChange ? "" : "first"}
              isRemarked={at.has(key)}
              onRemark={() => write(line, { id: browser.uuid(), words: "" })}
            >
              {at
                .get(key)
                ?.filter((remark) => remark.id !== writing?.id)
                .map((remark) => (
                  <RemarkBox
                    key={remark.id}
                    remark={remark}
                    onEdit={() => write(line, remark)}
                    onRemove={() => remarks.remove(remark)}
                  />
                ))}
              {writing !== null && writtenAt === key && writing.text === line.text && (
                <RemarkField
                  remarks={remarks}
                  remark={writing}
                  onMove={(step) => move(key, step)}
                  onDone={() => focusLine(key)}
                />
              )}
            </Line>
          );
        })}
      </div>
      {remarks.all.length === 0 && writtenAt === null && (
        <p class="mt-12 gutter hint">Tap a line to remark on it. All go as one message.</p>
      )}
    </>
  );
}

function Line(props: {
  readonly line: DiffLine;
  readonly isFirst: boolean;
  /** Its place in its change, if it is one. */
  readonly change: "" | "first";
  readonly isRemarked: boolean;
  readonly onRemark: () => void;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { line, isFirst, change, isRemarked, onRemark, children } = props;
  const kind = !isChange(line) ? "" : line.new === null ? "removed" : "added";
  return (
    <>
      <button
        type="button"
        class={`diff-line flex start full to-start text-1 ${kind} ${isRemarked ? "remarked" : ""}`}
        data-line={lineKey(line)}
        data-change={isChange(line) ? change : undefined}
        tabIndex={isFirst ? 0 : -1}
        onClick={onRemark}
      >
        <span class="diff-number rigid to-end numbers text-3">{lineNumber(line)}</span>
        <span class="diff-sign rigid" aria-hidden="true">
          {{ added: "+", removed: "−", "": "" }[kind]}
        </span>
        {kind !== "" && <span class="visually-hidden">{kind}: </span>}
        <span class="grow lines" dir="ltr">
          {markedParts(line).map(({ isMarked, text }, i) => (
            <TerminalText key={i} class={isMarked ? "word" : ""} text={text} dir="ltr" />
          ))}
        </span>
      </button>
      {children}
    </>
  );
}
