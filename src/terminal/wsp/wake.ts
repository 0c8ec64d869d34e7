import { z } from "zod";
import { parseJson } from "../../lib/json.ts";
import type { Log } from "../../lib/log.ts";
import type { SocketFile } from "./identity.ts";
import { converse } from "./socket.ts";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8000;
const WAKE_EVERY_MS = 100;
/**
 * Subscribed for all panes at once; a status, pane by pane. Not `pane.updated`: an agent that waits may
 * change its title each second, and a title can wait for the next pass.
 */
const GENERAL = [
  ...["pane.created", "pane.closed", "pane.exited", "pane.moved"],
  ...["pane.agent_detected", "tab.renamed", "workspace.renamed"],
];
/** Subscribed for one pane; an earlier status is never replayed. */
const STATUS_EVENT = "pane.agent_status_changed";

const ID = "panewatch-events";
/** The first line must be the acknowledgement of this subscription. */
const WireStart = z.object({
  id: z.literal(ID),
  result: z.object({ type: z.literal("subscription_started") }),
});
const WireEvent = z.object({ event: z.string(), data: z.record(z.string(), z.unknown()) });

interface WakeDeps {
  /** Null while the socket may not be used. */
  socket: () => SocketFile | null;
  log: Pick<Log, "info">;
}

/**
 * The events of the session. They only ask for a pass: their content is not used. There is one stream at
 * a time; an unexpected line ends it, and the next attempt waits longer each time.
 */
export class WakeEvents {
  readonly #deps: WakeDeps;
  #wake: (() => void) | null = null;
  /** Ends the stream; null while there is none. */
  #leave: (() => void) | null = null;
  #agentPanes: readonly string[] = [];
  #retry: Timer | null = null;
  #pauseMs = FIRST_PAUSE_MS;
  #isActive = false;
  #lastWakeMs = -WAKE_EVERY_MS;
  #laterWake: Timer | null = null;

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
    if (agentPanes.join(" ") !== this.#agentPanes.join(" ")) this.#close();
    this.#agentPanes = agentPanes;
    if (!this.#leave && !this.#retry) this.#open();
  }

  #open(): void {
    this.#retry = null;
    const file = this.#deps.socket();
    if (!file || !this.#wake) return;
    const subscriptions = [
      ...GENERAL.map((type) => ({ type })),
      ...this.#agentPanes.map((pane_id) => ({ type: STATUS_EVENT, pane_id })),
    ];
    const request = { id: ID, method: "events.subscribe", params: { subscriptions } };
    let expected: z.ZodType = WireStart;
    this.#leave = converse(file, JSON.stringify(request), {
      line: (text) => {
        const isStart = expected === WireStart;
        if (!expected.safeParse(parseJson(text)).success)
          return this.#end(`a line cannot be read: it is no ${isStart ? "start" : "event"}`);
        expected = WireEvent;
        this.#isActive = true;
        this.#pauseMs = FIRST_PAUSE_MS;
        // The start too: something may have happened before. An older server replays events, for a moment
        // only, and nothing tells them from new ones.
        this.#askForPass();
      },
      failed: ({ message }) => this.#end(message),
    });
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
    this.#leave?.();
    this.#leave = null;
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
