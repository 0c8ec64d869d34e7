import { ProviderError } from "../provider.ts";

/** Why the tool gave nothing that may be believed; the health's `last_error`. */
export type FailureCategory =
  | "command_failed"
  | "timeout"
  | "oversized"
  | "malformed"
  | "binary_missing"
  | "incompatible"
  | "session_unavailable"
  | "socket_invalid"
  | "identity_ambiguous"
  | "inconsistent";

const AWAY: ReadonlySet<FailureCategory> = new Set(["binary_missing", "session_unavailable"]);

export class WspFailure extends ProviderError {
  constructor(
    readonly category: FailureCategory,
    message: string,
    options?: ErrorOptions,
  ) {
    super(AWAY.has(category) ? "unavailable" : "degraded", category, message, options);
  }
}
