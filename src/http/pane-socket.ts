import type { Clock } from "../lib/clock.ts";
import { CLOSE_KILLED, CLOSE_TRY_AGAIN } from "../protocol/close.ts";
import type { Feed, Snapshot } from "./pane-feed.ts";
import type { SocketSession, Wire } from "./socket.ts";

/** A client that takes nothing for so long is closed with 1013. */
export const MAX_STALL_SECONDS = 30;
/**
 * Each is asked this often whether it is still there: a phone that lost its network says nothing,
 * and Bun, which pings only where nothing is sent, never asks.
 */
export const PING_SECONDS = 60;
/** A wish of the client is answered at once, but not more often than this. */
const ANSWER_INTERVAL_MS = 50;

export interface PaneSocketDeps {
  wire: Wire;
  feed: Feed;
  clock: Clock;
  current(): Snapshot;
  /** Called once, when it closes or is ended. */
  onEnd(): void;
}

/**
 * One client of `/ws`. It gets the newest snapshot as soon as it has taken the frame before;
 * what was published meanwhile is passed over, so a slow client delays nobody.
 */
export class PaneSocket implements SocketSession {
  readonly #deps: PaneSocketDeps;
  #hasEnded = false;
  #answerTimer: ReturnType<typeof setTimeout> | null = null;
  /** What the client has not taken yet, and since when that has not shrunk. */
  #untaken: { bytes: number; since: number } | null = null;

  #hasAnswered = true;
  #pingedAt: number;

  constructor(deps: PaneSocketDeps) {
    this.#deps = deps;
    this.#pingedAt = deps.clock.monotonic();
  }

  open(sid: string): void {
    const { wire, current } = this.#deps;
    wire.send(JSON.stringify({ type: "hello", sid }));
    this.#show(current());
  }

  publish(snapshot: Snapshot): void {
    if (this.#isReady() && this.#isThere()) this.#show(snapshot);
  }

  drained(): void {
    this.publish(this.#deps.current());
  }

  answered(): void {
    this.#hasAnswered = true;
  }

  receive(message: string | Uint8Array): void {
    if (this.#hasEnded || !this.#deps.feed.receive(message) || this.#answerTimer) return;
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
    this.end(CLOSE_KILLED, "disconnected by a person");
  }

  end(code: number, reason: string): void {
    if (this.#hasEnded) return;
    this.#finish();
    // To a client that does not read: Bun cuts the connection some seconds later by itself.
    this.#deps.wire.close(code, reason);
  }

  closed(): void {
    if (!this.#hasEnded) this.#finish();
  }

  #finish(): void {
    this.#hasEnded = true;
    if (this.#answerTimer) clearTimeout(this.#answerTimer);
    this.#deps.onEnd();
  }

  #show(snapshot: Snapshot): void {
    for (const frame of this.#deps.feed.framesTo(snapshot)) this.#deps.wire.send(frame);
  }

  /** False while the frame before has not been taken; ends the socket when that lasts too long. */
  #isReady(): boolean {
    if (this.#hasEnded) return false;
    const bytes = this.#deps.wire.getBufferedAmount();
    if (bytes === 0) {
      this.#untaken = null;
      return true;
    }
    // The ping may wait behind what it takes so slowly: what it has not taken tells of it then.
    this.#hasAnswered = true;
    const now = this.#deps.clock.monotonic();
    if (!this.#untaken || bytes < this.#untaken.bytes) this.#untaken = { bytes, since: now };
    else if (now - this.#untaken.since >= MAX_STALL_SECONDS)
      this.end(CLOSE_TRY_AGAIN, "reads too slowly");
    return false;
  }

  /** False, and the end, when the last ping has had no answer by the time of the next. */
  #isThere(): boolean {
    const { wire, clock } = this.#deps;
    const now = clock.monotonic();
    if (now - this.#pingedAt < PING_SECONDS) return true;
    if (!this.#hasAnswered) {
      this.end(CLOSE_TRY_AGAIN, "does not answer");
      return false;
    }
    this.#hasAnswered = false;
    this.#pingedAt = now;
    wire.ping();
    return true;
  }
}
