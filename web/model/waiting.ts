import type { MessageList } from "../../src/protocol/queue.ts";
import { asks, canWrite, isAgent, isGuarded, isParked, type Pane } from "./pane.ts";

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

/** What says that the lists have changed: their revisions, and who of them is not listed any more. */
export function listsKey(panes: readonly Pane[], lists: readonly MessageList[]): string {
  const revisions = panes.flatMap(({ id, queued }) => (queued ? [`${id} ${queued.revision}`] : []));
  if (lists.length === 0) return revisions.join("\n");
  const listed = new Set(panes.map(({ id }) => id));
  const missing = lists.filter(({ id, lost }) => lost === null && !listed.has(id));
  return [...revisions, ...missing.map(({ id }) => `${id} gone`)].join("\n");
}
