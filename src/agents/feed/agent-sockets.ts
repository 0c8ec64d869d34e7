import type { Clock } from "../../lib/clock.ts";
import { closeAtOnce, type StartSocket } from "../../lib/socket.ts";
import { CLOSE_NORMAL, CLOSE_TRY_AGAIN } from "../../protocol/close.ts";
import type { SocketClient } from "../../slice.ts";
import { AgentSocket } from "./agent-socket.ts";
import { type Invalidations, parseEventCursor } from "./invalidations.ts";

/** Between two looks at silent and stalled clients. */
const TICK_MS = 2000;

/** All clients of `/ws/agents`; open only while the workspace runs. */
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
