import { AppError, detailOf, type ErrorKind, isDoubtful } from "../errors.ts";
import type { GuardConflict, RefusalCode } from "../protocol/input.ts";
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

const MAX_TEXT_BYTES = 64 * 1024;

/** A terminal could take a control character for a command; newline and tab are text. */
const NOT_LITERAL = /[^\P{Cc}\n\t]/u;

/** @throws AppError `invalid` */
export function requireBounded(text: string): void {
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES)
    throw invalidInput("text_too_long", "text exceeds 64 KiB");
}

/** @throws AppError `invalid` for what cannot be sent as it is */
export function requireLiteral(text: string): void {
  requireBounded(text);
  if (NOT_LITERAL.test(text))
    throw invalidInput("text_not_literal", "text contains control characters");
  // A lone surrogate cannot be encoded: the pane would get another text.
  if (!text.isWellFormed())
    throw invalidInput("text_not_literal", "text is not well-formed Unicode");
}

/** An agent ignores a message without words. @throws AppError `invalid` */
export function requireMessage(text: string): void {
  requireLiteral(text);
  if (text.trim() === "") throw new AppError("invalid", "a message needs words");
}

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

const MAX_DRAFT_CHARS = 500;

/** Tells the client the draft that is in the way, and not the log. */
export function draftConflict({ composer, state }: PaneReading, hasSent: boolean): AppError {
  const line = composer?.holds === "draft" ? composer.text.slice(0, MAX_DRAFT_CHARS) : "";
  const message = hasSent
    ? `Enter was not pressed: it stands in one line with what somebody typed there. ${line}`
    : `Nothing was sent: somebody has typed into its input line. ${line}`;
  const reason = hasSent ? "partial_delivery_unknown" : "prompt_changed";
  const detail: GuardConflict = { reason, code: "draft_there", message, current: state };
  return new AppError("conflict", "a draft stands in its input line", detail);
}

/** The message of a conflict with a draft; null for any other error. */
export function findDraftMessage(error: unknown): string | null {
  const { code, message } = detailOf(error);
  return code === "draft_there" ? String(message) : null;
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
