import { sinceOf } from "../../src/protocol/waiting.ts";
import {
  appearanceOf,
  asks,
  canWrite,
  isAgent,
  isGuarded,
  isParked,
  waits,
  type Pane,
} from "./pane.ts";

/** The command or file that a pane asks about, else its question, else its last line. */
export const aboutOf = (pane: Pane): string => pane.about?.text ?? lastLine(pane);

/** The line that says what the pane is doing, else the newest line with words. */
export function lastLine(pane: Pane): string {
  if (pane.about?.kind === "text") return pane.about.text;
  if (pane.status === "working" && pane.evidence[0] !== undefined) return pane.evidence[0].trim();
  // The screen of an idle agent ends with its input line and a footer.
  if (pane.status === "idle" && isAgent(pane)) return "";
  const said = pane.preview.findLast((line) => /[\p{L}\p{N}]/u.test(line));
  return (said ?? pane.preview.at(-1) ?? "").trim();
}

/** Whether a message is queued on the server until the agent is free, instead of typed at once. */
export function mustWait(pane: Pane): boolean {
  if (!isAgent(pane) || isGuarded(pane) || !canWrite(pane)) return false;
  const { queued } = pane;
  // Earlier messages go first.
  const hasOthers = queued !== null && !queued.lost && queued.count > 0;
  // A prompt without options takes the message as its answer.
  const isBusy = pane.status === "working" || isParked(pane) || asks(pane);
  return isBusy || (hasOthers && pane.status === "idle");
}

export const isStoppable = (pane: Pane): boolean =>
  isAgent(pane) && !isGuarded(pane) && canWrite(pane) && pane.status === "working";

/**
 * The next or previous waiting pane, longest wait first and wrapping around; from a pane that does
 * not wait, the longest waiting one. Null when nobody else waits.
 */
export function nextWaiting(
  panes: readonly Pane[],
  id: string | null,
  step: 1 | -1 = 1,
): Pane | null {
  const order = panes.filter(waits).toSorted((a, b) => sinceOf(a) - sinceOf(b));
  const at = order.findIndex((pane) => pane.id === id);
  const start = at < 0 && step < 0 ? 0 : at;
  const next = order.at((start + step) % order.length) ?? null;
  return next?.id === id ? null : next;
}

/** Explains a status or kind that is unknown here; such a pane is read only. */
export function unknownWord(pane: Pane): string | null {
  if (appearanceOf(pane) === "unknown")
    return `Status “${pane.raw_status ?? pane.status}” is unknown to this version. Read only.`;
  return pane.kind === "unknown"
    ? `Kind “${pane.raw_kind ?? pane.kind}” is unknown to this version. Read only.`
    : null;
}
