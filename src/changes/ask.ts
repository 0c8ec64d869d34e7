import { AppError } from "../errors.ts";
import { run, RunError, type RunResult } from "../lib/run.ts";

export const TIME_LIMIT_MS = 10_000;
export const MAX_LIST_BYTES = 8 * 1024 * 1024;

/** In every environment: no pager, no question, no lock, and no words in another language. */
export const QUIET = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
};

/** Where git is now, or null. */
export function findGit(): string | null {
  return Bun.which("git", { PATH: process.env.PATH ?? "" });
}

interface Asking {
  /** The whole environment. */
  env: Record<string, string | undefined>;
  signal: AbortSignal;
  maxBytes: number;
  cwd?: string;
}

/**
 * One call of git, which may fail.
 * @throws AppError timed_out, too_large; conflict where it cannot be started there
 */
export async function askGit(argv: readonly string[], asking: Asking): Promise<RunResult> {
  try {
    return await run(argv, { ...asking, timeoutMs: TIME_LIMIT_MS });
  } catch (cause) {
    if (!(cause instanceof RunError)) throw cause;
    if (cause.kind === "too_large")
      throw new AppError("too_large", "there is more of it than is shown", undefined, { cause });
    if (cause.kind === "not_found") throw unreadable("git cannot be started", cause.message);
    const limit = `git did not answer within ${TIME_LIMIT_MS / 1000} s`;
    throw new AppError("timed_out", limit, undefined, { cause });
  }
}

/** @param cause goes to the log alone: it may name files */
export function unreadable(why: string, cause?: unknown): AppError {
  const message = `this repository cannot be read: ${why}`;
  return new AppError("conflict", message, { reason: "unreadable", message }, { cause });
}

export function noGit(): AppError {
  const message = "the folder of this pane is in no git work tree";
  return new AppError("conflict", message, { reason: "no_git", message });
}

export function elsewhere(): AppError {
  const message = "this pane is on another machine: what changed there is not known here";
  return new AppError("conflict", message, { reason: "other_machine", message });
}

export function noBase(): AppError {
  const message = "there is no main branch that this one has left";
  return new AppError("conflict", message, { reason: "no_base", message });
}

export function notChanged(): AppError {
  return new AppError("not_found", "this file has not changed, or is not there");
}
