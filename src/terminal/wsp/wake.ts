import type { Log } from "../../lib/log.ts";
import { subscription } from "./event-line.ts";
import { EventReader } from "./event-reader.ts";
import { isSameSocket } from "./examine.ts";
import type { SocketFile } from "./identity.ts";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8000;
const WAKE_EVERY_MS = 100;

export interface WakeDeps {
  /** Null while the socket may not be used. */
  socket: () => SocketFile | null;
  /** Whether a stream of this server begins with history. */
  replays: () => boolean;
  log: Pick<Log, "info">;
}

interface Stream {
  close(): void;
  agentPanes: string;
}

/**
 * The session's events, which only ever ask for a pass: what they say is never believed. One stream
 * at a time; whatever looks wrong ends it, and another is tried later and later.
 */
export class WakeEvents {
  readonly #deps: WakeDeps;
  #wake: (() => void) | null = null;
  #stream: Stream | null = null;
  #agentPanes: readonly string[] = [];
  #retry: Timer | null = null;
  #pauseMs = FIRST_PAUSE_MS;
  #isActive = false;
  #lastWakeMs = -WAKE_EVERY_MS;
  #laterWake: Timer | null = null;
  #lastId = 0;

  constructor(deps: WakeDeps) {
    this.#deps = deps;
  }

  /** A stream has been acknowledged and still stands. */
  get isActive(): boolean {
    return this.#isActive;
  }

  start(wake: () => void): void {
    this.#wake = wake;
  }

  stop(): void {
    this.#wake = null;
    clearTimeout(this.#retry ?? undefined);
    clearTimeout(this.#laterWake ?? undefined);
    this.#close();
    this.#isActive = false;
  }

  /** Panes whose agents may change their status: another set needs another stream. */
  follow(agentPanes: readonly string[]): void {
    this.#agentPanes = agentPanes;
    if (!this.#wake) return;
    const isOther = this.#stream !== null && this.#stream.agentPanes !== agentPanes.join(" ");
    if (isOther) this.#end(null);
    if (!this.#stream && !this.#retry) this.#open();
  }

  #open(): void {
    this.#retry = null;
    const file = this.#deps.socket();
    if (!file || !this.#wake) return;
    const id = `panewatch-events-${++this.#lastId}`;
    const agentPanes = this.#agentPanes;
    const reader = new EventReader(
      { id, replays: this.#deps.replays() },
      {
        started: () => this.#started(),
        event: () => this.#askForPass(),
        wrong: (why) => this.#end(stream, why),
      },
    );
    let close = () => {};
    const stream: Stream = {
      agentPanes: agentPanes.join(" "),
      close: () => {
        reader.end();
        close();
      },
    };
    this.#stream = stream;
    Bun.connect({
      unix: file.path,
      socket: {
        open: (socket) => {
          close = () => void socket.terminate();
          if (this.#stream !== stream) return close();
          if (!isSameSocket(file)) return this.#end(stream, "the socket is another file now");
          socket.write(`${subscription(id, agentPanes)}\n`);
          socket.flush();
        },
        data: (_, data) => reader.take(data),
        close: () => this.#end(stream, "the stream ended"),
        error: () => this.#end(stream, "the stream failed"),
        connectError: () => this.#end(stream, "nobody answers at the socket"),
      },
    }).catch(() => this.#end(stream, "nobody answers at the socket"));
  }

  #started(): void {
    this.#isActive = true;
    this.#pauseMs = FIRST_PAUSE_MS;
    // Something may have happened while no stream stood.
    this.#askForPass();
  }

  /** `why` is null when another stream takes this one's place. */
  #end(stream: Stream | null, why: string | null = null): void {
    if (stream !== null && this.#stream !== stream) return;
    this.#close();
    if (why === null) return;
    if (this.#isActive) this.#deps.log.info(`wsp events: ${why}; polling goes on without them`);
    this.#isActive = false;
    if (!this.#wake) return;
    this.#retry = setTimeout(() => this.#open(), this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }

  // Forgotten first: a socket may tell of its end while it is being closed.
  #close(): void {
    const stream = this.#stream;
    this.#stream = null;
    stream?.close();
  }

  #askForPass(): void {
    if (this.#laterWake) return;
    const waitMs = this.#lastWakeMs + WAKE_EVERY_MS - performance.now();
    const wake = () => {
      this.#laterWake = null;
      this.#lastWakeMs = performance.now();
      this.#wake?.();
    };
    if (waitMs <= 0) wake();
    else this.#laterWake = setTimeout(wake, waitMs);
  }
}
