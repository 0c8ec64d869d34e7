import type { Clock } from "../lib/clock.ts";
import type { Wire } from "../slice.ts";
import { CLOSE_TRY_AGAIN } from "../protocol/socket.ts";

/** A client that reads nothing for so long is closed with 1013. */
export const MAX_STALL_SECONDS = 30;
/**
 * Interval of our own pings. A phone that lost its network sends no close, and Bun pings only sockets
 * to which nothing is sent.
 */
export const PING_SECONDS = 60;

/** A shorter text gains less by deflating than that costs. */
const DEFLATED_FROM = 1024;

export interface FlowControl {
  wire: Wire;
  clock: Clock;
  /** Deflates what is long, where the client can. Each socket pays for it anew. */
  isDeflated?: boolean;
  onEnd(): void;
}

/**
 * The connection to one client, whatever its frames are: back-pressure, keepalive and a single end.
 * The sender asks `isReady` before each frame, at least every few seconds, and sends again when the
 * buffer has drained.
 */
export class FlowControlledSocket {
  readonly #deps: FlowControl;
  #hasEnded = false;
  /** Buffered bytes, and since when they have not shrunk. */
  #untaken: { bytes: number; since: number } | null = null;
  #hasAnswered = true;
  #pingedAt: number;

  constructor(deps: FlowControl) {
    this.#deps = deps;
    this.#pingedAt = deps.clock.monotonic();
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  send(text: string): void {
    if (this.#hasEnded) return;
    const { wire, isDeflated = false } = this.#deps;
    wire.send(text, isDeflated && text.length >= DEFLATED_FROM);
  }

  /** False while bytes are buffered, and after the end; a stalled or silent client is ended here. */
  isReady(): boolean {
    return this.#hasDrained() && this.#isThere();
  }

  answered(): void {
    this.#hasAnswered = true;
  }

  end(code: number, reason: string): void {
    if (this.#hasEnded) return;
    this.closed();
    // A client that does not read never sees this: Bun cuts the connection some seconds later.
    this.#deps.wire.close(code, reason);
  }

  closed(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#deps.onEnd();
  }

  #hasDrained(): boolean {
    if (this.#hasEnded) return false;
    const { wire, clock } = this.#deps;
    const bytes = wire.getBufferedAmount();
    if (bytes === 0) {
      this.#untaken = null;
      return true;
    }
    // A slow reader may not have seen our ping yet: it is judged by its unread bytes instead.
    this.#hasAnswered = true;
    const now = clock.monotonic();
    if (!this.#untaken || bytes < this.#untaken.bytes) this.#untaken = { bytes, since: now };
    else if (now - this.#untaken.since >= MAX_STALL_SECONDS)
      this.end(CLOSE_TRY_AGAIN, "reads too slowly");
    return false;
  }

  /** Ends the line when the last ping is unanswered by the time of the next. */
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
