import { AppError } from "../errors.ts";

/** Ids of tmux's own below this; the rest of a number says which host. */
const IDS_PER_HOST = 1_000_000;

/** tmux takes %01 for %1: a pane with a second name would have a second lock, and a second guard. */
export const isTmuxPaneId = (id: string): boolean => /^%(0|[1-9]\d*)$/.test(id);

/** Number of the host that an id belongs to; 0 is this machine. */
export function hostNumberOf(id: string): number {
  return isTmuxPaneId(id) ? Math.floor(Number(id.slice(1)) / IDS_PER_HOST) : 0;
}

/** Whether an id of that machine's own leaves room for the number of its host. */
export function hasOuterId(inner: string): boolean {
  return Number(inner.slice(1)) < IDS_PER_HOST;
}

export function outerId(host: number, inner: string): string {
  return `%${host * IDS_PER_HOST + Number(inner.slice(1))}`;
}

/** The id of that machine's own behind one that is this host's. */
export function innerId(host: number, outer: string): string {
  if (hostNumberOf(outer) !== host) throw new Error(`${outer} is no pane of host ${host}`);
  return `%${Number(outer.slice(1)) % IDS_PER_HOST}`;
}

/** For an action on a machine that is away: nothing was written to it. */
export function hostAway(name: string, cause?: Error): AppError {
  const detail = {
    reason: "host_away",
    code: "host_away",
    host: name,
    message: `${name} is away; nothing was sent.`,
  };
  return new AppError("conflict", `the host ${name} is away`, detail, { cause });
}
