import { StartupError } from "../../errors.ts";
import { isLoopback } from "../../lib/loopback.ts";

const TIMEOUT_MS = 10 * 60_000;
/** A release host hands on to where its files are. */
const MAX_REDIRECTS = 5;

/**
 * The bytes at an address, by HTTPS; from this machine itself plain HTTP does.
 * @throws StartupError when they do not come whole, or are more than `maxBytes`
 */
export async function download(address: string, maxBytes: number): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  let at = address;
  for (let left = MAX_REDIRECTS; left >= 0; left--) {
    const url = requireSafe(at);
    // `fetch` hands even an address of this machine to `HTTP_PROXY`.
    const proxy = isLoopback(url.hostname) ? { proxy: false as const } : {};
    try {
      const reply = await fetch(url, { redirect: "manual", keepalive: false, signal, ...proxy });
      const next = reply.status < 400 ? reply.headers.get("location") : null;
      if (next === null) return await bytesOf(reply, at, maxBytes);
      at = new URL(next, url).href;
    } catch (cause) {
      if (cause instanceof StartupError) throw cause;
      throw new StartupError(`cannot download ${at}: ${String(cause)}`, { cause });
    }
  }
  throw new StartupError(`cannot download ${address}: it leads from one address to another`);
}

function requireSafe(address: string): URL {
  const url = URL.parse(address);
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname)))
    return url;
  throw new StartupError(`refusing to download ${address}: only https is safe against changes`);
}

async function bytesOf(reply: Response, at: string, maxBytes: number): Promise<Uint8Array> {
  if (!reply.ok) throw new StartupError(`cannot download ${at}: it answers ${reply.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of reply.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new StartupError(`${at} is larger than it should be`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
