import { AppError } from "../errors.ts";
import type { RefusalCode } from "../protocol/input.ts";

/**
 * An `invalid` whose reason is for the person to read, and whose code is for programs. `logged`
 * stands in the log in place of a reason that quotes the request: it may quote what was typed.
 */
export function refused(
  code: RefusalCode,
  reason: string,
  { logged = reason, cause }: { logged?: string; cause?: unknown } = {},
): AppError {
  return new AppError("invalid", logged, { reason, code }, { cause });
}
