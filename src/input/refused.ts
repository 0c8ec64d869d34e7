import { AppError } from "../errors.ts";
import type { RefusalCode } from "../protocol/input.ts";
import type { PaneStatus } from "../protocol/pane.ts";
import type { FreshRead } from "../terminal/reading.ts";

/**
 * An `invalid` whose reason is for the person to read, and whose code is for programs. `logged`
 * stands in the log in place of a reason that quotes the request: it may quote what was typed.
 */
export function refusedInput(
  code: RefusalCode,
  reason: string,
  { logged = reason, cause }: { logged?: string; cause?: unknown } = {},
): AppError {
  return new AppError("invalid", logged, { reason, code }, { cause });
}

/** A `conflict` of the same form: the pane, or what waits for it, is not as it was asked for. */
export function refusal(code: RefusalCode, reason: string, options?: ErrorOptions): AppError {
  return new AppError("conflict", reason, { reason, code }, options);
}

/** @param reason of the first routes: the code itself */
export function unknownPane(reason = "unknown pane"): AppError {
  return new AppError("not_found", "unknown pane", { reason, code: "unknown_pane" });
}

/** What keeps a screen from taking a text in that status, and nothing else; null: nothing. */
export function obstacleOf(
  { state, prompt, finding, composer }: FreshRead,
  status: PaneStatus,
): "asks" | "busy" | "typed" | "unclear" | null {
  if (prompt !== null || state.status === "needs_input") return "asks";
  if (state.status !== status || finding.keepsPrevious) return "busy";
  if (composer?.holds === "draft") return "typed";
  return composer?.holds === "nothing" ? null : "unclear";
}
