import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { MAX_REMARK, sortedRemarks, type Remark } from "../../model/drafts.ts";
import { useServer } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { giveFocus } from "../../ui/focus.ts";
import { common } from "../../words/common.ts";
import { usePane } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";
import { WriteText } from "../parts/write-text.tsx";

/** Remarks on the lines of one work tree are part of the draft of its pane. */
export interface Remarks {
  readonly all: readonly Remark[];
  /** The one that is being written. It outlives its line, its file and the page that shows them. */
  readonly writing: Remark | null;
  readonly write: (remark: Remark | null) => void;
  /** Adds it, or replaces the one with its id, and ends the writing. */
  readonly keep: (remark: Remark) => void;
  readonly remove: (remark: Remark) => void;
}

/** `top` is null where the work tree is not known yet. */
export function useRemarks(paneId: string, top: string | null): Remarks {
  const { drafts } = useServer();
  const pane = usePane(paneId).value;
  const { remarks = [], writing = null } = pane === null ? {} : drafts.of(pane).value;
  const set = (change: Parameters<typeof drafts.set>[1]) => {
    if (pane !== null) drafts.set(pane, change);
  };
  const without = ({ id }: Remark) => remarks.filter((one) => one.id !== id);
  return {
    all: remarks.filter((one) => one.top === top),
    writing: writing?.top === top ? writing : null,
    write: (remark) => set({ writing: remark }),
    keep: (remark) => {
      const at = remarks.findIndex(({ id }) => id === remark.id);
      const kept = at < 0 ? [...remarks, remark] : remarks.with(at, remark);
      set({ remarks: kept, writing: null });
    },
    remove: (remark) => set({ remarks: without(remark) }),
  };
}

/** Below its line. Without `onEdit` its line has changed, and is named. */
export function RemarkBox(props: {
  readonly remark: Remark;
  readonly onEdit?: () => void;
  readonly onRemove: () => void;
}): JSX.Element {
  const { remark, onEdit, onRemove } = props;
  return (
    <div class="remark flex gap-4 accent-tint">
      <p class="grow">
        {onEdit === undefined && (
          <span class="grid fs-12 text-2">
            The line has changed: {`Line ${remark.line}`},{" "}
            <TerminalText text={remark.text.trim()} class="mono" />
          </span>
        )}
        <span class="lines" dir="auto">
          {remark.words}
        </span>
      </p>
      {onEdit !== undefined && <IconButton icon="pencil" label="Edit" onClick={onEdit} />}
      <IconButton icon="trash" label="Delete" onClick={onRemove} />
    </div>
  );
}

/** Without `onMove` its line has changed. */
export function RemarkField(props: {
  readonly remarks: Remarks;
  readonly remark: Remark;
  readonly onMove?: (step: number) => void;
  readonly onDone?: () => void;
}): JSX.Element {
  const { remarks, remark, onMove, onDone } = props;
  const words = remark.words.trim();
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => giveFocus(field.current, field.current?.closest(".diff")), []);
  const cancel = () => {
    remarks.write(null);
    onDone?.();
  };
  const keep = () => {
    if (words === "") return;
    remarks.keep({ ...remark, words });
    onDone?.();
  };
  return (
    <div class="remark-field surface">
      <div class="flex">
        <b class="grow numbers">
          {onMove === undefined && "The line has changed: "}
          {`Line ${remark.line}`}
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
        value={remark.words}
        onInput={(written) => remarks.write({ ...remark, words: written })}
        onSend={keep}
        onEscape={cancel}
        area={{ maxLength: MAX_REMARK }}
      />
      <div class="actions">
        <Button onClick={cancel}>{common.cancel}</Button>
        <Button tone="primary" disabled={words === ""} onClick={keep}>
          {remarks.all.some(({ id }) => id === remark.id) ? "Save" : "Add"}
        </Button>
      </div>
    </div>
  );
}

export function RemarkList({ remarks }: { readonly remarks: readonly Remark[] }): JSX.Element {
  return (
    <ul class="remark-list ruled">
      {sortedRemarks(remarks).map(({ id, path, line, words }) => (
        <li key={id}>
          <span class="grid fs-12 mono text-2">
            <TerminalText text={`${path}:${line}`} />
          </span>
          <span class="lines" dir="auto">
            {words}
          </span>
        </li>
      ))}
    </ul>
  );
}
