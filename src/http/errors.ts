import { AppError, type ErrorKind, TooManyError } from "../errors.ts";
import { causesOf, type Log } from "../lib/log.ts";

const statusOf = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unsupported_media: 415,
  malformed: 422,
  too_many: 429,
  persist_failed: 500,
  unavailable: 503,
  storage: 507,
} satisfies Record<ErrorKind, number>;

/** On every reply, whatever it is. */
export const SAFETY_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  // No page of others may pull a reply into its own process, not even as an image.
  "cross-origin-resource-policy": "same-origin",
};

/** No good token. Who asks on and on without one is told a few times a minute, and counted. */
export class BadTokenError extends AppError {
  constructor(
    readonly isTold: boolean,
    untold: number,
  ) {
    const cause = untold > 0 ? { cause: `${untold} more before, which were not told` } : undefined;
    super("unauthorized", "bad or missing token", undefined, cause);
  }
}

/**
 * The one place that writes error bodies: `{"detail": …}`. What was refused is one line of the log,
 * with the cause that the reply leaves out; what was not foreseen is logged with its stack and
 * answered with a fixed text. `what` names the request without its query: that may hold a token.
 */
export function errorReply(error: unknown, what: string, log: Log): Response {
  if (!(error instanceof AppError)) {
    log.error(`${what} failed`, error);
    return refusal("internal error", 500);
  }
  logRefusal(error, what, log);
  const reply = refusal(error.detail, statusOf[error.kind]);
  if (error instanceof TooManyError)
    reply.headers.set("retry-after", String(error.retryAfterSeconds));
  return reply;
}

export function logRefusal(error: AppError, what: string, log: Log): void {
  // Whoever guesses or asks on and on would fill the log: the first of them were told one by one.
  const isTold = error instanceof BadTokenError ? error.isTold : error.kind !== "too_many";
  const level = isTold ? "info" : "debug";
  log[level](`${what} refused (${statusOf[error.kind]}): ${error.message}${causesOf(error)}`);
}

/** Path and peer of a request, in words for the log. */
export function requestName(method: string, path: string, peer: string): string {
  const shown = path.length > MAX_PATH_CHARS ? `${path.slice(0, MAX_PATH_CHARS)}…` : path;
  return `${method} ${shown} from ${peer}`;
}

const MAX_PATH_CHARS = 120;

/** For refusals that are no error of a handler: a wrong method, a request that had to be an upgrade. */
export function refusal(
  detail: unknown,
  status: number,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ detail }, { status, headers: { ...SAFETY_HEADERS, ...headers } });
}
