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
  #received: Buffer = Buffer.alloc(0);
  #isClosed = false;

  constructor(port: number, path: string) {
    this.#socket = net.connect(port, "127.0.0.1");
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => (this.#isClosed = true));
    this.#socket.write(
      [
        `GET ${path} HTTP/1.1`,
        "Host: 127.0.0.1",
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
    this.#socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
    });
    this.#socket.resume();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Server frames so far: payloads of text frames, and the code of a close frame. */
  frames(): { texts: string[]; closeCode: number | null } {
    const texts: string[] = [];
    let at = this.#received.indexOf("\r\n\r\n") + 4;
    while (at + 2 <= this.#received.length) {
      const opcode = this.#received.readUInt8(at) & 0x0f;
      let length = this.#received.readUInt8(at + 1) & 0x7f;
      let start = at + 2;
      if (length === 126) [length, start] = [this.#received.readUInt16BE(start), start + 2];
      else if (length === 127)
        [length, start] = [Number(this.#received.readBigUInt64BE(start)), start + 8];
      if (start + length > this.#received.length) break;
      if (opcode === 8) return { texts, closeCode: this.#received.readUInt16BE(start) };
      if (opcode === 1) texts.push(this.#received.toString("utf8", start, start + length));
      at = start + length;
    }
    return { texts, closeCode: null };
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
