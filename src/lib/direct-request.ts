import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

export interface DirectReply {
  status: number;
  text: string;
}

export interface DirectRequest {
  method: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string;
  timeoutMs: number;
  signal?: AbortSignal;
  /** Most bytes of the reply; more is an error. */
  maxBytes: number;
}

/**
 * A request that no proxy of the environment sees and that follows no redirect; `fetch` would hand
 * it, with its headers and its body, to `HTTP_PROXY` even for an address of this machine.
 * @throws Error when there is no whole reply in time.
 */
export function requestDirectly(url: string, options: DirectRequest): Promise<DirectReply> {
  const { method, headers = {}, body = "", timeoutMs, maxBytes } = options;
  const { promise, resolve, reject } = Promise.withResolvers<DirectReply>();
  const late = AbortSignal.timeout(timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, late]) : late;
  const request = new URL(url).protocol === "https:" ? requestHttps : requestHttp;
  const asked = request(url, { method, headers, signal, agent: false }, (reply) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    reply.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) return void chunks.push(chunk);
      reject(new Error(`the answer is over ${maxBytes} bytes`));
      asked.destroy();
    });
    reply.on("error", reject);
    reply.on("end", () =>
      resolve({ status: reply.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
    );
  });
  asked.on("error", reject);
  asked.end(body);
  return promise;
}
