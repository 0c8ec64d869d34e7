import { connect as connectPlain, isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import { reasonOf, trustedAuthorities } from "./http2-link.ts";

/** How a push service answers: whether at all, and how far this machine's clock is ahead of its. */
export type Reach = { ok: true; skewSeconds: number | null } | { ok: false; why: string };

const TIMEOUT_MS = 4000;
const MAX_HEAD_CHARS = 4096;

/**
 * Connects, checks the certificate and reads the time that the service gives with its refusal of a
 * request for nothing. No device, token or key is named. Never takes more than a few seconds.
 */
export async function reach(origin: string): Promise<Reach> {
  const ca = await trustedAuthorities();
  const { hostname, protocol, port } = new URL(origin);
  const { promise, resolve } = Promise.withResolvers<Reach>();
  const isPlain = protocol === "http:";
  const address = { host: hostname, port: Number(port) || (isPlain ? 80 : 443) };
  // An address is no name that a certificate could be asked for by.
  const servername = isIP(hostname.replace(/^\[(.*)\]$/, "$1")) ? {} : { servername: hostname };
  const ready = () =>
    socket.write(`HEAD / HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n\r\n`);
  const socket = isPlain
    ? connectPlain(address, ready)
    : connectTls({ ...address, ...servername, ca }, () => {
        isConnected = true;
        ready();
      });
  let isConnected = false;
  let head = "";
  // A service that speaks HTTP/2 alone ends here without a word: it was reached all the same.
  const end = () =>
    resolve(
      isConnected || head !== ""
        ? { ok: true, skewSeconds: skewOf(head) }
        : { ok: false, why: "no connection" },
    );
  socket.setTimeout(TIMEOUT_MS, () => {
    if (!isConnected && head === "") resolve({ ok: false, why: "no answer in time" });
    end();
    socket.destroy();
  });
  if (isPlain) socket.on("connect", () => (isConnected = true));
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    if (head.length < MAX_HEAD_CHARS) head += chunk;
  });
  socket.on("error", (error) => {
    if (isConnected) end();
    else resolve({ ok: false, why: reasonOf(error) });
  });
  socket.on("close", end);
  return promise.finally(() => socket.destroy());
}

function skewOf(head: string): number | null {
  const date = /^date: *(.+)$/im.exec(head)?.[1];
  const at = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(at) ? null : (Date.now() - at) / 1000;
}
