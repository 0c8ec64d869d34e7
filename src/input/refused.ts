import { AppError } from "../errors.ts";

/** An `invalid` whose reason is for the person to read. */
export function refused(reason: string, cause?: unknown): AppError {
  return new AppError("invalid", reason, { reason }, { cause });
}
