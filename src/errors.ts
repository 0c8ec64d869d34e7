/** What a refusal means; `http/errors.ts` gives each its status. */
export type ErrorKind =
  | "invalid" // 400
  | "unauthorized" // 401
  | "forbidden" // 403
  | "not_found" // 404
  | "conflict" // 409
  | "too_large" // 413
  | "unsupported_media" // 415
  | "malformed" // 422
  | "too_many" // 429
  | "persist_failed" // 500
  | "unavailable" // 503
  | "timed_out" // 504
  | "storage"; // 507

/** An expected refusal. `detail` is for clients to act on; without it they get the message. */
export class AppError extends Error {
  override readonly name = "AppError";
  constructor(
    readonly kind: ErrorKind,
    message: string,
    readonly detail: unknown = message,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The members of a refusal's detail; empty for any other error, and for a detail that is a text. */
export function detailOf(error: unknown): Readonly<Record<string, unknown>> {
  const detail = error instanceof AppError ? error.detail : null;
  return typeof detail === "object" && detail !== null ? { ...detail } : {};
}

/** Nobody knows whether it was done: a person has to look before it is tried again. */
export function unknownDelivery(sentence: string, cause: unknown): AppError {
  const detail = { reason: sentence, code: "delivery_unknown" };
  return new AppError("unavailable", sentence, detail, { cause });
}

/** Whether all or a part of the request may have been carried out. */
export const isDoubtful = (error: unknown): boolean =>
  /delivery_unknown$/.test(String(detailOf(error)["code"]));

export class TooManyError extends AppError {
  constructor(
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super("too_many", message);
  }
}

/** The code of a system error, as `ENOENT`. */
export function codeOf(error: unknown): string | null {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return typeof code === "string" ? code : null;
}

const FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "SQLITE_FULL"]);

/** A change that could not be written, and so is not in force. */
export function persistError(message: string, cause: unknown): AppError {
  // The error of a store has the system's code in its cause.
  const codes = [codeOf(cause), codeOf(cause instanceof Error ? cause.cause : null)];
  return codes.some((code) => code !== null && FULL.has(code))
    ? new AppError("storage", `${message}: the disk is full`, undefined, { cause })
    : new AppError("persist_failed", message, undefined, { cause });
}

/** Stops the start: `main.ts` prints the message and exits with 2. */
export class StartupError extends Error {
  override readonly name = "StartupError";
}
