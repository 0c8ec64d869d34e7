import {
  CLOSE_BAD_TOKEN,
  CLOSE_KILLED,
  CLOSE_NORMAL,
  CLOSE_TRY_AGAIN,
} from "../../src/protocol/close.ts";
import { backoffMs, GRACE_MS, JITTER_MS } from "./connection.ts";

/**
 * How a socket beside the one of the panes fares. `down`: it has been away for as long as makes what is
 * shown old. `ended`: the server has closed it for a reason that no reconnecting mends.
 */
export type FeedPhase = "off" | "connecting" | "live" | "down" | "ended";

/** The server speaks at least this often, by a ping where nothing has happened. */
const PING_MS = 20_000;
const SILENCE_MS = PING_MS + 10_000;

export interface FeedDeps {
  readonly open: (url: string) => WebSocket;
  /** Asked before each connection: it may carry where the last one has ended. */
  readonly url: () => string;
  readonly onFrame: (text: string) => void;
  readonly onPhase: (phase: FeedPhase) => void;
  /** The server has closed it: for good until `start` is called again, or to try again later. */
  readonly onEnd: (code: number) => void;
}

const ENDS: ReadonlySet<number> = new Set([CLOSE_NORMAL, CLOSE_BAD_TOKEN, CLOSE_KILLED]);

/** A socket of an optional part: it comes and goes by itself, and no trouble of it is trouble of another. */
export class Feed {
  readonly #deps: FeedDeps;
  #phase: FeedPhase = "off";
  #socket: WebSocket | null = null;
  #attempts = 0;
  #again: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #grace: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: FeedDeps) {
    this.#deps = deps;
  }

  /** Connects; where it is connected or about to be, nothing. */
  start(): void {
    if (this.#phase !== "off" && this.#phase !== "ended") return;
    this.#attempts = 0;
    this.#become("connecting");
    this.#grace = setTimeout(() => this.#become("down"), GRACE_MS);
    this.#open();
  }

  stop(): void {
    this.#letGo();
    this.#become("off");
  }

  #open(): void {
    const socket = (this.#socket = this.#deps.open(this.#deps.url()));
    const isCurrent = () => socket === this.#socket;
    socket.onmessage = ({ data }) => {
      if (!isCurrent()) return;
      this.#heard();
      this.#deps.onFrame(String(data));
    };
    socket.onclose = ({ code }) => {
      if (isCurrent()) this.#closed(code);
    };
    this.#listen();
  }

  #heard(): void {
    this.#attempts = 0;
    clearTimeout(this.#grace);
    this.#grace = undefined;
    this.#become("live");
    this.#listen();
  }

  #listen(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#lost(), SILENCE_MS);
  }

  #closed(code: number): void {
    if (!ENDS.has(code)) {
      this.#lost();
      // Of a client that slept, or of a part that is off or has only just begun.
      if (code === CLOSE_TRY_AGAIN) this.#deps.onEnd(code);
      return;
    }
    this.#letGo();
    this.#become("ended");
    this.#deps.onEnd(code);
  }

  #lost(): void {
    this.#dropSocket();
    this.#attempts += 1;
    if (this.#phase === "live") this.#become("connecting");
    this.#grace ??= setTimeout(() => this.#become("down"), GRACE_MS);
    const wait = backoffMs(this.#attempts, Math.random() * JITTER_MS);
    this.#again = setTimeout(() => this.#open(), wait);
  }

  #become(phase: FeedPhase): void {
    if (phase === this.#phase) return;
    this.#phase = phase;
    this.#deps.onPhase(phase);
  }

  #letGo(): void {
    this.#dropSocket();
    clearTimeout(this.#again);
    clearTimeout(this.#grace);
    this.#grace = undefined;
  }

  #dropSocket(): void {
    clearTimeout(this.#silence);
    const socket = this.#socket;
    this.#socket = null;
    if (socket === null) return;
    socket.onmessage = socket.onclose = null;
    socket.close();
  }
}
