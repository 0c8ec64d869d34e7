import type { Limits } from "./run.ts";

export interface DirectReply {
  status: number;
  text: string;
}

interface DirectRequest extends Limits {
  method: "GET" | "POST" | "DELETE";
  headers?: Record<string, string>;
  body?: string;
}

/** Bun's own: no proxy, whatever the environment says. */
const DIRECT: { readonly proxy: string } = { proxy: false as unknown as string };

/**
 * A request that no proxy of the environment sees and that follows no redirect; a plain `fetch` would
 * hand it, with its headers and its body, to `HTTP_PROXY` even for an address of this machine.
 * @throws Error when there is no whole reply in time.
 */
export async function requestDirectly(url: string, options: DirectRequest): Promise<DirectReply> {
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
    ...DIRECT,
  });
  return { status: reply.status, text: (await bytesOf(reply, maxBytes)).toString() };
}

/** @throws Error where there are more */
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
