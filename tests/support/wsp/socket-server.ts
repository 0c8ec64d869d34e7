import type { Socket, UnixSocketListener } from "bun";
import { chmodSync } from "node:fs";
import { EventStream } from "./event-stream.ts";
import type { Request } from "./answers.ts";
import { Outbox } from "./outbox.ts";
import type { Session } from "./session.ts";

/** The server looks for a request when it accepts, and then once in this time. */
const LOOK_AGAIN_MS = 100;
const MAX_LINE_BYTES = 1024 * 1024;
const OVERSIZED_BYTES = 17 * 1024 * 1024;

export interface Habits {
  /** Milliseconds that an answer takes; 0: at once, and nothing of a server's turn is modelled. */
  callMs: number;
  /** Share of connections whose request is only seen a turn later. */
  unluckyShare: number;
  /** 0 to 1, evenly. */
  random: () => number;
  /** Milliseconds between two lines that a stream writes. */
  streamTickMs: number;
}

interface Connection {
  buffer: Buffer[];
  size: number;
  isAnswered: boolean;
  stream: EventStream | null;
  timer: Timer | null;
  outbox: Outbox;
}

/** The JSON socket of one session: one request for each connection, one line back, then its end. */
export class SocketServer {
  readonly path: string;
  readonly #session: Session;
  readonly #habits: Habits;
  readonly #server: UnixSocketListener<Connection>;
  readonly #open = new Set<Socket<Connection>>();
  /** Connections and requests so far. */
  readonly requests: Request[] = [];

  constructor(path: string, session: Session, habits: Habits) {
    this.path = path;
    this.#session = session;
    this.#habits = habits;
    this.#server = Bun.listen<Connection>({
      unix: path,
      allowHalfOpen: true,
      socket: {
        open: (socket) => this.#opened(socket),
        data: (socket, data) => this.#received(socket, data),
        end: (socket) => this.#halfClosed(socket),
        close: (socket) => this.#closed(socket),
        drain: (socket) => socket.data.outbox.drain(socket),
        error: () => {},
      },
    });
    chmodSync(path, 0o600);
  }

  get streams(): number {
    return [...this.#open].filter((socket) => socket.data.stream !== null).length;
  }

  /** A line as the server would write it, to every stream. */
  writeToStreams(bytes: string): void {
    for (const socket of this.#open)
      if (socket.data.stream) socket.data.outbox.write(socket, bytes);
  }

  stop(): void {
    for (const socket of this.#open) socket.terminate();
    this.#server.stop(true);
  }

  #opened(socket: Socket<Connection>): void {
    socket.data = {
      buffer: [],
      size: 0,
      isAnswered: false,
      stream: null,
      timer: null,
      outbox: new Outbox(),
    };
    this.#open.add(socket);
    const { callMs, unluckyShare, random } = this.#habits;
    if (callMs === 0) return;
    const isUnlucky = random() < unluckyShare;
    const look = () => {
      socket.data.timer = null;
      if (!this.#answerLine(socket)) socket.data.timer = setTimeout(look, LOOK_AGAIN_MS);
    };
    socket.data.timer = setTimeout(look, isUnlucky ? LOOK_AGAIN_MS + callMs : callMs);
  }

  #received(socket: Socket<Connection>, data: Buffer): void {
    // Any byte from the client ends a stream.
    if (socket.data.stream) return void socket.end();
    socket.data.buffer.push(Buffer.from(data));
    socket.data.size += data.length;
    if (socket.data.size > MAX_LINE_BYTES) return void socket.terminate();
    if (this.#habits.callMs === 0) this.#answerLine(socket);
  }

  #halfClosed(socket: Socket<Connection>): void {
    if (socket.data.stream || !socket.data.isAnswered) socket.end();
  }

  #closed(socket: Socket<Connection>): void {
    this.#open.delete(socket);
    clearTimeout(socket.data.timer ?? undefined);
    socket.data.stream?.stop();
  }

  /** False while no whole line has come. */
  #answerLine(socket: Socket<Connection>): boolean {
    const bytes = Buffer.concat(socket.data.buffer);
    const end = bytes.indexOf(0x0a);
    if (end < 0 || socket.data.isAnswered) return socket.data.isAnswered;
    if (this.#session.state === "frozen") return true;
    socket.data.isAnswered = true;
    void this.#answer(socket, bytes.subarray(0, end));
    return true;
  }

  async #answer(socket: Socket<Connection>, line: Buffer): Promise<void> {
    const parsed = parseRequest(line);
    if (parsed === "close") return void socket.end();
    if ("message" in parsed)
      return finish(socket, {
        id: "",
        error: { code: "invalid_request", message: parsed.message },
      });
    const { id, request } = parsed;
    this.requests.push(request);
    const fault = this.#session.takeFault("socket", request);
    if (fault !== null && typeof fault === "object" && "delayMs" in fault)
      await Bun.sleep(fault.delayMs);
    if (fault === "hang") return;
    if (fault === "close") return void socket.end();
    if (fault !== null && typeof fault === "object" && "error" in fault)
      return finish(socket, { id, error: fault.error });
    if (request.method === "events.subscribe")
      return EventStream.open(socket, { id, params: request.params }, this.#session, this.#habits);
    const answer = this.#session.answer(request);
    const text = JSON.stringify({ id: fault === "wrong_id" ? "other" : id, ...answer });
    if (fault === "hang_after") return;
    if (fault === "close_after" || fault === "empty") return void socket.end();
    if (fault === "garbage") return finishText(socket, "no json\n");
    if (fault === "half") return finishText(socket, text.slice(0, text.length / 2));
    if (fault === "invalid_utf8")
      return finishText(socket, new Uint8Array([0x22, 0xff, 0x22, 0x0a]));
    if (fault === "oversized") return finishText(socket, `"${"x".repeat(OVERSIZED_BYTES)}"\n`);
    finishText(socket, `${text}\n`);
  }
}

function parseRequest(
  line: Buffer,
): "close" | { message: string } | { id: string; request: Request } {
  let parsed: unknown;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(line);
    if (text.trim() === "") return "close";
    parsed = JSON.parse(text);
  } catch (error) {
    if (error instanceof TypeError) return "close";
    return { message: "invalid request: key must be a string at line 1 column 2" };
  }
  if (typeof parsed !== "object" || parsed === null) return { message: "invalid request" };
  const { id, method, params } = Object.assign<Record<string, unknown>, object>({}, parsed);
  if (typeof id !== "string" || typeof method !== "string")
    return { message: "invalid request: missing field `id`" };
  if (typeof params !== "object" || params === null)
    return { message: "invalid request: missing field `params`" };
  if (method === "pane.read" && !("source" in params))
    return { message: "invalid request: missing field `source`" };
  if (method === "pane.read" && "source" in params && String(params.source).includes("-"))
    return { message: "invalid request: unknown variant" };
  if (/^pane\.(get|read|send_text|send_keys)$/.test(method) && !("pane_id" in params))
    return { message: "invalid request: missing field `pane_id`" };
  return { id, request: { method, params: { ...params } } };
}

function finish(socket: Socket<Connection>, answer: object): void {
  finishText(socket, `${JSON.stringify(answer)}\n`);
}

function finishText(socket: Socket<Connection>, bytes: string | Uint8Array): void {
  socket.data.outbox.end(socket, bytes);
}
