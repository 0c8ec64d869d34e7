import { writeSync } from "node:fs";
import { codeOf } from "../errors.ts";
import { blankControls } from "./words.ts";

/** Standard output takes nothing. */
export class PrintError extends Error {
  override readonly name = "PrintError";

  /** The reader has closed the pipe: that ends a command and is no fault. */
  get isUnread(): boolean {
    return codeOf(this.cause) === "EPIPE";
  }
}

/**
 * Writes everything before it returns. Making the stream `process.stdout` would take longer than a
 * short command does without it.
 * @throws PrintError
 */
export function print(text: string): void {
  try {
    writeWhole(1, text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new PrintError(`cannot print: ${why}`, { cause });
  }
}

/** One sentence on standard error; what cannot be written there is lost. */
export function complain(sentence: string): void {
  try {
    // It may quote what a pane shows. A bug has a stack, whose lines stay.
    writeWhole(2, `panewatch: ${sentence.replace(/[^\n]+/g, blankControls)}\n`);
  } catch {
    // There is no other place for it.
  }
}

function writeWhole(fd: number, text: string): void {
  for (let rest = Buffer.from(text); rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      // A program that shares the descriptor may have made it non-blocking.
      if (codeOf(error) !== "EAGAIN") throw error;
      Bun.sleepSync(1);
    }
  }
}
