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

/** What one line says of a pane: the command or file that it asks for, else its question, else its last words. */
export const aboutOf = (pane: Pane): string => pane.about?.text ?? lastLine(pane);

/** The line that tells what the pane does, else the newest one that says something. */
export function lastLine(pane: Pane): string {
  if (pane.about?.kind === "text") return pane.about.text;
  if (pane.status === "working" && pane.evidence[0] !== undefined) return pane.evidence[0].trim();
  // Its screen ends with its input line and a footer, which say nothing.
  if (pane.status === "idle" && isAgent(pane)) return "";
  const said = pane.preview.findLast((line) => /[\p{L}\p{N}]/u.test(line));
  return (said ?? pane.preview.at(-1) ?? "").trim();
}

/** Whether a message to this pane waits until its agent is free, and is not typed at once. */
export function mustWait(pane: Pane): boolean {
  if (!isAgent(pane) || isGuarded(pane) || !canWrite(pane)) return false;
  const { queued } = pane;
  // What was written before leaves before.
  const hasOthers = queued !== null && !queued.lost && queued.count > 0;
  // Own words of an option are written in that option; what asks for a line is answered at once.
  const isBusy = pane.status === "working" || isParked(pane) || asks(pane);
  return isBusy || (hasOthers && pane.status === "idle");
}

export const isStoppable = (pane: Pane): boolean =>
  isAgent(pane) && !isGuarded(pane) && canWrite(pane) && pane.status === "working";

/**
 * The pane to answer after `id`, or before it: one on in the order of waiting, around its end; from a
 * pane that does not wait the longest waiting one. Null when nobody else waits.
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

/** What a newer server says of a pane in a word that is not known here; such a pane takes nothing. */
export function unknownWord(pane: Pane): string | null {
  if (appearanceOf(pane) === "unknown")
    return `Status “${pane.raw_status ?? pane.status}” is unknown to this version. Read only.`;
  return pane.kind === "unknown"
    ? `Kind “${pane.raw_kind ?? pane.kind}” is unknown to this version. Read only.`
    : null;
}
