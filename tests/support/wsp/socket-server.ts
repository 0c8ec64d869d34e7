import type { Socket, UnixSocketListener } from "bun";
import { chmodSync } from "node:fs";
import { z } from "zod";
import { parseJson } from "../../../src/lib/json.ts";
import type { Request } from "./answers.ts";
import { Outbox } from "./outbox.ts";
import { misfit, SUBSCRIPTIONS } from "./schema.ts";
import type { Session } from "./session.ts";
import type { Pane, World, WorldEvent } from "./world.ts";

const MAX_LINE_BYTES = 1024 * 1024;
const OVERSIZED_BYTES = 17 * 1024 * 1024;

const Line = z.object({
  id: z.string(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()),
});
type Line = z.infer<typeof Line>;

interface Connection {
  buffer: Buffer[];
  size: number;
  isAnswered: boolean;
  /** Its subscriptions; null: it has none. */
  unsubscribe: (() => void) | null;
  outbox: Outbox;
}

/** The JSON socket of one session: each connection takes one request and gets one line. */
export class SocketServer {
  readonly path: string;
  readonly #session: Session;
  readonly #server: UnixSocketListener<Connection>;
  readonly #open = new Set<Socket<Connection>>();
  /** Connections and requests so far. */
  readonly requests: Request[] = [];

  constructor(path: string, session: Session) {
    this.path = path;
    this.#session = session;
    this.#server = Bun.listen<Connection>({
      unix: path,
      socket: {
        open: (socket) => this.#opened(socket),
        data: (socket, data) => this.#received(socket, data),
        close: (socket) => this.#closed(socket),
        drain: (socket) => socket.data.outbox.drain(socket),
        error: () => {},
      },
    });
    chmodSync(path, 0o600);
  }

  get streams(): number {
    return [...this.#open].filter((socket) => socket.data.unsubscribe !== null).length;
  }

  /** A line as the server would write it, to every stream. */
  writeToStreams(bytes: string): void {
    for (const socket of this.#open)
      if (socket.data.unsubscribe) socket.data.outbox.write(socket, bytes);
  }

  stop(): void {
    for (const socket of this.#open) socket.terminate();
    this.#server.stop(true);
  }

  #opened(socket: Socket<Connection>): void {
    const outbox = new Outbox();
    socket.data = { buffer: [], size: 0, isAnswered: false, unsubscribe: null, outbox };
    this.#open.add(socket);
  }

  #received(socket: Socket<Connection>, data: Buffer): void {
    // Any byte from the client ends a stream.
    if (socket.data.unsubscribe) return void socket.end();
    socket.data.buffer.push(Buffer.from(data));
    socket.data.size += data.length;
    if (socket.data.size > MAX_LINE_BYTES) return void socket.terminate();
    const bytes = Buffer.concat(socket.data.buffer);
    const end = bytes.indexOf(0x0a);
    if (end < 0 || socket.data.isAnswered) return;
    socket.data.isAnswered = true;
    void this.#answer(socket, bytes.subarray(0, end).toString());
  }

  #closed(socket: Socket<Connection>): void {
    this.#open.delete(socket);
    socket.data.unsubscribe?.();
  }

  async #answer(socket: Socket<Connection>, text: string): Promise<void> {
    await this.#session.goesOn();
    const request = Line.safeParse(parseJson(text)).data;
    const wrong = request ? misfit(request) : text;
    if (!request || wrong !== null)
      return finish(socket, lineOf({ id: "", ...refused("invalid_request", wrong ?? text) }));
    const { id, method, params } = request;
    this.requests.push({ method, params });
    const fault = this.#session.takeFault(request);
    if (fault !== null && typeof fault === "object" && "delayMs" in fault)
      await Bun.sleep(fault.delayMs);
    if (fault === "hang") return;
    if (fault === "close") return void socket.end();
    if (fault !== null && typeof fault === "object" && "error" in fault)
      return finish(socket, lineOf({ id, error: fault.error }));
    if (method === "events.subscribe") return this.#subscribe(socket, request);
    const answer = this.#session.answer(request);
    const line = lineOf({ id: fault === "wrong_id" ? "other" : id, ...answer });
    if (fault === "hang_after") return;
    if (fault === "close_after" || fault === "empty") return void socket.end();
    if (fault === "garbage") return finish(socket, "no json\n");
    if (fault === "half") return finish(socket, line.slice(0, line.length / 2));
    if (fault === "invalid_utf8") return finish(socket, new Uint8Array([0x22, 0xff, 0x22, 0x0a]));
    if (fault === "oversized") return finish(socket, `"${"x".repeat(OVERSIZED_BYTES)}"\n`);
    finish(socket, line);
  }

  /** An acknowledgement, the history where the release replays it, then new events. */
  #subscribe(socket: Socket<Connection>, { id, params }: Line): void {
    const { world, replaysEvents } = this.#session;
    const wanted = Subscriptions.parse(params.subscriptions);
    for (const [index, { type, pane_id }] of wanted.entries()) {
      if (!SUBSCRIPTIONS.includes(type))
        return finish(socket, lineOf({ id: "", ...refused("invalid_request", type) }));
      if (pane_id === undefined || world.find(pane_id)) continue;
      const error = refused("pane_not_found", `pane ${pane_id} not found`);
      return finish(socket, lineOf({ id: `${id}:sub:${index}:probe`, ...error }));
    }
    const { outbox } = socket.data;
    outbox.write(socket, lineOf({ id, result: { type: "subscription_started" } }));
    const panes = wanted.map(({ type, pane_id }) => ({ type, pane: paneIn(world, pane_id) }));
    const tell = ({ subscription, pane, line }: WorldEvent) => {
      const isWanted = panes.some((each) =>
        subscription === null
          ? each.pane === pane && each.type === line.event
          : each.type === subscription,
      );
      if (isWanted) outbox.write(socket, lineOf(line));
    };
    if (replaysEvents) for (const event of world.log) tell(event);
    socket.data.unsubscribe = world.subscribe(tell);
  }
}

const Subscriptions = z.array(z.object({ type: z.string(), pane_id: z.string().optional() }));

const paneIn = (world: World, id: string | undefined): Pane | null =>
  id === undefined ? null : world.find(id);

const refused = (code: string, message: string) => ({ error: { code, message } });

const lineOf = (value: object) => `${JSON.stringify(value)}\n`;

function finish(socket: Socket<Connection>, bytes: string | Uint8Array): void {
  socket.data.outbox.end(socket, bytes);
}
