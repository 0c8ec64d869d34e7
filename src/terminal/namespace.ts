import { AppError } from "../errors.ts";

/** The number of a pane is its machine's number times this plus tmux's own number. */
const IDS_PER_MACHINE = 1_000_000;

/** tmux takes %01 for %1: under a second name a pane would have a second lock and a second guard. */
export const isTmuxPaneId = (id: string): boolean => /^%(0|[1-9]\d*)$/.test(id);

/** Number of the machine of a pane; 0 is this one. */
export function machineNumberOf(id: string): number {
  return isTmuxPaneId(id) ? Math.floor(Number(id.slice(1)) / IDS_PER_MACHINE) : 0;
}

/** As `machineNumberOf`, by the identity of a pane. */
export const machineNumberIn = (identity: string): number =>
  Number(/^(\d+)!/.exec(identity)?.[1] ?? 0);

export const isLocalPane = (id: string): boolean => machineNumberOf(id) === 0;

/**
 * The tmux of every machine numbers its panes from 0. Outside the tmux provider, pane n of machine k is
 * `%<k·1000000+n>` and its target begins with the name of the machine. This machine has the number 0:
 * its ids and targets are those of tmux.
 */
export class Namespace {
  constructor(
    /** From 1 on; never given to another name. */
    readonly number: number,
    readonly name: string,
  ) {}

  /** False also for an id past the first million of its server: it lies in another machine's range. */
  has(id: string): boolean {
    return this.number === 0 ? isTmuxPaneId(id) : machineNumberOf(id) === this.number;
  }

  id(own: string): string {
    return `%${this.number * IDS_PER_MACHINE + Number(own.slice(1))}`;
  }

  /** The id that tmux on that machine knows. */
  ownId(id: string): string {
    if (this.number === 0) return id;
    if (!this.has(id)) throw new Error(`${id} is no pane of machine ${this.number}`);
    return `%${Number(id.slice(1)) % IDS_PER_MACHINE}`;
  }

  identity(own: string): string {
    return this.number === 0 ? own : `${this.number}!${own}`;
  }

  /** @throws AppError `invalid` `pane_gone` where the machine was removed while the caller waited */
  ownIdentity(identity: string): string {
    if (machineNumberIn(identity) === this.number) return identity.slice(this.identity("").length);
    const reason = "the machine of this pane is not watched any more";
    throw new AppError("invalid", reason, { reason, code: "pane_gone" });
  }

  /** The name outside of a target, a session id or a window id. */
  place(own: string): string {
    return this.number === 0 ? own : `${this.name}:${own}`;
  }
}

export const THIS_MACHINE = new Namespace(0, "");
