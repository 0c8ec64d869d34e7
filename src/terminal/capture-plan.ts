import type { ListedPane } from "./provider.ts";

/** A pane is captured at least so often, whatever the listing says of it. */
export const SWEEP_SECONDS = 5;

/** When and at which mark a pane was captured last. */
export interface LastCapture {
  /** Epoch seconds before the capture began. */
  at: number;
  mark: string;
  captureLines: number;
  hasFailed: boolean;
}

/**
 * Whether the screen may differ from the last capture. The activity time is in whole seconds and
 * of the whole window: output in the second of the capture counts as later.
 */
export function mayHaveChanged(
  pane: ListedPane,
  last: LastCapture | undefined,
  captureLines: number,
): boolean {
  if (!last || last.hasFailed || last.captureLines !== captureLines) return true;
  return pane.mark !== last.mark || pane.activity === 0 || pane.activity >= last.at - 1;
}
