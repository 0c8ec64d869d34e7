import { request } from "node:http";

const MAX_REPLY_BYTES = 64 * 1024;

export interface DirectReply {
  status: number;
  text: string;
}

/**
 * A POST without a body that no proxy of the environment sees; `fetch` would hand it, with its
 * headers, to `HTTP_PROXY` even for an address of this machine.
 */
export function postDirectly(
  url: string,
  headers: Record<string, string>,
  timeoutMs: number,
): Promise<DirectReply> {
  const { promise, resolve, reject } = Promise.withResolvers<DirectReply>();
  const signal = AbortSignal.timeout(timeoutMs);
  const asked = request(url, { method: "POST", headers, signal, agent: false }, (reply) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    reply.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_REPLY_BYTES) asked.destroy(new Error("the reply is too long"));
      chunks.push(chunk);
    });
    reply.on("error", reject);
    reply.on("end", () =>
      resolve({ status: reply.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
    );
  });
  asked.on("error", reject);
  asked.end();
  return promise;
}
