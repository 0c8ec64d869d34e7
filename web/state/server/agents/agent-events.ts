import { signal } from "@preact/signals";
import { readAgentFrame, type SeenAgentEvent } from "../../../../src/protocol/tolerant-agents.ts";
import { Feed, type FeedPhase } from "../../../net/feed.ts";

export interface AgentEventsDeps {
  readonly token: () => string;
  readonly open: (url: string) => WebSocket;
  /** Of the server's sockets: `ws://host:port`. */
  readonly origin: string;
  readonly onEvent: (event: SeenAgentEvent) => void;
  /** The first word of the first socket: what was read before it may have changed untold. */
  readonly onFirst: () => void;
  /** Events were missed: everything that was read may be old, its revisions those of another run. */
  readonly onReset: () => void;
  /** The socket lives, again or for the first time. */
  readonly onLive: () => void;
  /** A frame has come, whatever it says: at least one with every ping. */
  readonly onFrame: () => void;
  /** The server has closed the socket for good: its configuration may say why. */
  readonly onEnded: () => void;
}

/** What the server tells of agents as it happens, over a socket that goes on where the last one ended. */
export class AgentEvents {
  readonly phase = signal<FeedPhase>("off");
  readonly #deps: AgentEventsDeps;
  readonly #feed: Feed;
  #cursor: number | null = null;

  constructor(deps: AgentEventsDeps) {
    this.#deps = deps;
    this.#feed = new Feed({
      open: deps.open,
      url: () => this.#url(),
      onFrame: (text) => this.#take(text),
      onPhase: (phase) => {
        this.phase.value = phase;
        if (phase === "live") deps.onLive();
      },
      onEnd: deps.onEnded,
    });
  }

  start(): void {
    this.#feed.start();
  }

  stop(): void {
    this.#feed.stop();
  }

  #url(): string {
    const { origin, token } = this.#deps;
    const query = new URLSearchParams();
    if (token() !== "") query.set("token", token());
    if (this.#cursor !== null) query.set("cursor", String(this.#cursor));
    return `${origin}/ws/agents${query.size === 0 ? "" : `?${query}`}`;
  }

  #take(text: string): void {
    const { onEvent, onFirst, onFrame, onReset } = this.#deps;
    onFrame();
    const reading = readAgentFrame(text);
    if (!reading.ok || reading.value.type === "unknown") return;
    const frame = reading.value;
    const before = this.#cursor;
    if (frame.type === "agent_event") {
      this.#cursor = frame.cursor;
      return onEvent(frame.event);
    }
    // What lies between comes as events behind it. A counter that went back is another run's.
    if (frame.type !== "reset" && before !== null && frame.cursor >= before) return;
    this.#cursor = frame.cursor;
    if (frame.type === "hello" && before === null) onFirst();
    else onReset();
  }
}
