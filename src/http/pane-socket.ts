import type { Clock } from "../lib/clock.ts";
import { SocketLine } from "../connections/socket-line.ts";
import type { SocketSession, Wire } from "../lib/socket.ts";
import { CLOSE_KILLED } from "../protocol/close.ts";
import type { Feed, Snapshot } from "./pane-feed.ts";

/** A change of the client's view is answered at once, but not more often than this. */
const ANSWER_INTERVAL_MS = 50;

export interface PaneSocketDeps {
  wire: Wire;
  feed: Feed;
  clock: Clock;
  isDeflated: boolean;
  current(): Snapshot;
  /** Every message of the client, whatever it is. */
  onMessage(message: string | Uint8Array): void;
  /** Called once, when it closes or is ended. */
  onEnd(): void;
}

/**
 * One client of `/ws`. It gets the newest snapshot as soon as its buffer is empty and skips those in
 * between, so that a slow client delays nobody.
 */
export class PaneSocket implements SocketSession {
  readonly #deps: PaneSocketDeps;
  readonly #line: SocketLine;
  #answerTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(deps: PaneSocketDeps) {
    this.#deps = deps;
    const { wire, clock, isDeflated } = deps;
    this.#line = new SocketLine({ wire, clock, isDeflated, onEnd: () => this.#ended() });
  }

  open(sid: string): void {
    this.#line.send(JSON.stringify({ type: "hello", sid }));
    this.#show(this.#deps.current());
  }

  publish(snapshot: Snapshot): void {
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

  #show(snapshot: Snapshot): void {
    for (const frame of this.#deps.feed.framesTo(snapshot)) this.#line.send(frame);
  }
}
