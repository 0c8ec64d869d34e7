import { lazy } from "./lazy.ts";
import { blankControls } from "./words.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

/** `quiet` logs what needs a person, `normal` actions and refusals too. */
export const VERBOSITIES = ["quiet", "normal", "debug"] as const;
type Verbosity = (typeof VERBOSITIES)[number];

const LEVELS: Readonly<Record<Verbosity, readonly LogLevel[]>> = {
  quiet: ["warn", "error"],
  normal: ["info", "warn", "error"],
  debug: ["debug", "info", "warn", "error"],
};

/** One line per event on stderr. Callers pass no secrets: no tokens, no full request targets. */
export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string, cause?: unknown): void;
}

export function createLog(
  write: (line: string) => void = writeStderr,
  verbosity: Verbosity = "normal",
): Log {
  const line = (level: LogLevel, message: string) => {
    // A name or message from outside must neither forge a line nor act on a terminal.
    if (LEVELS[verbosity].includes(level))
      write(`${new Date().toISOString()} ${level} ${blankControls(message)}\n`);
  };
  return {
    debug: (message) => line("debug", message),
    info: (message) => line("info", message),
    warn: (message) => line("warn", message),
    error(message, cause) {
      const isPlain = cause === undefined || cause instanceof Error;
      line("error", isPlain ? message : `${message}: ${String(cause)}`);
      // Indented, so that no line of it, which may quote outsiders, is taken for another event.
      const stack = cause instanceof Error ? (cause.stack ?? cause.message) : null;
      if (stack !== null)
        write(`${stack.replace(/[^\n]+/g, (text) => `  ${blankControls(text)}`)}\n`);
    },
  };
}

const MAX_CAUSES = 3;
const MAX_CAUSE_CHARS = 300;

/** The causes of an error, nearest first, as the end of a log line. */
export function causesOf(error: Error): string {
  const causes: string[] = [];
  for (let cause = error.cause; cause !== undefined && causes.length < MAX_CAUSES;) {
    causes.push(String(cause instanceof Error ? cause.message : cause).slice(0, MAX_CAUSE_CHARS));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return causes.map((cause) => `: ${cause}`).join("");
}

/** Lazy: a start without a line is a fifth shorter. */
const stderr = lazy(() => process.stderr.on("error", () => undefined));

function writeStderr(line: string): void {
  stderr().write(line);
}
