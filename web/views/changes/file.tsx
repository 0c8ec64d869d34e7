import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { ChangedFile, Changes, DiffLine } from "../../../src/protocol/changes.ts";
import {
  isChange,
  keyOf,
  markedPieces,
  numberOf,
  placed,
  rowsOf,
  sideOf,
  type DiffRow,
} from "../../model/changes.ts";
import type { Remark } from "../../model/drafts.ts";
import { useBrowser, usePart } from "../../state/client.ts";
import { ChangesPart } from "../../state/server/changes.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Untrusted } from "../../ui/text.tsx";
import { common, count } from "../../words/common.ts";
import { useWatch } from "../agents/use.ts";
import { Skeletons } from "../parts/skeletons.tsx";
import { TerminalText } from "../parts/text.tsx";
import { moveLine } from "./keys.ts";
import { RemarkBox, RemarkField } from "./remarks.tsx";
import { useRemarks } from "./use.ts";
import { giveFocus } from "../../ui/focus.ts";

/** The changed lines of one file, with what was remarked on them. A tap on a line begins a remark. */
export function FileView(props: {
  readonly id: string;
  readonly file: ChangedFile;
  readonly found: Changes;
}): JSX.Element {
  const { id, file, found } = props;
  const part = usePart(ChangesPart);
  const browser = useBrowser();
  const query = part.file(id, file);
  useWatch(query);
  const diff = useRef<HTMLDivElement>(null);
  const told = query.value.value;
  const remarks = useRemarks(id, found);
  const writing = remarks.writing?.path === file.path ? remarks.writing : null;
  const loose = writing && <RemarkField remarks={remarks} remark={writing} />;
  if (told === null) {
    if (query.failure.value === null) return <Skeletons />;
    return (
      <Empty title="The changes could not be read" isStatus>
        <Button onClick={() => void query.reload()}>{common.retry}</Button>
      </Empty>
    );
  }
  if (told.named_only)
    return (
      <>
        {loose}
        <Empty
          title="Its lines are not shown"
          text="It is binary, very large, or a repository of its own."
        />
      </>
    );
  if (told.hunks.length === 0)
    return (
      <>
        {loose}
        <Empty title="No line of it has changed." />
      </>
    );
  const { at, astray } = placed(told, remarks.all);
  const isLoose = writing !== null && placed(told, [writing]).astray.length > 0;
  const writtenAt = writing === null || isLoose ? null : `${writing.side}${writing.line}`;
  const rows = rowsOf(told.hunks);
  const lines = rows.flatMap((row) => (row.kind === "line" ? [row.line] : []));
  const remove = (remark: Remark) => remarks.remove(remark.id);
  const write = (line: DiffLine, remark: Pick<Remark, "id" | "words">) => {
    const { id, words: said } = remark;
    const where = { path: told.path, side: sideOf(line), line: numberOf(line), text: line.text };
    remarks.write({ id, words: said, top: found.top, ...where });
  };
  const move = (from: string, step: number) => {
    const next = lines[lines.findIndex((line) => keyOf(line) === from) + step];
    if (next !== undefined && writing !== null) write(next, writing);
  };
  return (
    <>
      {isLoose && loose}
      {astray.length > 0 && (
        <section class="astray" aria-label="The line has changed">
          {astray.map((remark) => (
            <RemarkBox key={remark.id} remark={remark} isAstray onRemove={() => remove(remark)} />
          ))}
        </section>
      )}
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
        {rows.map((row, i) => (
          <RowOf
            key={row.kind === "line" ? keyOf(row.line) : `gap ${i}`}
            row={row}
            isFirst={i === 0 || rows[i - 1]?.kind === "gap"}
          >
            {(line) => {
              const key = keyOf(line);
              return {
                onRemark: () => write(line, { id: browser.uuid(), words: "" }),
                isRemarked: at.has(key),
                below: (
                  <>
                    {at
                      .get(key)
                      ?.filter((remark) => remark.id !== writing?.id)
                      .map((remark) => (
                        <RemarkBox
                          key={remark.id}
                          remark={remark}
                          onEdit={() => write(line, remark)}
                          onRemove={() => remove(remark)}
                        />
                      ))}
                    {writing !== null && writtenAt === key && (
                      <RemarkField
                        remarks={remarks}
                        remark={writing}
                        onMove={(step) => move(key, step)}
                        onDone={() => focusLine(diff.current, key)}
                      />
                    )}
                  </>
                ),
              };
            }}
          </RowOf>
        ))}
      </div>
      {remarks.all.length === 0 && writing === null && (
        <p class="hint">Tap a line to remark on it. All go as one message.</p>
      )}
    </>
  );
}

interface LineOf {
  readonly onRemark: () => void;
  readonly isRemarked: boolean;
  readonly below: JSX.Element;
}

function RowOf(props: {
  readonly row: DiffRow;
  readonly isFirst: boolean;
  readonly children: (line: DiffLine) => LineOf;
}): JSX.Element {
  const { row, isFirst, children } = props;
  if (row.kind === "gap")
    return (
      <p class="diff-gap">
        {row.count > 0 && count(row.count, "unchanged line", "unchanged lines")}{" "}
        {row.heading !== "" && <TerminalText text={row.heading} class="mono" />}
      </p>
    );
  const { line } = row;
  const { onRemark, isRemarked, below } = children(line);
  const kind = !isChange(line) ? "" : line.new === null ? "removed" : "added";
  return (
    <>
      <button
        type="button"
        class={`diff-line ${kind} ${isRemarked ? "remarked" : ""}`}
        data-line={keyOf(line)}
        data-change={isChange(line) ? "" : undefined}
        tabIndex={isFirst ? 0 : -1}
        onClick={onRemark}
      >
        <span class="diff-number numbers">{numberOf(line)}</span>
        <span class="diff-sign" aria-hidden="true">
          {kind === "added" ? "+" : kind === "removed" ? "−" : ""}
        </span>
        {kind !== "" && (
          <span class="visually-hidden">{kind === "added" ? "added" : "removed"}: </span>
        )}
        <span class="diff-text" dir="ltr">
          {markedPieces(line).map(({ isMarked, pieces }, i) => (
            <Untrusted key={i} class={isMarked ? "word" : ""} pieces={pieces} dir="ltr" />
          ))}
        </span>
      </button>
      {below}
    </>
  );
}

function focusLine(diff: HTMLElement | null, key: string): void {
  giveFocus(diff?.querySelector<HTMLElement>(`[data-line="${CSS.escape(key)}"]`), diff);
}
