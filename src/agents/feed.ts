import { randomInt } from "node:crypto";
import { type FlowControl, FlowControlledSocket } from "../connections/flow-controlled-socket.ts";
import type { Clock } from "../lib/clock.ts";
import type { AgentEvent, AgentFrame } from "../protocol/agent-replies.ts";
import { CLOSE_NORMAL, CLOSE_TRY_AGAIN } from "../protocol/socket.ts";
import { closeAtOnce, type SocketClient, type StartSocket } from "../slice.ts";

const TICK_MS = 2000;
export const PING_AFTER_SECONDS = 20;
/** Events that may wait for a slow client; with one more it gets a reset in their place. */
export const MAX_WAITING_EVENTS = 100;
export const MAX_KEPT_EVENTS = 500;
/** With cursor 0 a client asks for all events since the start: beyond these it gets a reset. */
export const MAX_FIRST_EVENTS = 100;
/** The counter starts at a random number, so that a cursor of another run is not taken for ours. */
const LOWEST_START = 2 ** 40;
const HIGHEST_START = 2 ** 47;

type EventFrame = Extract<AgentFrame, { type: "agent_event" }>;
type ResetReason = Extract<AgentFrame, { type: "reset" }>["reason"];

/**
 * Numbered events since the service began, of which the newest are kept. A subscriber gets every
 * event in order, or one reset in the place of those that it missed.
 */
export class AgentFeed {
  readonly #clock: Clock;
  readonly #start: number;
  readonly #sockets = new Set<AgentSocket>();
  readonly #listeners = new Set<(frame: EventFrame) => void>();
  #kept: EventFrame[] = [];
  #cursor: number;
  /** Null while the workspace is off. */
  #ticking: ReturnType<typeof setInterval> | null = null;

  constructor(clock: Clock, start = randomInt(LOWEST_START, HIGHEST_START)) {
    this.#clock = clock;
    this.#start = start;
    this.#cursor = start;
  }

  get cursor(): number {
    return this.#cursor;
  }

  open(): void {
    this.#ticking ??= setInterval(() => this.tick(), TICK_MS).unref();
  }

  /** The workspace was switched off. */
  close(): void {
    if (this.#ticking) clearInterval(this.#ticking);
    this.#ticking = null;
    for (const socket of [...this.#sockets])
      socket.end(CLOSE_NORMAL, "the agent workspace was switched off");
  }

  /** Call it after the change is stored: clients read it at once. */
  publish(event: AgentEvent): void {
    this.#cursor++;
    const frame: EventFrame = { type: "agent_event", cursor: this.#cursor, event };
    this.#kept.push(frame);
    // In blocks: dropping one by one would move the list with every event.
    if (this.#kept.length >= 2 * MAX_KEPT_EVENTS) this.#kept = this.#kept.slice(-MAX_KEPT_EVENTS);
    for (const listener of [...this.#listeners]) listener(frame);
  }

  subscribe(listener: (frame: EventFrame) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  accept({ query }: Pick<SocketClient, "query">): StartSocket {
    if (!this.#ticking) return closeAtOnce(CLOSE_TRY_AGAIN, "agent context is disabled");
    return (rawSocket) => {
      const onEnd = () => this.#sockets.delete(socket);
      const socket = new AgentSocket(
        { rawSocket, clock: this.#clock, onEnd },
        this,
        query.get("cursor"),
      );
      this.#sockets.add(socket);
      return socket;
    };
  }

  /**
   * Delivers all events since a cursor and all later ones, for `/ws/agents` and for pane sockets
   * with `?events=1`; it goes on while the workspace is off.
   * @param cursor null, or no integer: from now on; 0: since the start of this service
   */
  follow(reader: EventReader, cursor: string | null) {
    const isInteger = cursor !== null && /^[+-]?\d+$/.test(cursor);
    const { from, frames } = this.#since(isInteger ? Number(cursor) : null);
    let delivered = this.#cursor;
    const drained = () => {
      while (reader.isReady()) {
        const next = this.#after(delivered);
        if (!next) return;
        delivered = next.cursor;
        reader.deliver(next);
      }
    };
    return {
      cursor: from,
      /** Delivers the events since the cursor. */
      begin: () => frames.forEach((frame) => reader.deliver(frame)),
      drained,
      end: this.subscribe(drained),
    };
  }

  tick(): void {
    for (const socket of [...this.#sockets]) socket.tick(this.#cursor);
  }

  #since(given: number | null): { from: number; frames: readonly AgentFrame[] } {
    const now = this.#cursor;
    const from = given === null ? now : given === 0 ? this.#start : given;
    const isKnown = from >= this.#start && from <= now;
    const isKept = now - from <= (given === 0 ? MAX_FIRST_EVENTS : MAX_KEPT_EVENTS);
    if (isKnown && isKept)
      return { from, frames: this.#kept.filter(({ cursor }) => cursor > from) };
    const reason: ResetReason = isKnown ? "cursor_expired" : "cursor_unknown";
    return { from: now, frames: [{ type: "reset", cursor: now, reason }] };
  }

  /** The event after a cursor, or one reset where more than may wait have passed. */
  #after(cursor: number) {
    const waiting = this.#cursor - cursor;
    if (waiting <= MAX_WAITING_EVENTS) return waiting > 0 ? this.#kept.at(-waiting) : undefined;
    return { type: "reset", cursor: this.#cursor, reason: "subscriber_lagged" } as const;
  }
}

interface EventReader {
  isReady(): boolean;
  deliver(frame: AgentFrame): void;
}

class AgentSocket extends FlowControlledSocket {
  readonly #clock: Clock;
  readonly #subscription: ReturnType<AgentFeed["follow"]>;
  #sentAt: number;

  constructor({ rawSocket, clock, onEnd }: FlowControl, feed: AgentFeed, cursor: string | null) {
    const ended = () => {
      this.#subscription.end();
      onEnd();
    };
    super({ rawSocket, clock, onEnd: ended });
    this.#clock = clock;
    this.#sentAt = clock.monotonic();
    this.#subscription = feed.follow(this, cursor);
    this.deliver({ type: "hello", cursor: this.#subscription.cursor });
    this.#subscription.begin();
  }

  /** Pings after a silence; `isReady` notices a client that is gone. */
  tick(cursor: number): void {
    this.drained();
    const isSilent = this.#clock.monotonic() - this.#sentAt >= PING_AFTER_SECONDS;
    if (isSilent && this.isReady()) this.deliver({ type: "ping", cursor });
  }

  drained(): void {
    this.#subscription.drained();
  }

  // Clients send nothing here.
  receive(): void {}

  deliver(frame: AgentFrame): void {
    this.#sentAt = this.#clock.monotonic();
    this.send(JSON.stringify(frame));
  }
}
