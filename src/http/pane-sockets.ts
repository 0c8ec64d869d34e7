import type { Connections } from "../connections/connections.ts";
import { FlowControlledSocket } from "../connections/flow-controlled-socket.ts";
import type { Clock } from "../lib/clock.ts";
import { parseJson } from "../lib/json.ts";
import type { Grant, Slice, SocketClient, SocketSession, StartSocket, Wire } from "../slice.ts";
import { CLOSE_KILLED } from "../protocol/close.ts";
import { PresenceFrame } from "../protocol/frames.ts";
import type { StateEncoder } from "../terminal/encode.ts";
import {
  type CardsAt,
  DeltaFeed,
  DeltaTexts,
  type Feed,
  PlainFeed,
  type FeedSnapshot,
} from "./pane-feed.ts";

interface PaneSocketsDeps {
  hub: {
    readonly current: FeedSnapshot;
    subscribe(listener: (snapshot: FeedSnapshot) => void): () => void;
  };
  encoder: StateEncoder;
  cardsAt: CardsAt;
  connections: Connections;
  clock: Clock;
  /** Who looks at what; null when the socket has ended. */
  presence?: (socket: string, frame: PresenceFrame | null, grant: Grant) => void;
}

/** All clients of `/ws`: publishes each pass to them, and encodes once what they share. */
export class PaneSockets {
  readonly #deps: PaneSocketsDeps;
  readonly #sockets = new Set<PaneSocket>();
  readonly #deltas = new DeltaTexts();
  readonly #unsubscribe: () => void;

  constructor(deps: PaneSocketsDeps) {
    this.#deps = deps;
    this.#unsubscribe = deps.hub.subscribe((snapshot) => {
      for (const socket of [...this.#sockets]) socket.publish(snapshot);
    });
  }

  /** Lists the client among the connected sessions and begins to publish to it. */
  accept({ grant, ip, ua, query }: SocketClient): StartSocket {
    const { hub, encoder, cardsAt, connections, clock, presence } = this.#deps;
    return (wire) => {
      const wantsDeltas = query.get("mode") === "delta";
      const cards = query.get("cards") === "1" ? cardsAt : null;
      const feed = wantsDeltas ? new DeltaFeed(this.#deltas, cards) : new PlainFeed(encoder, cards);
      const onEnd = () => {
        connections.remove(sid);
        presence?.(sid, null, grant);
        this.#sockets.delete(socket);
      };
      const onMessage = (message: string | Uint8Array) => {
        const frame = wantsDeltas && presence ? presenceOf(message) : null;
        if (frame) presence?.(sid, frame, grant);
      };
      const current = () => hub.current;
      // A plain client gets every line with every pass: deflating that anew for each costs too much.
      const isDeflated = wantsDeltas;
      const socket = new PaneSocket({ wire, feed, clock, isDeflated, current, onMessage, onEnd });
      const sid = connections.add({ ip, ua, kill: () => socket.kill() });
      this.#sockets.add(socket);
      socket.open(sid);
      return socket;
    };
  }

  /** After a successful `PATCH /api/config`: a plain `/ws` carries the contract's frames only. */
  configChanged(): void {
    for (const socket of [...this.#sockets]) socket.configChanged();
  }

  stop(): void {
    this.#unsubscribe();
  }
}

export function paneSocketsSlice(sockets: PaneSockets): Slice {
  return {
    name: "pane sockets",
    sockets: [{ path: "/ws", accept: (client) => sockets.accept(client) }],
    capabilities: () => ({ state_delta_v1: { version: 1 }, styled_lines_v1: { version: 1 } }),
    stop: async () => sockets.stop(),
  };
}

/** Null for any other message: another reader may know it. */
function presenceOf(message: string | Uint8Array): PresenceFrame | null {
  if (typeof message !== "string" || !message.includes('"presence"')) return null;
  return PresenceFrame.safeParse(parseJson(message)).data ?? null;
}

/** A change of the client's view is answered at once, but not more often than this. */
const ANSWER_INTERVAL_MS = 50;

interface PaneSocketDeps {
  wire: Wire;
  feed: Feed;
  clock: Clock;
  isDeflated: boolean;
  current(): FeedSnapshot;
  onMessage(message: string | Uint8Array): void;
  /** Called once, when it closes or is ended. */
  onEnd(): void;
}

/**
 * One client of `/ws`. It gets the newest snapshot as soon as its buffer is empty and skips those in
 * between, so that a slow client delays nobody.
 */
class PaneSocket implements SocketSession {
  readonly #deps: PaneSocketDeps;
  readonly #line: FlowControlledSocket;
  #answerTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(deps: PaneSocketDeps) {
    this.#deps = deps;
    const { wire, clock, isDeflated } = deps;
    this.#line = new FlowControlledSocket({ wire, clock, isDeflated, onEnd: () => this.#ended() });
  }

  open(sid: string): void {
    this.#line.send(JSON.stringify({ type: "hello", sid }));
    this.#show(this.#deps.current());
  }

  publish(snapshot: FeedSnapshot): void {
    if (this.#line.isReady()) this.#show(snapshot);
  }

  drained(): void {
    this.publish(this.#deps.current());
  }

  answered(): void {
    this.#line.answered();
  }

  receive(message: string | Uint8Array): void {
    if (this.#line.hasEnded) return;
    this.#deps.onMessage(message);
    if (!this.#deps.feed.receive(message) || this.#answerTimer) return;
    this.publish(this.#deps.current());
    this.#answerTimer = setTimeout(() => {
      this.#answerTimer = null;
      this.publish(this.#deps.current());
    }, ANSWER_INTERVAL_MS);
  }

  configChanged(): void {
    if (this.#deps.feed.configChanged()) this.publish(this.#deps.current());
  }

  kill(): void {
    this.#line.end(CLOSE_KILLED, "disconnected by a person");
  }

  closed(): void {
    this.#line.closed();
  }

  #ended(): void {
    if (this.#answerTimer) clearTimeout(this.#answerTimer);
    this.#deps.onEnd();
  }

  #show(snapshot: FeedSnapshot): void {
    for (const frame of this.#deps.feed.framesTo(snapshot)) this.#line.send(frame);
  }
}
