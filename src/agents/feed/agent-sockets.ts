import { FlowControlledSocket } from "../../connections/flow-controlled-socket.ts";
import type { Clock } from "../../lib/clock.ts";
import {
  closeAtOnce,
  type SocketClient,
  type SocketSession,
  type StartSocket,
  type Wire,
} from "../../slice.ts";
import type { AgentFrame } from "../../protocol/agent-replies.ts";
import { CLOSE_NORMAL, CLOSE_TRY_AGAIN } from "../../protocol/close.ts";
import {
  type EventFrame,
  type Invalidations,
  parseEventCursor,
  type Resumption,
} from "./invalidations.ts";

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
class AgentSocket implements SocketSession {
  readonly #deps: AgentSocketDeps;
  readonly #line: FlowControlledSocket;
  #waiting: EventFrame[] = [];
  #hasLagged = false;
  #spokenAt: number;

  constructor(deps: AgentSocketDeps) {
    this.#deps = deps;
    this.#spokenAt = deps.clock.monotonic();
    this.#line = new FlowControlledSocket(deps);
  }

  open({ cursor, missed, reset }: Resumption): void {
    this.#send({ type: "hello", cursor });
    if (reset) this.#send({ type: "reset", cursor, reason: reset });
    for (const frame of missed) this.#send(frame);
  }

  tell(frame: EventFrame): void {
    if (this.#hasLagged || this.#line.hasEnded) return;
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
    if (isSilent && this.#line.isReady()) this.#send({ type: "ping", cursor: this.#deps.cursor() });
  }

  end(code: number, reason: string): void {
    this.#line.end(code, reason);
  }

  drained(): void {
    this.#flush();
  }

  answered(): void {
    this.#line.answered();
  }

  // Clients have nothing to say here.
  receive(): void {}

  closed(): void {
    this.#line.closed();
  }

  #flush(): void {
    while (this.#line.isReady()) {
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
    this.#line.send(JSON.stringify(frame));
  }
}
