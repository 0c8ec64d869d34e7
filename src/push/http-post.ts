import { isLoopback } from "../lib/loopback.ts";
import { reasonOf } from "./http2-link.ts";
import { detailOf, type Outcome, REQUEST_TIMEOUT_MS, retryAfterMs } from "./transport.ts";
import { trustedAuthorities } from "./trust.ts";

export interface PostRequest {
  headers: Record<string, string>;
  body: string | Buffer<ArrayBuffer>;
  timeoutMs?: number | undefined;
}

/** One request over HTTP/1.1. No redirect is followed: it could lead anywhere. */
export async function post(url: string, request: PostRequest): Promise<Outcome> {
  const { headers, body, timeoutMs = REQUEST_TIMEOUT_MS } = request;
  try {
    const reply = await fetch(url, {
      method: "POST",
      redirect: "manual",
      headers,
      body,
      tls: { ca: await trustedAuthorities() },
      // `fetch` hands even an address of this machine to `HTTP_PROXY`, with headers and body.
      proxy: isLoopback(new URL(url).hostname) ? false : undefined,
      signal: AbortSignal.timeout(timeoutMs),
    });
    return await outcomeOf(reply);
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    return { is: "later", detail: isLate ? "no answer in time" : reasonOf(error), afterMs: 0 };
  }
}

async function outcomeOf(reply: Response): Promise<Outcome> {
  const text = reply.ok ? "" : await reply.text().catch(() => "");
  const detail = detailOf(reply.status, /^\s*[<{]/.test(text) ? "" : text);
  if (reply.ok) return { is: "accepted", detail };
  if (reply.status === 404 || reply.status === 410) return { is: "gone", detail };
  if (reply.status !== 429 && reply.status < 500) return { is: "refused", detail };
  return { is: "later", detail, afterMs: retryAfterMs(reply.headers.get("retry-after")) };
}
