import type { Clock } from "../lib/clock.ts";
import type { RawSocket } from "../slice.ts";
import { CLOSE_TRY_AGAIN } from "../protocol/socket.ts";

/** A client that reads nothing for so long is closed. */
export const MAX_STALL_SECONDS = 30;
/** A phone that lost its network sends no close, and Bun pings only idle sockets. */
export const PING_SECONDS = 60;

/** To deflate a shorter text costs more than it saves. */
const MIN_DEFLATED_CHARS = 1024;

export interface FlowControl {
  rawSocket: RawSocket;
  clock: Clock;
  /** Deflates long texts, where the client can. */
  isDeflated?: boolean;
  onEnd(): void;
}

/**
 * Back-pressure, keepalive and a single end for one client. The sender asks `isReady` before each
 * frame, at least every few seconds, and sends again when the buffer has drained.
 */
export class FlowControlledSocket {
  readonly #deps: FlowControl;
  #hasEnded = false;
  /** Since when the buffered bytes have not shrunk, monotonic seconds. */
  #backlog: { bytes: number; since: number } | null = null;
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
    const { rawSocket, isDeflated = false } = this.#deps;
    rawSocket.send(text, isDeflated && text.length >= MIN_DEFLATED_CHARS);
  }

  /** False while bytes are buffered, and after the end. Ends a stalled or silent client. */
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
    this.#deps.rawSocket.close(code, reason);
  }

  closed(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#deps.onEnd();
  }

  #hasDrained(): boolean {
    if (this.#hasEnded) return false;
    const { rawSocket, clock } = this.#deps;
    const bytes = rawSocket.getBufferedAmount();
    if (bytes === 0) {
      this.#backlog = null;
      return true;
    }
    // A slow client may not have read our ping yet: its unread bytes are judged instead.
    this.#hasAnswered = true;
    const now = clock.monotonic();
    if (!this.#backlog || bytes < this.#backlog.bytes) this.#backlog = { bytes, since: now };
    else if (now - this.#backlog.since >= MAX_STALL_SECONDS)
      this.end(CLOSE_TRY_AGAIN, "reads too slowly");
    return false;
  }

  /** Ends the connection when the last ping is unanswered by the time of the next. */
  #isThere(): boolean {
    const { rawSocket, clock } = this.#deps;
    const now = clock.monotonic();
    if (now - this.#pingedAt < PING_SECONDS) return true;
    if (!this.#hasAnswered) {
      this.end(CLOSE_TRY_AGAIN, "does not answer");
      return false;
    }
    this.#hasAnswered = false;
    this.#pingedAt = now;
    rawSocket.ping();
    return true;
  }
}
