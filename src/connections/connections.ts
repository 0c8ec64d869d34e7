import { randomBytes } from "node:crypto";
import { AppError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { ConnectedSession, SessionsReply } from "../protocol/connections.ts";
import type { Handlers, Slice } from "../slice.ts";

/** The header may hold anything; a list of clients needs no more of it. */
const MAX_UA_CHARS = 300;

interface Connection {
  ip: string;
  ua: string;
  kill(): void;
}

export class Connections {
  readonly #clock: Clock;
  readonly #open = new Map<string, Connection & { since: number }>();

  constructor(deps: { clock: Clock }) {
    this.#clock = deps.clock;
  }

  /** Lists a connection until `remove`, and returns its id (8 hex characters). */
  add(connection: Connection): string {
    const sid = this.#freeId();
    const ua = connection.ua.slice(0, MAX_UA_CHARS);
    const kill = () => connection.kill();
    this.#open.set(sid, { ip: connection.ip, ua, kill, since: this.#clock.monotonic() });
    return sid;
  }

  remove(sid: string): void {
    this.#open.delete(sid);
  }

  list(): ConnectedSession[] {
    const now = this.#clock.monotonic();
    return [...this.#open].map(([id, { ip, ua, since }]) => ({
      id,
      ip,
      ua,
      age: Math.round((now - since) * 10) / 10,
    }));
  }

  kill(sid: string): boolean {
    const connection = this.#open.get(sid);
    if (!connection) return false;
    this.#open.delete(sid);
    connection.kill();
    return true;
  }

  #freeId(): string {
    for (;;) {
      const sid = randomBytes(4).toString("hex");
      if (!this.#open.has(sid)) return sid;
    }
  }
}

export function connectionsSlice(connections: Connections): Slice {
  const routes: Handlers = {
    "GET /api/sessions": () => ({ sessions: connections.list() }) satisfies SessionsReply,
    "POST /api/sessions/kill": (c) => {
      if (!connections.kill(c.req.valid("json").id))
        throw new AppError("not_found", "unknown session");
    },
  };
  return { name: "connections", routes };
}
