import { randomInt } from "node:crypto";
import { type FlowControl, FlowControlledSocket } from "../connections/flow-controlled-socket.ts";
import type { Clock } from "../lib/clock.ts";
import type { AgentEvent, AgentFrame } from "../protocol/agent-replies.ts";
import { CLOSE_NORMAL, CLOSE_TRY_AGAIN } from "../protocol/socket.ts";
import { closeAtOnce, type SocketClient, type StartSocket } from "../slice.ts";

const TICK_MS = 2000;
export const PING_AFTER_SECONDS = 20;
/** Events that wait for a client that reads slowly; one more, and it has to begin anew. */
export const MAX_WAITING_EVENTS = 100;
export const MAX_KEPT_EVENTS = 500;
/** Events of a run that a client which asks for all of them (cursor 0) is given. */
export const MAX_FIRST_EVENTS = 100;
/** The counter of a service starts somewhere here, so that the cursors of two do not meet. */
const LOWEST_START = 2 ** 40;
const HIGHEST_START = 2 ** 47;

type EventFrame = Extract<AgentFrame, { type: "agent_event" }>;
type ResetReason = Extract<AgentFrame, { type: "reset" }>["reason"];

/**
 * What has changed since the service began, as a numbered list whose beginning is forgotten, and
 * those who listen to it: every event in order, or one reset in the place of those that were lost.
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

  /** The workspace was switched off: those who listen are told so. */
  close(): void {
    if (this.#ticking) clearInterval(this.#ticking);
    this.#ticking = null;
    for (const socket of [...this.#sockets])
      socket.end(CLOSE_NORMAL, "the agent workspace was switched off");
  }

  /** Tells of a change that can be read already. */
  publish(event: AgentEvent): void {
    this.#cursor++;
    const frame: EventFrame = { type: "agent_event", cursor: this.#cursor, event };
    this.#kept.push(frame);
    // By a whole block: one by one would move the list with every event.
    if (this.#kept.length >= 2 * MAX_KEPT_EVENTS) this.#kept = this.#kept.slice(-MAX_KEPT_EVENTS);
    for (const listener of [...this.#listeners]) listener(frame);
  }

  subscribe(listener: (frame: EventFrame) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  accept({ query }: Pick<SocketClient, "query">): StartSocket {
    if (!this.#ticking) return closeAtOnce(CLOSE_TRY_AGAIN, "agent context is disabled");
    return (wire) => {
      const onEnd = () => this.#sockets.delete(socket);
      const socket = new AgentSocket(
        { wire, clock: this.#clock, onEnd },
        this,
        query.get("cursor"),
      );
      this.#sockets.add(socket);
      return socket;
    };
  }

  /**
   * What has happened since a cursor and whatever happens then, also over times when the workspace is
   * off: a pane socket with `?events=1` has it, beside those of `/ws/agents`.
   * @param cursor as the client gives it: none, or what is no integer, is from now on, and 0 the
   *   start of this service
   */
  follow(reader: EventReader, cursor: string | null) {
    const { from, frames } = this.#since(parseCursor(cursor));
    let told = this.#cursor;
    /** Goes on where the reader can take more. */
    const drained = () => {
      while (reader.isReady()) {
        const next = this.#after(told);
        if (!next) return;
        told = next.cursor;
        reader.speak(next);
      }
    };
    return {
      /** Where the events go on. */
      cursor: from,
      /** Tells what was missed. */
      begin: () => frames.forEach((frame) => reader.speak(frame)),
      drained,
      end: this.subscribe(drained),
    };
  }

  tick(): void {
    for (const socket of [...this.#sockets]) socket.tick(this.#cursor);
  }

  /** `given` is the client's cursor: null when it has none, 0 for the start of this service. */
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

  /** What comes behind a cursor: the event, or one reset in the place of more than may wait. */
  #after(cursor: number) {
    const waiting = this.#cursor - cursor;
    if (waiting <= MAX_WAITING_EVENTS) return waiting > 0 ? this.#kept.at(-waiting) : undefined;
    return { type: "reset", cursor: this.#cursor, reason: "subscriber_lagged" } as const;
  }
}

/** Whoever takes events, and says when more can be taken. */
interface EventReader {
  isReady(): boolean;
  speak(frame: AgentFrame): void;
}

type FollowedLog = ReturnType<AgentFeed["follow"]>;

class AgentSocket extends FlowControlledSocket {
  readonly #clock: Clock;
  readonly #followed: FollowedLog;
  #spokenAt: number;

  constructor({ wire, clock, onEnd }: FlowControl, feed: AgentFeed, cursor: string | null) {
    const ended = () => {
      this.#followed.end();
      onEnd();
    };
    super({ wire, clock, onEnd: ended });
    this.#clock = clock;
    this.#spokenAt = clock.monotonic();
    this.#followed = feed.follow(this, cursor);
    this.speak({ type: "hello", cursor: this.#followed.cursor });
    this.#followed.begin();
  }

  /** Breaks silence, and notices a client that is gone. */
  tick(cursor: number): void {
    this.drained();
    const isSilent = this.#clock.monotonic() - this.#spokenAt >= PING_AFTER_SECONDS;
    if (isSilent && this.isReady()) this.speak({ type: "ping", cursor });
  }

  drained(): void {
    this.#followed.drained();
  }

  // Clients have nothing to say here.
  receive(): void {}

  speak(frame: AgentFrame): void {
    this.#spokenAt = this.#clock.monotonic();
    this.send(JSON.stringify(frame));
  }
}

function parseCursor(text: string | null): number | null {
  return text !== null && /^[+-]?\d+$/.test(text) ? Number(text) : null;
}
