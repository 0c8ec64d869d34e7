import type { Changes } from "../../../src/protocol/changes.ts";
import type { Remark } from "../../model/drafts.ts";
import { useServer } from "../../state/client.ts";
import { usePane } from "../parts/derived.ts";

/** The remarks on the lines of one work tree; they are part of the draft of its pane. */
export interface Remarks {
  readonly all: readonly Remark[];
  /** The one that is being written. It outlives its line, its file and the page that shows them. */
  readonly writing: Remark | null;
  readonly write: (remark: Remark | null) => void;
  /** Adds it, or puts it in the place of the one with its id; it is being written no more. */
  readonly keep: (remark: Remark) => void;
  readonly remove: (id: string) => void;
}

export function useRemarks(paneId: string, { top }: Changes): Remarks {
  const { drafts } = useServer();
  const pane = usePane(paneId).value;
  const draft = pane === null ? null : drafts.of(pane).value;
  const kept = draft?.remarks ?? [];
  const set = (change: Parameters<typeof drafts.set>[1]) => {
    if (pane !== null) drafts.set(pane, change);
  };
  return {
    all: kept.filter((one) => one.top === top),
    writing: draft?.writing?.top === top ? draft.writing : null,
    write: (writing) => set({ writing }),
    keep: (remark) => {
      const isKnown = kept.some(({ id }) => id === remark.id);
      const remarks = isKnown
        ? kept.map((one) => (one.id === remark.id ? remark : one))
        : [...kept, remark];
      set({ remarks, writing: null });
    },
    remove: (id) => set({ remarks: kept.filter((one) => one.id !== id) }),
  };
}
