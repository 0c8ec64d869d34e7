import type { ClientHttp2Session, IncomingHttpHeaders, IncomingHttpStatusHeader } from "node:http2";
import { codeOf } from "../errors.ts";
import { bytesOf, pastProxy } from "../lib/direct-request.ts";
import { type Outcome, outcomeOf, REQUEST_TIMEOUT_MS } from "./message.ts";

interface Http2Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

interface Http2Request {
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** RFC 9113, 7: the stream is not needed any more. */
const CANCEL = 0x8;
const MAX_REPLY_BYTES = 4096;
/** An idle connection is closed after it, before it is found dead at the next alert. */
const IDLE_MS = 10 * 60_000;

/**
 * One HTTP/2 connection to one address, opened when needed: at first, and after it was lost, idle
 * or sent GOAWAY. Requests on a connection with GOAWAY may still end.
 */
export class Http2Link {
  readonly #origin: string;
  readonly #timeoutMs: number;
  #session: ClientHttp2Session | null = null;

  constructor(origin: string, timeoutMs = REQUEST_TIMEOUT_MS) {
    this.#origin = origin;
    this.#timeoutMs = timeoutMs;
  }

  /** @throws Error without a complete answer in time, for `later` */
  async post(request: Http2Request): Promise<Http2Reply> {
    const session = await this.#open();
    try {
      return await exchange(session, request, this.#timeoutMs);
    } catch (error) {
      // A connection that died while the machine slept, or that a router dropped, times out without
      // an error. Its other requests may still end; the next request opens a new connection.
      if (error instanceof TimeoutError) this.#forget(session);
      throw error;
    }
  }

  close(): void {
    this.#session?.destroy();
  }

  async #open(): Promise<ClientHttp2Session> {
    // Imported late: it takes a twentieth of a start.
    const { connect } = await import("node:http2");
    const known = this.#session;
    if (known && !known.closed && !known.destroyed) return known;
    const session = connect(this.#origin);
    this.#session = session;
    const forget = () => this.#forget(session);
    // Each request gets the error by its own stream.
    session.on("error", forget);
    session.on("close", forget);
    // Accepted streams may still end; the next request opens a new connection.
    session.on("goaway", forget);
    session.setTimeout(IDLE_MS, () => session.destroy());
    // It must not keep the process alive.
    session.unref();
    return session;
  }

  #forget(session: ClientHttp2Session): void {
    if (this.#session === session) this.#session = null;
  }
}

class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}

class NoAnswerError extends Error {}

/** Rejects at once after GOAWAY. */
async function exchange(
  session: ClientHttp2Session,
  { path, headers, body }: Http2Request,
  timeoutMs: number,
): Promise<Http2Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Http2Reply>();
  const stream = session.request({ ":method": "POST", ":path": path, ...headers });
  const timer = setTimeout(() => {
    reject(new TimeoutError());
    stream.close(CANCEL);
  }, timeoutMs);
  let reply: IncomingHttpHeaders & IncomingHttpStatusHeader = {};
  let text = "";
  stream.setEncoding("utf8");
  stream.on("response", (received) => {
    reply = received;
  });
  stream.on("data", (chunk: string) => {
    if (text.length < MAX_REPLY_BYTES) text += chunk;
  });
  stream.on("error", reject);
  const finish = () => {
    const { ":status": status } = reply;
    // A refused or cut stream also ends, but without a status.
    if (status === undefined) reject(new NoAnswerError());
    else resolve({ status, headers: reply, body: text });
  };
  stream.on("end", finish);
  stream.on("close", finish);
  stream.end(body);
  return promise.finally(() => clearTimeout(timer));
}

const CERTIFICATE_FAULTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is of another name",
};

/** The peer is away, hangs, cut the connection or cannot be trusted. */
export const later = (error: unknown): Outcome => ({
  ...{ is: "later", detail: whyNot(error), afterMs: 0 },
});

/** The reason of a failure in our own words: the message of an error may hold addresses. */
function whyNot(error: unknown): string {
  if (error instanceof NoAnswerError) return "the connection ended without an answer";
  if (error instanceof Error && error.name === "TimeoutError") return "no answer in time";
  // A stream that waited for its connection has the connection's error as its cause.
  const { cause = error } = Object(error);
  const code = codeOf(cause);
  const fault = code === null ? undefined : CERTIFICATE_FAULTS[code];
  if (fault !== undefined) return fault;
  if (/certificate|self.signed/i.test(String(cause))) return "its certificate cannot be verified";
  return code === null ? "no connection" : `no connection (${code})`;
}

interface PostRequest {
  headers: Record<string, string>;
  body: string | Buffer<ArrayBuffer>;
  timeoutMs?: number | undefined;
}

/** One request over HTTP/1.1. */
export async function post(
  url: string,
  { timeoutMs = REQUEST_TIMEOUT_MS, ...request }: PostRequest,
): Promise<Outcome> {
  try {
    const reply = await ask(url, { method: "POST", timeoutMs, ...request });
    const { status, ok, headers } = reply;
    // It may have no end.
    const body = ok ? "" : await bytesOf(reply, MAX_REPLY_BYTES).catch(() => "");
    const text = body.toString();
    const reason = /^\s*[<{]/.test(text) ? "" : text;
    const isGone = status === 404 || status === 410;
    return outcomeOf({ status, reason, isGone, retryAfter: headers.get("retry-after") });
  } catch (error) {
    return later(error);
  }
}

/** Follows no redirect, which could lead anywhere. */
async function ask(
  url: string,
  { timeoutMs, ...request }: BunFetchRequestInit & { timeoutMs: number },
): Promise<Response> {
  const signal = AbortSignal.timeout(timeoutMs);
  const past = pastProxy(new URL(url));
  // A few bytes could become gigabytes.
  const plain = { redirect: "manual", decompress: false } as const;
  return await fetch(url, { ...request, ...past, ...plain, signal });
}

/** `skewSeconds`: how far this machine's clock is ahead of the push service's. */
export type Reach = { ok: true; skewSeconds: number | null } | { ok: false; why: string };

const LOOK_TIMEOUT_MS = 4000;

/**
 * Sends an empty request by the protocol of alerts, without device, token or key, and reads the
 * time in the refusal. Takes a few seconds at most.
 */
export async function reach(origin: string, { isHttp2 }: { isHttp2: boolean }): Promise<Reach> {
  const timeoutMs = LOOK_TIMEOUT_MS;
  const link = new Http2Link(origin, timeoutMs);
  try {
    const date = isHttp2
      ? (await link.post({ path: "/", headers: {}, body: "{}" })).headers.date
      : (await ask(origin, { method: "HEAD", timeoutMs })).headers.get("date");
    const at = Date.parse(date ?? "");
    return { ok: true, skewSeconds: Number.isNaN(at) ? null : (Date.now() - at) / 1000 };
  } catch (error) {
    return { ok: false, why: whyNot(error) };
  } finally {
    link.close();
  }
}
