import { writeSync } from "node:fs";
import { codeOf } from "../errors.ts";

/** What a command says did not arrive. */
export class PrintError extends Error {
  override readonly name = "PrintError";

  /** Who reads may have seen enough: that ends a command, and is no fault. */
  get isUnread(): boolean {
    return codeOf(this.cause) === "EPIPE";
  }
}

/**
 * Whole before it returns. Not by `process.stdout`: to make that stream takes longer than a short
 * command does without it.
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

/** One sentence on standard error; where nobody takes it, it is lost. */
export function complain(sentence: string): void {
  try {
    writeWhole(2, `panewatch: ${sentence}\n`);
  } catch {
    // There is no other place to say it.
  }
}

function writeWhole(fd: number, text: string): void {
  for (let rest = Buffer.from(text); rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      // Another program may have set what they share not to wait.
      if (codeOf(error) !== "EAGAIN") throw error;
      Bun.sleepSync(1);
    }
  }
}
