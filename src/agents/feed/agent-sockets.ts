import { randomInt } from "node:crypto";
import { FlowControlledSocket } from "../../connections/flow-controlled-socket.ts";
import type { Clock } from "../../lib/clock.ts";
import type { AgentEvent, AgentFrame } from "../../protocol/agent-replies.ts";
import { CLOSE_NORMAL, CLOSE_TRY_AGAIN } from "../../protocol/close.ts";
import {
  closeAtOnce,
  type SocketClient,
  type SocketSession,
  type StartSocket,
  type Wire,
} from "../../slice.ts";

/** Between two looks at silent and stalled clients. */
const TICK_MS = 2000;

export class AgentSockets {
  readonly #clock: Clock;
  readonly #sockets = new Set<AgentSocket>();
  #running: { events: Invalidations; end(): void } | null = null;

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock;
  }

  open(events: Invalidations): void {
    const unsubscribe = events.subscribe((frame) => {
      for (const socket of [...this.#sockets]) socket.tell(frame);
    });
    const timer = setInterval(() => this.tick(), TICK_MS);
    timer.unref();
    this.#running = {
      events,
      end() {
        unsubscribe();
        clearInterval(timer);
      },
    };
  }

  /** The workspace was switched off: those who listen are told so. */
  close(): void {
    this.#running?.end();
    this.#running = null;
    for (const socket of [...this.#sockets])
      socket.end(CLOSE_NORMAL, "the agent workspace was switched off");
  }

  accept({ query }: Pick<SocketClient, "query">): StartSocket {
    if (!this.#running) return closeAtOnce(CLOSE_TRY_AGAIN, "agent context is disabled");
    const { events } = this.#running;
    return (wire) => {
      const socket = new AgentSocket({
        wire,
        clock: this.#clock,
        cursor: () => events.cursor,
        onEnd: () => this.#sockets.delete(socket),
      });
      this.#sockets.add(socket);
      socket.open(events.resume(parseEventCursor(query.get("cursor"))));
      return socket;
    };
  }

  tick(): void {
    for (const socket of [...this.#sockets]) socket.tick();
  }
}

/** Events that wait for a client that reads slowly; one more, and it has to begin anew. */
export const MAX_WAITING_EVENTS = 100;
export const PING_AFTER_SECONDS = 20;

interface AgentSocketDeps {
  wire: Wire;
  clock: Clock;
  cursor(): number;
  onEnd(): void;
}

/** One client of `/ws/agents`: every event in order, or one reset in the place of those it lost. */
class AgentSocket extends FlowControlledSocket implements SocketSession {
  readonly #deps: AgentSocketDeps;
  #waiting: EventFrame[] = [];
  #hasLagged = false;
  #spokenAt: number;

  constructor(deps: AgentSocketDeps) {
    super(deps);
    this.#deps = deps;
    this.#spokenAt = deps.clock.monotonic();
  }

  open({ cursor, missed, reset }: Resumption): void {
    this.#send({ type: "hello", cursor });
    if (reset) this.#send({ type: "reset", cursor, reason: reset });
    for (const frame of missed) this.#send(frame);
  }

  tell(frame: EventFrame): void {
    if (this.#hasLagged || this.hasEnded) return;
    this.#waiting.push(frame);
    this.#flush();
    if (this.#waiting.length <= MAX_WAITING_EVENTS) return;
    this.#waiting = [];
    this.#hasLagged = true;
  }

  /** To be called every few seconds: breaks silence, and notices a client that is gone. */
  tick(): void {
    this.#flush();
    const isSilent = this.#deps.clock.monotonic() - this.#spokenAt >= PING_AFTER_SECONDS;
    if (isSilent && this.isReady()) this.#send({ type: "ping", cursor: this.#deps.cursor() });
  }

  drained(): void {
    this.#flush();
  }

  // Clients have nothing to say here.
  receive(): void {}

  #flush(): void {
    while (this.isReady()) {
      if (this.#hasLagged) {
        this.#hasLagged = false;
        this.#send({ type: "reset", cursor: this.#deps.cursor(), reason: "subscriber_lagged" });
        continue;
      }
      const frame = this.#waiting.shift();
      if (!frame) return;
      this.#send(frame);
    }
  }

  #send(frame: AgentFrame): void {
    this.#spokenAt = this.#deps.clock.monotonic();
    this.send(JSON.stringify(frame));
  }
}

export const MAX_KEPT_EVENTS = 500;
/** Events of a run that a client which asks for all of them (cursor 0) is given. */
export const MAX_FIRST_EVENTS = 100;
/** A run's counter starts somewhere here, so that the cursors of two runs do not meet. */
const LOWEST_START = 2 ** 40;
const HIGHEST_START = 2 ** 47;

type EventFrame = Extract<AgentFrame, { type: "agent_event" }>;
type ResetReason = Extract<AgentFrame, { type: "reset" }>["reason"];

/** Where a client goes on: behind `cursor`, with what it has missed, or with everything anew. */
interface Resumption {
  cursor: number;
  missed: readonly EventFrame[];
  reset: ResetReason | null;
}

/** What has changed since this run began, as a numbered list whose beginning is forgotten. */
export class Invalidations {
  readonly #start: number;
  readonly #listeners = new Set<(frame: EventFrame) => void>();
  #kept: EventFrame[] = [];
  #cursor: number;

  constructor(start = randomInt(LOWEST_START, HIGHEST_START)) {
    this.#start = start;
    this.#cursor = start;
  }

  get cursor(): number {
    return this.#cursor;
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

  /** `given` is the client's cursor: null when it has none, 0 for the start of this run. */
  resume(given: number | null): Resumption {
    const now = this.#cursor;
    if (given === null) return { cursor: now, missed: [], reset: null };
    const from = given === 0 ? this.#start : given;
    if (from < this.#start || from > now)
      return { cursor: now, missed: [], reset: "cursor_unknown" };
    const limit = given === 0 ? MAX_FIRST_EVENTS : MAX_KEPT_EVENTS;
    if (now - from > limit) return { cursor: now, missed: [], reset: "cursor_expired" };
    const missed = this.#kept.filter(({ cursor }) => cursor > from);
    return { cursor: from, missed, reset: null };
  }
}

/** The `cursor` of a request for a socket; what is no whole number counts as none. */
function parseEventCursor(text: string | null): number | null {
  return text !== null && /^[+-]?\d+$/.test(text) ? Number(text) : null;
}
