import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { MAX_REMARK, sortedRemarks, type Remark } from "../../model/drafts.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { common } from "../../words/common.ts";
import { WriteText } from "../parts/write-field.tsx";
import { TerminalText } from "../parts/text.tsx";
import { giveFocus } from "../../ui/focus.ts";
import type { Remarks } from "./use.ts";

/** A remark that was added, below its line. */
export function RemarkBox(props: {
  readonly remark: Remark;
  readonly isAstray?: boolean;
  readonly onEdit?: () => void;
  readonly onRemove: () => void;
}): JSX.Element {
  const { remark, isAstray = false, onEdit, onRemove } = props;
  return (
    <div class="remark">
      <p class="grow">
        {isAstray && (
          <span class="remark-place">
            The line has changed: {`Line ${remark.line}`},{" "}
            <TerminalText text={remark.text.trim()} class="mono" />
          </span>
        )}
        <span class="remark-words" dir="auto">
          {remark.words}
        </span>
      </p>
      {onEdit !== undefined && <IconButton icon="pencil" label="Edit" onClick={onEdit} />}
      <IconButton icon="trash" label="Delete" onClick={onRemove} />
    </div>
  );
}

/** Where a remark is written: its head names the line and moves it, or says that it has changed. */
export function RemarkField(props: {
  readonly remarks: Remarks;
  readonly remark: Remark;
  readonly onMove?: (step: number) => void;
  /** The field has gone. */
  readonly onDone?: () => void;
}): JSX.Element {
  const { remarks, remark, onMove, onDone = () => {} } = props;
  const { line, words: text } = remark;
  const isKnown = remarks.all.some(({ id }) => id === remark.id);
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => giveFocus(field.current, field.current?.closest(".diff")), []);
  const done = () => {
    remarks.write(null);
    onDone();
  };
  const keep = () => {
    if (text.trim() === "") return;
    remarks.keep({ ...remark, words: text.trim() });
    onDone();
  };
  return (
    <div class="remark-field">
      <div class="remark-head">
        <b class="grow numbers">
          {onMove === undefined && "The line has changed: "}
          {`Line ${line}`}
        </b>
        {onMove !== undefined && (
          <>
            <IconButton icon="up" label="The line above" onClick={() => onMove(-1)} />
            <IconButton icon="down" label="The line below" onClick={() => onMove(1)} />
          </>
        )}
      </div>
      <WriteText
        field={field}
        label="Your remark"
        value={text}
        onInput={(written) => remarks.write({ ...remark, words: written })}
        onSend={keep}
        onEscape={done}
        area={{ maxLength: MAX_REMARK }}
      />
      <div class="actions">
        <Button onClick={done}>{common.cancel}</Button>
        <Button tone="primary" disabled={text.trim() === ""} onClick={keep}>
          {isKnown ? "Save" : "Add"}
        </Button>
      </div>
    </div>
  );
}

/** All remarks of a work tree, beside the lines. */
export function RemarkList({ remarks }: { readonly remarks: readonly Remark[] }): JSX.Element {
  return (
    <ul class="remark-list">
      {sortedRemarks(remarks).map((remark) => (
        <li key={remark.id}>
          <span class="mono remark-place">
            <TerminalText text={`${remark.path}:${remark.line}`} />
          </span>
          <span class="remark-words" dir="auto">
            {remark.words}
          </span>
        </li>
      ))}
    </ul>
  );
}
