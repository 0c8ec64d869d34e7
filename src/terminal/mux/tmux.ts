import type { RunResult } from "../../lib/run.ts";
import type { CommandLine } from "./script.ts";

export interface Limits {
  timeoutMs: number;
  /** Most bytes of stdout that are read; more is `too_large`. */
  maxBytes: number;
  signal?: AbortSignal;
}

/**
 * What runs the commands of one tmux server, wherever that is: all that differs from machine to
 * machine. Both throw RunError: `not_found` where nothing was run, anything else where that is not
 * known.
 */
export interface Tmux {
  /** As `tmux -V` says it: `3.3a`, `next-3.6`, `master`; null while nobody could ask. */
  readonly version: string | null;
  readonly executable: string;
  /** Null where it is not on this machine. */
  readonly socket: string | null;
  /** Rows of screens that are captured in one go, so that one wide pane cannot hold up a pass. */
  readonly batchRows: number;
  /**
   * What frames a listing: nobody can print it in advance. Where it is the same again, an answer
   * that has not changed need not travel.
   */
  newMark(): string;
  /** The cheapest way for a short line without secrets: other users of the machine may read it. */
  run(line: CommandLine, limits: Limits): Promise<RunResult>;
  /**
   * Any number of lines, which nobody else can read. tmux goes on with the next line after one that
   * fails, and leaves with 1 then.
   */
  feed(lines: readonly CommandLine[], limits: Limits): Promise<RunResult>;
  /**
   * Feeds them only where the screen is the one that was seen, and prints `refused` where it is not.
   * Absent where a look before it costs little.
   */
  feedWhere?(seen: SeenScreen, lines: readonly CommandLine[], limits: Limits): Promise<RunResult>;
}

export interface SeenScreen {
  look: CommandLine;
  /** Ends with what the look prints, from the beginning of a line on, as long as nothing has changed. */
  said: string;
}
