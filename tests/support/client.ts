import net from "node:net";
import { until } from "./until.ts";

export interface TestClient {
  /** Frames so far, parsed. */
  frames: Record<string, unknown>[];
  /** Waits until so many frames have come; gives all of them. */
  take(count: number): Promise<Record<string, unknown>[]>;
  send(message: string | Uint8Array<ArrayBuffer>): void;
  close(): void;
  closed: Promise<{ code: number; reason: string }>;
}

/** A WebSocket client as a browser is one. */
export function connect(
  port: number,
  path: string,
  headers: Record<string, string> = {},
): TestClient {
  // Bun's own second argument, which the DOM's types do not know.
  const options = { headers } as unknown as string[];
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, options);
  const frames: Record<string, unknown>[] = [];
  socket.onmessage = ({ data }) => void frames.push(JSON.parse(String(data)));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.onclose = ({ code, reason }) => resolve({ code, reason });
  });
  return {
    frames,
    take: async (count) => {
      await until(() => frames.length >= count);
      return frames;
    },
    send: (message) => socket.send(message),
    close: () => socket.close(),
    closed,
  };
}

/** A client that upgrades and then reads nothing until it is told to. */
export class LazyClient {
  readonly #socket: net.Socket;
  readonly #chunks: Buffer[] = [];
  readonly #texts: string[] = [];
  #closeCode: number | null = null;
  #hasUpgraded = false;
  #isClosed = false;

  constructor(port: number, path: string, agent = "lazy") {
    this.#socket = net.connect(port, "127.0.0.1");
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => (this.#isClosed = true));
    this.#socket.write(
      [
        `GET ${path} HTTP/1.1`,
        "Host: 127.0.0.1",
        `User-Agent: ${agent}`,
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "\r\n",
      ].join("\r\n"),
    );
    this.#socket.pause();
  }

  read(): void {
    this.#socket.on("data", (chunk: Buffer) => void this.#chunks.push(chunk));
    this.#socket.resume();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Server frames so far: payloads of text frames, and the code of a close frame. */
  frames(): { texts: string[]; closeCode: number | null } {
    const received = Buffer.concat(this.#chunks);
    let at = 0;
    if (!this.#hasUpgraded) {
      const head = received.indexOf("\r\n\r\n");
      if (head < 0) return { texts: [], closeCode: null };
      this.#hasUpgraded = true;
      at = head + 4;
    }
    while (at + 2 <= received.length) {
      const opcode = received.readUInt8(at) & 0x0f;
      let length = received.readUInt8(at + 1) & 0x7f;
      let start = at + 2;
      if (length === 126) [length, start] = [received.readUInt16BE(start), start + 2];
      else if (length === 127)
        [length, start] = [Number(received.readBigUInt64BE(start)), start + 8];
      if (start + length > received.length) break;
      if (opcode === 8) this.#closeCode = received.readUInt16BE(start);
      if (opcode === 1) this.#texts.push(received.toString("utf8", start, start + length));
      at = start + length;
    }
    this.#chunks.splice(0, Infinity, received.subarray(at));
    return { texts: this.#texts, closeCode: this.#closeCode };
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
