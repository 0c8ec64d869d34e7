import { z } from "zod";
import { parseJson } from "../../lib/json.ts";
import type { Log } from "../../lib/log.ts";
import type { SocketFile } from "./identity.ts";
import { converse } from "./socket.ts";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8000;
const WAKE_EVERY_MS = 100;
/**
 * Told for all panes at once; a status is asked for pane by pane. Not `pane.updated`: an agent that
 * waits may change its title each second, and a title can wait for the next pass.
 */
const GENERAL = [
  ...["pane.created", "pane.closed", "pane.exited", "pane.moved"],
  ...["pane.agent_detected", "tab.renamed", "workspace.renamed"],
];
/** Of one pane, and never replayed. */
const STATUS_EVENT = "pane.agent_status_changed";

const WireStart = z.object({
  id: z.string(),
  result: z.object({ type: z.literal("subscription_started") }),
});
const WireEvent = z.object({ event: z.string(), data: z.record(z.string(), z.unknown()) });

interface WakeDeps {
  /** Null while the socket may not be used. */
  socket: () => SocketFile | null;
  log: Pick<Log, "info">;
}

interface Stream {
  id: string;
  agentPanes: string;
  hasStarted: boolean;
  close(): void;
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
    if (this.#stream && this.#stream.agentPanes !== agentPanes.join(" ")) this.#close();
    if (!this.#stream && !this.#retry) this.#open();
  }

  #open(): void {
    this.#retry = null;
    const file = this.#deps.socket();
    if (!file || !this.#wake) return;
    const id = `panewatch-events-${++this.#lastId}`;
    const subscriptions = [
      ...GENERAL.map((type) => ({ type })),
      ...this.#agentPanes.map((pane_id) => ({ type: STATUS_EVENT, pane_id })),
    ];
    const request = { id, method: "events.subscribe", params: { subscriptions } };
    const stream: Stream = {
      ...{ id, agentPanes: this.#agentPanes.join(" "), hasStarted: false, close: () => {} },
    };
    this.#stream = stream;
    stream.close = converse(file, JSON.stringify(request), {
      line: (text) => this.#hear(stream, text),
      failed: ({ message }) => this.#end(message),
    });
  }

  /** The first line must be the acknowledgement of this subscription. */
  #hear(stream: Stream, line: string): void {
    const value = parseJson(line);
    if (!stream.hasStarted) {
      if (WireStart.safeParse(value).data?.id !== stream.id)
        return this.#end("a line cannot be read: it is no start");
      stream.hasStarted = true;
      this.#isActive = true;
      this.#pauseMs = FIRST_PAUSE_MS;
    } else if (!WireEvent.safeParse(value).success)
      return this.#end("a line cannot be read: it is no event");
    // A start too: something may have happened while no stream stood. What an older server replays is
    // over in a moment, and nothing tells it from news.
    this.#askForPass();
  }

  #end(why: string): void {
    this.#close();
    if (this.#isActive) this.#deps.log.info(`wsp events: ${why}; polling goes on without them`);
    this.#isActive = false;
    if (!this.#wake) return;
    this.#retry = setTimeout(() => this.#open(), this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }

  #close(): void {
    this.#stream?.close();
    this.#stream = null;
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
