import type { Limits, RunOptions, RunResult } from "../../lib/run.ts";

export type TmuxCommand = readonly string[];

/** Commands one after another, until one fails. */
export type CommandLine = readonly TmuxCommand[];

/** As arguments of the executable, where `;` ends a command. */
export function argumentsOf(line: CommandLine): string[] {
  return line.flatMap((command, index) => [
    ...(index === 0 ? [] : [";"]),
    ...command.map((argument) => argument.replace(/;$/, "\\;")),
  ]);
}

/**
 * As tmux reads lines from a file: no limit of arguments or bytes holds there. tmux runs what was
 * cut off inside a word as if it had ended there; an open `%if` is an error, and nothing is run.
 */
export function scriptOf(lines: readonly CommandLine[]): string {
  const commands = (line: CommandLine) => line.map((command) => command.map(quote).join(" "));
  const text = lines.map((line) => `${commands(line).join(" ; ")}\n`).join("");
  return `%if 1\n${text}%endif\n`;
}

/** What tmux would expand between double quotes, or break at, is written as its octal code. */
function quote(argument: string): string {
  return `"${argument.replace(/[\x00-\x1f\x7f"\\$~]/g, octal)}"`;
}

/** The ASCII characters of a text, each as tmux reads it between double quotes. */
export function octal(text: string): string {
  return [...text].map((char) => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`).join("");
}

/**
 * What runs the commands of one tmux server, wherever that is: all that differs from machine to
 * machine. Both throw RunError: `not_found` where nothing was run, anything else where that is not
 * known.
 */
export interface Tmux {
  /** As `tmux -V` says it: `3.3a`, `next-3.6`, `master`; null while nobody could ask. */
  readonly version: string | null;
  /** Null where it is not on this machine. */
  readonly socket: string | null;
  /** Rows of screens that are captured in one go, so that one wide pane cannot hold up a pass. */
  readonly batchRows: number;
  /**
   * What frames a listing: nobody can print it in advance. Where it is the same again, an answer
   * that has not changed need not travel.
   */
  newMark(): string;
  /**
   * The cheapest way for a short line without secrets: other users of the machine may read it. A server
   * that it starts here inherits `env`; absent: as this process, whose `TMUX` and `TMUX_TMPDIR` choose
   * the server.
   */
  run(line: CommandLine, options: Limits & Pick<RunOptions, "env">): Promise<RunResult>;
  /** Any number of lines, which nobody else can read; tmux goes on behind one that fails, and leaves with 1. */
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
