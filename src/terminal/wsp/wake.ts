import { z } from "zod";
import { parseJson } from "../../lib/json.ts";
import type { Log } from "../../lib/log.ts";
import { isSameSocket } from "./examine.ts";
import type { SocketFile } from "./identity.ts";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8000;
const WAKE_EVERY_MS = 100;

interface WakeDeps {
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

/**
 * A stream begins with all that the server remembers, and nothing says where that ends: so long after
 * its start every line is news.
 */
const REPLAY_MS = 1000;
const MAX_LINE_CHARS = 1024 * 1024;

interface Heard {
  started(): void;
  event(): void;
  wrong(why: string): void;
}

/** Cuts the stream into lines, and tells what happens from what is only replayed. */
class EventReader {
  readonly #id: string;
  readonly #heard: Heard;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #rest = "";
  #isFirst = true;
  #isReplaying: boolean;
  #hasReplayed = false;
  #replay: Timer | null = null;

  constructor({ id, replays }: { id: string; replays: boolean }, heard: Heard) {
    this.#id = id;
    this.#isReplaying = replays;
    this.#heard = heard;
  }

  take(data: Uint8Array): void {
    const text = this.#decode(data);
    if (text === null) return this.#heard.wrong("a line is not UTF-8");
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) if (!this.#line(line)) return;
    if (this.#rest.length > MAX_LINE_CHARS) this.#heard.wrong("a line is too long");
  }

  end(): void {
    clearTimeout(this.#replay ?? undefined);
  }

  /** False when the stream is over with it. */
  #line(line: string): boolean {
    const read = readEventLine(line, this.#id, this.#isFirst);
    this.#isFirst = false;
    if (read.kind === "wrong") {
      this.#heard.wrong(`a line cannot be read: ${read.why}`);
      return false;
    }
    if (read.kind === "started") {
      if (this.#isReplaying) this.#replay = setTimeout(() => this.#endReplay(), REPLAY_MS);
      this.#heard.started();
    } else if (read.kind === "status" || !this.#isReplaying) this.#heard.event();
    else this.#hasReplayed = true;
    return true;
  }

  // What looked like history may have been news.
  #endReplay(): void {
    this.#isReplaying = false;
    if (this.#hasReplayed) this.#heard.event();
  }

  #decode(data: Uint8Array): string | null {
    try {
      return this.#decoder.decode(data, { stream: true });
    } catch {
      // Told as wrong by the caller.
      return null;
    }
  }
}

/** What one line of the event stream means for a watcher. */
type EventLine =
  | { kind: "started" }
  /** A pane's status, which is never replayed. */
  | { kind: "status" }
  /** Anything else that happened; at first that is history. */
  | { kind: "general" }
  /** A line that no server of this protocol writes. */
  | { kind: "wrong"; why: string };

/**
 * Told for all panes at once; a status is asked for pane by pane. Not `pane.updated`: an agent that
 * waits may change its title each second, and a title can wait for the next pass.
 */
const GENERAL = [
  ...["pane.created", "pane.closed", "pane.exited", "pane.moved"],
  ...["pane.agent_detected", "tab.renamed", "workspace.renamed"],
];
const STATUS_EVENT = "pane.agent_status_changed";

const WireStart = z.object({
  id: z.string(),
  result: z.object({ type: z.literal("subscription_started") }),
});
const WireEvent = z.object({ event: z.string(), data: z.record(z.string(), z.unknown()) });

function subscription(id: string, agentPanes: readonly string[]): string {
  const subscriptions = [
    ...GENERAL.map((type) => ({ type })),
    ...agentPanes.map((pane_id) => ({ type: STATUS_EVENT, pane_id })),
  ];
  return JSON.stringify({ id, method: "events.subscribe", params: { subscriptions } });
}

/** Reads one line; the first must be the acknowledgement of this subscription. */
function readEventLine(line: string, id: string, isFirst: boolean): EventLine {
  const value = parseJson(line);
  if (isFirst) {
    const isStart = WireStart.safeParse(value).data?.id === id;
    return isStart ? { kind: "started" } : { kind: "wrong", why: "it is no start" };
  }
  const { data: said } = WireEvent.safeParse(value);
  if (!said) return { kind: "wrong", why: "it is no event" };
  return { kind: said.event === STATUS_EVENT ? "status" : "general" };
}
