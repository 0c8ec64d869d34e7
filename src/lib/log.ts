export type LogLevel = "info" | "warn" | "error";

/** One line per event on stderr. Callers pass no secrets: no tokens, no full request targets. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  /** With the stack of `cause` when it is an Error. */
  error(message: string, cause?: unknown): void;
}

export function createLog(write: (line: string) => void = writeStderr): Log {
  const line = (level: LogLevel, message: string) =>
    write(`${new Date().toISOString()} ${level} ${oneLine(message)}\n`);
  return {
    info: (message) => line("info", message),
    warn: (message) => line("warn", message),
    error(message, cause) {
      line("error", message);
      if (cause instanceof Error) write(`${cause.stack ?? cause.message}\n`);
    },
  };
}

function writeStderr(line: string): void {
  process.stderr.write(line);
}

// Names and messages from outside must not forge a log line of their own.
function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ");
}
