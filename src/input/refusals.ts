import { AppError, detailOf, type ErrorKind, isDoubtful } from "../errors.ts";
import type { RefusalCode } from "../protocol/input.ts";
import type { PaneStatus } from "../protocol/pane.ts";
import type { PaneReading } from "../terminal/reading.ts";

interface RefusalOptions {
  kind?: ErrorKind;
  /** Stands in the log in place of a reason that may quote what was typed. */
  logged?: string;
  cause?: unknown;
}

/** A `conflict`: the pane, or what waits for it, is not as it was asked for. */
export function refusal(
  code: RefusalCode,
  reason: string,
  { kind = "conflict", logged = reason, cause }: RefusalOptions = {},
): AppError {
  return new AppError(kind, logged, { reason, code }, { cause });
}

/** An `invalid` whose reason is for the person to read, and whose code is for programs. */
export const invalidInput = (code: RefusalCode, reason: string, options?: RefusalOptions) =>
  refusal(code, reason, { kind: "invalid", ...options });

const IN_PART =
  "A first part of it reached the pane, and the rest did not. Look at the terminal first.";

/**
 * What kept the rest of an action from leaving says of itself that nothing was sent; a part was. Who
 * refuses in words of its own, without a code, knows that.
 */
export function partialRefusal(error: unknown): unknown {
  const own = "partial_delivery_unknown";
  const { reason, code } = detailOf(error);
  const isTold = code === undefined || reason === own || isDoubtful(error);
  if (!(error instanceof AppError) || isTold) return error;
  const { kind, message } = error;
  const detail = { reason: kind === "invalid" ? reason : own, code: own, message: IN_PART };
  return new AppError(kind, message, detail, { cause: error.cause });
}

/**
 * @param reason of the first routes: the code itself
 * @throws AppError conflict where the pane takes guarded input alone
 */
export function requireLegacy(input: string, reason = "guarded input required"): void {
  if (input !== "legacy") throw refusal("guarded_input_required", reason);
}

/** What keeps a screen from taking a text in that status, and nothing else; null: nothing. */
export function obstacleOf(
  { state, prompt, finding, composer }: PaneReading,
  status: PaneStatus,
): "asks" | "busy" | "typed" | "unclear" | null {
  if (prompt !== null || state.status === "needs_input") return "asks";
  if (state.status !== status || finding.keepsPrevious) return "busy";
  if (composer?.holds === "draft") return "typed";
  return composer?.holds === "nothing" ? null : "unclear";
}
