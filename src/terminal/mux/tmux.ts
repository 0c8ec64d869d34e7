import type { Limits, RunOptions, RunResult } from "../../lib/run.ts";

export type TmuxCommand = readonly string[];

/** Commands that run one after another until one fails. */
export type CommandLine = readonly TmuxCommand[];

/** Arguments of the executable, where `;` ends a command. */
export function argumentsOf(line: CommandLine): string[] {
  return line.flatMap((command, index) => [
    ...(index === 0 ? [] : [";"]),
    ...command.map((argument) => argument.replace(/;$/, "\\;")),
  ]);
}

/**
 * Lines of a file for `source-file`, which has no limit of arguments or bytes. tmux would run a script
 * that was cut off inside a word as if it ended there; with an `%if` left open it runs nothing.
 */
export function scriptOf(lines: readonly CommandLine[]): string {
  const commands = (line: CommandLine) => line.map((command) => command.map(quote).join(" "));
  const text = lines.map((line) => `${commands(line).join(" ; ")}\n`).join("");
  return `%if 1\n${text}%endif\n`;
}

/** Characters that tmux expands between double quotes, or breaks at, are written as octal codes. */
function quote(argument: string): string {
  return `"${argument.replace(/[\x00-\x1f\x7f"\\$~]/g, octal)}"`;
}

/** ASCII text as octal codes, which tmux reads between double quotes. */
export function octal(text: string): string {
  return [...text].map((char) => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`).join("");
}

/**
 * Runs the commands of one tmux server, on this machine or another one. `run` and `feed` throw RunError:
 * `not_found` where nothing was run, any other kind where that is not known.
 */
export interface Tmux {
  /** As in `tmux -V`: `3.3a`, `next-3.6`, `master`; null while it is not known. */
  readonly version: string | null;
  /** Null where it is not on this machine. */
  readonly socket: string | null;
  /** The most rows that are captured by one command, so that a wide pane cannot hold up a pass. */
  readonly batchRows: number;
  /**
   * Frames a listing; no program can print it in advance. A link uses one mark for all its listings, so
   * that an unchanged answer is the same bytes and need not travel again.
   */
  newMark(): string;
  /**
   * The cheapest way for a short line without secrets: other users of the machine may read it. A server
   * that it starts inherits `env`, by default the environment of this process; `TMUX` and `TMUX_TMPDIR`
   * in it choose the server.
   */
  run(line: CommandLine, options: Limits & Pick<RunOptions, "env">): Promise<RunResult>;
  /** Any number of lines, which nobody else can read. tmux goes on after one that fails, and exits with 1. */
  feed(lines: readonly CommandLine[], limits: Limits): Promise<RunResult>;
  /**
   * Feeds the lines only where the screen is the expected one, else prints `refused`. Absent on this
   * machine, where reading the screen before a send costs little.
   */
  feedWhere?(
    expected: ExpectedScreen,
    lines: readonly CommandLine[],
    limits: Limits,
  ): Promise<RunResult>;
}

export interface ExpectedScreen {
  read: CommandLine;
  /** Ends with what `read` prints, from the beginning of a line on, as long as nothing has changed. */
  output: string;
}
