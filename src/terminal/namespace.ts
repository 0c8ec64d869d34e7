import { AppError } from "../errors.ts";

/** Ids of tmux's own below this; the rest of a number says which machine. */
const IDS_PER_MACHINE = 1_000_000;

/** tmux takes %01 for %1: a pane with a second name would have a second lock, and a second guard. */
export const isTmuxPaneId = (id: string): boolean => /^%(0|[1-9]\d*)$/.test(id);

/** Number of the machine that an id belongs to; 0 is this one. */
export function machineNumberOf(id: string): number {
  return isTmuxPaneId(id) ? Math.floor(Number(id.slice(1)) / IDS_PER_MACHINE) : 0;
}

/** As `machineNumberOf`, by the identity of a pane. */
export const machineNumberIn = (identity: string): number =>
  Number(/^(\d+)!/.exec(identity)?.[1] ?? 0);

/** What is on this machine can be read here. */
export const isLocalPane = (id: string): boolean => machineNumberOf(id) === 0;

/**
 * The tmux of every machine numbers its panes from 0. Outside the tmux provider a pane of machine k
 * is `%<k·1000000+n>` and its target begins with the name of its machine; those of this machine, whose
 * number is 0, are tmux's own.
 */
export class Namespace {
  constructor(
    /** Given out once for each name, from 1 on. */
    readonly number: number,
    readonly name: string,
  ) {}

  /** A server that has given out a million ids has those of the next machine in its range. */
  has(id: string): boolean {
    return this.number === 0 ? isTmuxPaneId(id) : machineNumberOf(id) === this.number;
  }

  id(own: string): string {
    return `%${this.number * IDS_PER_MACHINE + Number(own.slice(1))}`;
  }

  /** The id that tmux there knows. */
  ownId(id: string): string {
    if (this.number === 0) return id;
    if (!this.has(id)) throw new Error(`${id} is no pane of machine ${this.number}`);
    return `%${Number(id.slice(1)) % IDS_PER_MACHINE}`;
  }

  identity(own: string): string {
    return this.number === 0 ? own : `${this.number}!${own}`;
  }

  /** @throws AppError `invalid` `pane_gone` for one of a machine that was let go while it waited */
  ownIdentity(identity: string): string {
    if (machineNumberIn(identity) === this.number) return identity.slice(this.identity("").length);
    const reason = "the machine of this pane is not watched any more";
    throw new AppError("invalid", reason, { reason, code: "pane_gone" });
  }

  /** Of a target, a session or a window. */
  place(own: string): string {
    return this.number === 0 ? own : `${this.name}:${own}`;
  }
}

export const THIS_MACHINE = new Namespace(0, "");
