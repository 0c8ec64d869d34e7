import { AppError } from "../errors.ts";
import type { RefusalCode } from "../protocol/input.ts";

/** An `invalid` whose reason is for the person to read, and whose code is for programs. */
export function refused(code: RefusalCode, reason: string, cause?: unknown): AppError {
  return new AppError("invalid", reason, { reason, code }, { cause });
}
