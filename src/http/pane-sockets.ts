import { randomBytes } from "node:crypto";
import type { AgentFeed } from "../agents/feed.ts";
import { type FlowControl, FlowControlledSocket } from "../connections/flow-controlled-socket.ts";
import { AppError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { parseJson } from "../lib/json.ts";
import type { Grant, Slice, SocketClient, StartSocket } from "../slice.ts";
import { CLOSE_KILLED } from "../protocol/socket.ts";
import type { AgentFrame } from "../protocol/agent-replies.ts";
import type { ConnectedSession, SessionsReply } from "../protocol/access.ts";
import { PresenceFrame } from "../protocol/frames.ts";
import type { StateEncoder } from "../terminal/encode.ts";
import {
  type CardsAt,
  DeltaFeed,
  DeltaTexts,
  type Feed,
  type FeedSnapshot,
  plainFeed,
} from "./pane-feed.ts";

export const PANES_PATH = "/ws";
const MAX_UA_CHARS = 300;

interface PaneSocketsDeps {
  hub: {
    readonly current: FeedSnapshot;
    subscribe(listener: (snapshot: FeedSnapshot) => void): () => void;
  };
  encoder: StateEncoder;
  cardsAt: CardsAt;
  /** For a client that asks for them with `?events=1`. */
  events: Pick<AgentFeed, "follow">;
  clock: Clock;
  /** The frame is null when the socket has ended. */
  presence?: (socket: string, frame: PresenceFrame | null, grant: Grant) => void;
}

type Events = ReturnType<AgentFeed["follow"]>;

interface Connection extends Pick<SocketClient, "ip" | "ua"> {
  /** Monotonic seconds. */
  since: number;
  socket: PaneSocket;
}

/** Publishes each pass to all clients of `/ws`, and encodes once what they share. */
export class PaneSockets {
  readonly #deps: PaneSocketsDeps;
  /** By id, in order of connection. */
  readonly #open = new Map<string, Connection>();
  readonly #deltas = new DeltaTexts();
  readonly #unsubscribe: () => void;

  constructor(deps: PaneSocketsDeps) {
    this.#deps = deps;
    this.#unsubscribe = deps.hub.subscribe((snapshot) => {
      for (const { socket } of [...this.#open.values()]) socket.publish(snapshot);
    });
  }

  accept({ grant, ip, ua, query }: SocketClient): StartSocket {
    const { hub, encoder, cardsAt, events, clock, presence } = this.#deps;
    const isDelta = query.get("mode") === "delta";
    const cards = query.get("cards") === "1" ? cardsAt : null;
    return (rawSocket) => {
      const sid = this.#freeId();
      const socket = new PaneSocket({
        ...{ rawSocket, clock },
        // A plain client gets every line with every pass, which costs too much to deflate for each.
        isDeflated: isDelta,
        feed: isDelta ? new DeltaFeed(this.#deltas, cards) : plainFeed(encoder, cards),
        current: () => hub.current,
        onMessage(message) {
          const frame = isDelta && presence ? presenceOf(message) : null;
          if (frame) presence?.(sid, frame, grant);
        },
        onEnd: () => {
          followed?.end();
          this.#open.delete(sid);
          presence?.(sid, null, grant);
        },
      });
      this.#open.set(sid, { ip, ua: ua.slice(0, MAX_UA_CHARS), since: clock.monotonic(), socket });
      const followed =
        query.get("events") === "1" ? events.follow(socket, query.get("cursor")) : null;
      socket.begin({ type: "hello", sid, ...(followed && { cursor: followed.cursor }) }, followed);
      return socket;
    };
  }

  configChanged(): void {
    for (const { socket } of [...this.#open.values()]) socket.configChanged();
  }

  list(): ConnectedSession[] {
    const now = this.#deps.clock.monotonic();
    return [...this.#open].map(([id, { ip, ua, since }]) => ({
      ...{ id, ip, ua },
      age: Math.round((now - since) * 10) / 10,
    }));
  }

  /** @throws AppError not_found */
  kill(sid: string): void {
    const connection = this.#open.get(sid);
    if (!connection) throw new AppError("not_found", "unknown session");
    connection.socket.end(CLOSE_KILLED, "disconnected by a person");
  }

  stop(): void {
    this.#unsubscribe();
  }

  #freeId(): string {
    for (;;) {
      const sid = randomBytes(4).toString("hex");
      if (!this.#open.has(sid)) return sid;
    }
  }
}

export function paneSocketsSlice(sockets: PaneSockets): Slice {
  return {
    name: "pane sockets",
    routes: {
      "GET /api/sessions": () => ({ sessions: sockets.list() }) satisfies SessionsReply,
      "POST /api/sessions/kill": (c) => sockets.kill(c.req.valid("json").id),
    },
    sockets: [{ path: PANES_PATH, accept: (client) => sockets.accept(client) }],
    capabilities: () => ({ state_delta_v1: { version: 1 }, styled_lines_v1: { version: 1 } }),
    stop: async () => sockets.stop(),
  };
}

function presenceOf(message: string | Uint8Array): PresenceFrame | null {
  if (typeof message !== "string" || !message.includes('"presence"')) return null;
  return PresenceFrame.safeParse(parseJson(message)).data ?? null;
}

/** A change of the client's view is answered at once, but no more often than this. */
const ANSWER_INTERVAL_MS = 50;

interface PaneSocketDeps extends FlowControl {
  feed: Feed;
  current(): FeedSnapshot;
  onMessage(message: string | Uint8Array): void;
}

/** One client of `/ws`. A slow one skips snapshots: it gets the newest once its buffer is empty. */
class PaneSocket extends FlowControlledSocket {
  readonly #deps: PaneSocketDeps;
  #answerTimer: Timer | undefined;
  #events: Events | null = null;

  constructor(deps: PaneSocketDeps) {
    super({
      ...deps,
      onEnd: () => {
        clearTimeout(this.#answerTimer);
        deps.onEnd();
      },
    });
    this.#deps = deps;
  }

  begin(hello: object, events: Events | null): void {
    this.#events = events;
    this.send(JSON.stringify(hello));
    this.drained();
    events?.begin();
  }

  deliver(frame: AgentFrame): void {
    this.send(JSON.stringify(frame));
  }

  publish(snapshot: FeedSnapshot): void {
    this.#events?.drained();
    if (!this.isReady()) return;
    for (const frame of this.#deps.feed.framesTo(snapshot)) this.send(frame);
  }

  drained(): void {
    this.publish(this.#deps.current());
  }

  receive(message: string | Uint8Array): void {
    if (this.hasEnded) return;
    this.#deps.onMessage(message);
    if (!this.#deps.feed.receive?.(message) || this.#answerTimer) return;
    this.drained();
    this.#answerTimer = setTimeout(() => {
      this.#answerTimer = undefined;
      this.drained();
    }, ANSWER_INTERVAL_MS);
  }

  configChanged(): void {
    if (this.#deps.feed.configChanged?.()) this.drained();
  }
}
