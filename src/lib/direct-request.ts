import { isLoopback } from "./address.ts";
import type { Limits } from "./run.ts";

export type DirectReply = Awaited<ReturnType<typeof requestDirectly>>;

interface DirectRequest extends Limits {
  method: "GET" | "POST" | "DELETE";
  headers?: Record<string, string>;
  body?: string;
}

/** `fetch` sends even requests to this machine to `HTTP_PROXY`, with headers and body. */
export const pastProxy = ({ hostname }: URL) =>
  isLoopback(hostname) ? { proxy: false as const } : {};

/**
 * Uses no proxy of the environment and follows no redirect.
 * @throws Error when there is no whole reply in time
 */
export async function requestDirectly(url: string, options: DirectRequest) {
  const { method, headers = {}, body, timeoutMs, maxBytes } = options;
  const late = AbortSignal.timeout(timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, late]) : late;
  const reply = await fetch(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    signal,
    redirect: "manual",
    keepalive: false,
    proxy: false,
  });
  return { status: reply.status, text: (await bytesOf(reply, maxBytes)).toString() };
}

/** @throws Error when there are more */
export async function bytesOf(reply: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of reply.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`the answer is over ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
