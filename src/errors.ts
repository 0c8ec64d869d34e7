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

/**
 * An expected refusal. `detail` is the body's `detail` when a client may act on it; without one
 * the message itself is the detail.
 */
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

/** The members of a refusal's detail; none of any other error, or of a detail that is a text. */
export function detailOf(error: unknown): Readonly<Record<string, unknown>> {
  const detail = error instanceof AppError ? error.detail : null;
  return typeof detail === "object" && detail !== null ? { ...detail } : {};
}

/** Nobody said whether it was done: it is not to be asked for again before somebody has looked. */
export function unknownDelivery(sentence: string, cause: unknown): AppError {
  const detail = { reason: sentence, code: "delivery_unknown" };
  return new AppError("unavailable", sentence, detail, { cause });
}

/** Whether it says that all, or a part, of what was asked for may have been done. */
export const isDoubtful = (error: unknown): boolean =>
  /delivery_unknown$/.test(String(detailOf(error)["code"]));

/** An expected refusal that says when to come back. */
export class TooManyError extends AppError {
  constructor(
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super("too_many", message);
  }
}

/** The code of an error of the system, as `ENOENT`; null where it has none. */
export function codeOf(error: unknown): string | null {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return typeof code === "string" ? code : null;
}

const FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "SQLITE_FULL"]);

/** A change that could not be written to the disk, and so is not in force. */
export function persistError(message: string, cause: unknown): AppError {
  // A store tells of its file, or of its database, by what caused it.
  const codes = [codeOf(cause), codeOf(cause instanceof Error ? cause.cause : null)];
  return codes.some((code) => code !== null && FULL.has(code))
    ? new AppError("storage", `${message}: the disk is full`, undefined, { cause })
    : new AppError("persist_failed", message, undefined, { cause });
}

/** Stops the start: `main.ts` prints the one line and exits with 2. */
export class StartupError extends Error {
  override readonly name = "StartupError";
}
