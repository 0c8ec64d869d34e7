import { AppError, detailOf, type ErrorKind, isDoubtful } from "../errors.ts";
import type { RefusalCode } from "../protocol/input.ts";
import type { PaneStatus } from "../protocol/pane.ts";
import type { PaneReading } from "../terminal/reading.ts";

interface RefusalOptions {
  kind?: ErrorKind;
  /** Replaces in the log a reason that may quote what was typed. */
  logged?: string;
  cause?: unknown;
}

export function refusal(
  code: RefusalCode,
  reason: string,
  { kind = "conflict", logged = reason, cause }: RefusalOptions = {},
): AppError {
  return new AppError(kind, logged, { reason, code }, { cause });
}

export const invalidInput = (code: RefusalCode, reason: string, options?: RefusalOptions) =>
  refusal(code, reason, { kind: "invalid", ...options });

const IN_PART =
  "A first part of it reached the pane, and the rest did not. Look at the terminal first.";

/**
 * Corrects a refusal that says that nothing was sent, where a first part was. A refusal without a
 * code comes from a caller that knows that.
 */
export function partialRefusal(error: unknown): unknown {
  const own = "partial_delivery_unknown";
  const { reason, code } = detailOf(error);
  const isCorrect = code === undefined || reason === own || isDoubtful(error);
  if (!(error instanceof AppError) || isCorrect) return error;
  const { kind, message } = error;
  const detail = { reason: kind === "invalid" ? reason : own, code: own, message: IN_PART };
  return new AppError(kind, message, detail, { cause: error.cause });
}

/**
 * @param reason the legacy routes give the code itself
 * @throws AppError conflict where the pane takes guarded input alone
 */
export function requireLegacy(input: string, reason = "guarded input required"): void {
  if (input !== "legacy") throw refusal("guarded_input_required", reason);
}

/** Why a screen in that status takes no text; null: it takes one. */
export function obstacleOf(
  { state, prompt, finding, composer }: PaneReading,
  status: PaneStatus,
): "asks" | "busy" | "typed" | "unclear" | null {
  if (prompt !== null || state.status === "needs_input") return "asks";
  if (state.status !== status || finding.keepsPrevious) return "busy";
  if (composer?.holds === "draft") return "typed";
  return composer?.holds === "nothing" ? null : "unclear";
}
