import { html, raw } from "hono/html";
import { AGENT_STORE_FILE } from "../agents/store/store-file.ts";
import { AppError, type ErrorKind, TooManyError } from "../errors.ts";
import { sha256 } from "../lib/digest.ts";
import { causesOf, type Log } from "../lib/log.ts";
import { storeErrorOf } from "../store/store-error.ts";

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
  timed_out: 504,
  storage: 507,
} satisfies Record<ErrorKind, number>;

export const SAFETY_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  // A foreign page must not load a reply, not even as an image.
  "cross-origin-resource-policy": "same-origin",
};

/** Repeated ones are logged a few times a minute; the ledger counts the wrong ones. */
export class BadTokenError extends AppError {
  constructor(readonly isLogged: boolean) {
    super("unauthorized", "bad or missing token");
  }
}

/**
 * The one place that writes error bodies: `{"detail": …}`. A refusal is one line of the log, with
 * the cause that the reply leaves out; an unexpected error is logged with its stack and answered
 * with a fixed text. @param what names the request without its query, which may hold a token
 */
export function errorReply(error: unknown, what: string, log: Log): Response {
  const failed = storeErrorOf(error, AGENT_STORE_FILE);
  if (failed) {
    const options = { cause: failed.cause };
    return errorReply(new AppError("storage", failed.message, undefined, options), what, log);
  }
  if (!(error instanceof AppError)) {
    log.error(`${what} failed`, error);
    return refusalReply("internal error", 500);
  }
  logRefusal(error, what, log);
  const reply = refusalReply(error.detail, statusOf[error.kind]);
  if (error instanceof TooManyError)
    reply.headers.set("retry-after", String(error.retryAfterSeconds));
  return reply;
}

export function logRefusal(error: AppError, what: string, log: Log): void {
  // Guesses must not fill the log. A 429 follows refusals that were logged one by one.
  const isLogged = error instanceof BadTokenError ? error.isLogged : error.kind !== "too_many";
  const level = isLogged ? "info" : "debug";
  log[level](`${what} refused (${statusOf[error.kind]}): ${error.message}${causesOf(error)}`);
}

export function requestName(method: string, path: string, peer: string): string {
  const shown = path.length > MAX_PATH_CHARS ? `${path.slice(0, MAX_PATH_CHARS)}…` : path;
  return `${method} ${shown} from ${peer}`;
}

const MAX_PATH_CHARS = 120;

export function refusalReply(
  detail: unknown,
  status: number,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ detail }, { status, headers: { ...SAFETY_HEADERS, ...headers } });
}

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:34rem;margin:12vh auto;padding:0 1.25rem}
h1{font-size:1.3rem}
pre{padding:.75rem 1rem;border:1px solid;border-radius:.6rem;overflow-x:auto}`;

/** Outside the template, whose white space would be hashed with it. */
const STYLE_TAG = raw(`<style>${STYLE}</style>`);

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${sha256(STYLE).toString("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Whether a person opens this in a browser: a program gets JSON, also where it accepts HTML. */
export function isOpenedByPerson(method: string, headers: Headers): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  const mode = headers.get("sec-fetch-mode");
  // Browsers send it only over HTTPS and on loopback.
  if (mode !== null) return mode === "navigate";
  return (headers.get("accept") ?? "").includes("application/xhtml+xml");
}

/** A refusal as a page, with the status and headers of the JSON `reply`. */
export async function refusedPage(reply: Response, host: string): Promise<Response> {
  const headers = new Headers(reply.headers);
  headers.set("content-type", "text/html; charset=utf-8");
  headers.set("content-security-policy", POLICY);
  const { title, body } = reply.status === 401 ? needsToken() : unknownHost(host);
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>panewatch: ${title}</title>
        ${STYLE_TAG}
      </head>
      <body>
        <h1>${title}</h1>
        ${body}
      </body>
    </html>`;
  return new Response(String(page), { status: reply.status, headers });
}

const needsToken = () => ({
  title: "This address needs the token",
  body: html`<p>
    It answers programs that send the token. <a href="/">Open panewatch</a> to sign in.
  </p>`,
});

const unknownHost = (host: string) => ({
  title: "This address is not open yet",
  body: html`
    <p>
      panewatch runs here. Without a token it answers only under the names of its own machine, so
      that no foreign web page can reach your terminals, and not as ${host}.
    </p>
    <p>On that machine, this makes a token and shows a code that lets this device in:</p>
    <pre><code>panewatch phone</code></pre>
  `,
});
