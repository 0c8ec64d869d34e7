import { AppError, detailOf, type ErrorKind } from "../errors.ts";
import { GuardConflict, type InputConflict, type InputReason } from "../protocol/input.ts";
import type { ActionGuard } from "../protocol/pane.ts";
import { ProviderError } from "../terminal/provider.ts";
import { draftToldBy } from "./answer.ts";

const MESSAGES: Readonly<Record<InputReason, string>> = {
  endpoint_stale: "The pane is not known to be what was seen.",
  endpoint_moved: "The pane has moved.",
  revision_stale: "Another program, or the same one anew, is in the pane now.",
  prompt_changed: "The pane shows something else now.",
  options_changed: "The options are others now, or another one is selected.",
  capability_unavailable: "This cannot be sent to this pane.",
  delivery_unknown: "Nobody said whether this arrived. Look at the terminal first.",
  partial_delivery_unknown:
    "A part of it arrived; whether the rest did is not known. Look at the terminal first.",
};

class InputRefusal extends AppError {
  constructor(detail: InputConflict, origin: unknown) {
    // The log is not told what somebody has typed.
    super("conflict", MESSAGES[detail.reason], detail, { cause: origin });
  }
}

export function conflict(
  reason: InputReason,
  more: { current?: InputConflict["current"]; cause?: string; origin?: unknown } = {},
): AppError {
  const { current, cause, origin } = more;
  const detail: InputConflict = {
    reason,
    code: reason,
    message: MESSAGES[reason],
    ...(current === undefined ? {} : { current }),
    ...(cause === undefined ? {} : { cause }),
  };
  return new InputRefusal(detail, origin);
}

export interface Progress {
  /** At least one part was delivered. */
  hasArrived: boolean;
  /** At least one part was delivered, or may have been. */
  hasSent: boolean;
}

/** Of this service, not of the pane. */
const OURS: ReadonlySet<ErrorKind> = new Set(["unavailable", "storage", "persist_failed"]);

/**
 * Translates a failure for the client: before anything was sent, into the reason for it; after that,
 * into `delivery_unknown` or `partial_delivery_unknown`, so that nobody retries blindly. An error
 * that is no refusal is returned as it is.
 */
export function conflictOf(error: unknown, { hasArrived, hasSent }: Progress): unknown {
  const isRefusal = error instanceof AppError || error instanceof ProviderError;
  if (!isRefusal || (error instanceof AppError && OURS.has(error.kind))) return error;
  const message = draftToldBy(error);
  if (message !== null) return draftConflict(message, hasSent, error);
  if (hasArrived) return conflict("partial_delivery_unknown", { origin: error });
  if (hasSent) return conflict("delivery_unknown", { origin: error });
  if (error instanceof InputRefusal) return error;
  if (error instanceof ProviderError) return staleBy(error, error);
  const { cause, kind } = error;
  if (cause instanceof ProviderError) return staleBy(cause, error);
  const known = REASONS[String(detailOf(error)["code"])];
  if (known) {
    const current = guardIn(error);
    return conflict(known, { origin: error, ...(current === undefined ? {} : { current }) });
  }
  return kind === "not_found" || kind === "forbidden"
    ? error
    : conflict("endpoint_stale", { origin: error });
}

/** Nothing of it was submitted, and both texts are told. */
function draftConflict(message: string, hasSent: boolean, origin: unknown): AppError {
  const reason = hasSent ? "partial_delivery_unknown" : "prompt_changed";
  return new InputRefusal({ reason, code: "draft_there", message }, origin);
}

/** Codes of the actions shared with the legacy routes -> reasons of guarded input. */
const REASONS: Readonly<Record<string, InputReason>> = {
  prompt_changed: "prompt_changed",
  options_changed: "options_changed",
  other_program: "revision_stale",
  option_not_safe: "capability_unavailable",
  option_takes_no_text: "capability_unavailable",
  pane_gone: "endpoint_stale",
  pane_unreadable: "endpoint_stale",
  capability_unavailable: "capability_unavailable",
};

function staleBy({ lastError }: ProviderError, origin: unknown): AppError {
  return conflict("endpoint_stale", { cause: lastError, origin });
}

/** Conflicts of the shared actions carry the whole pane; guarded input tells its guard only. */
function guardIn({ detail }: AppError): ActionGuard | null | undefined {
  const known = GuardConflict.safeParse(detail);
  return known.success ? known.data.current.action_guard : undefined;
}
