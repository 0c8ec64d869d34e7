import { randomInt } from "node:crypto";
import type { AgentEvent, AgentFrame } from "../../protocol/agent-replies.ts";

export const MAX_KEPT_EVENTS = 500;
/** Events of a run that a client which asks for all of them (cursor 0) is given. */
export const MAX_FIRST_EVENTS = 100;
/** A run's counter starts somewhere here, so that the cursors of two runs do not meet. */
const LOWEST_START = 2 ** 40;
const HIGHEST_START = 2 ** 47;

export type EventFrame = Extract<AgentFrame, { type: "agent_event" }>;
type ResetReason = Extract<AgentFrame, { type: "reset" }>["reason"];

/** Where a client goes on: behind `cursor`, with what it has missed, or with everything anew. */
export interface Resumption {
  cursor: number;
  missed: readonly EventFrame[];
  reset: ResetReason | null;
}

/** What has changed since this run began, as a numbered list whose beginning is forgotten. */
export class Invalidations {
  readonly #start: number;
  readonly #listeners = new Set<(frame: EventFrame) => void>();
  #kept: EventFrame[] = [];
  #cursor: number;

  constructor(start = randomInt(LOWEST_START, HIGHEST_START)) {
    this.#start = start;
    this.#cursor = start;
  }

  get cursor(): number {
    return this.#cursor;
  }

  /** Tells of a change that can be read already. */
  publish(event: AgentEvent): void {
    this.#cursor++;
    const frame: EventFrame = { type: "agent_event", cursor: this.#cursor, event };
    this.#kept.push(frame);
    // By a whole block: one by one would move the list with every event.
    if (this.#kept.length >= 2 * MAX_KEPT_EVENTS) this.#kept = this.#kept.slice(-MAX_KEPT_EVENTS);
    for (const listener of [...this.#listeners]) listener(frame);
  }

  subscribe(listener: (frame: EventFrame) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** `given` is the client's cursor: null when it has none, 0 for the start of this run. */
  resume(given: number | null): Resumption {
    const now = this.#cursor;
    if (given === null) return { cursor: now, missed: [], reset: null };
    const from = given === 0 ? this.#start : given;
    if (from < this.#start || from > now)
      return { cursor: now, missed: [], reset: "cursor_unknown" };
    const limit = given === 0 ? MAX_FIRST_EVENTS : MAX_KEPT_EVENTS;
    if (now - from > limit) return { cursor: now, missed: [], reset: "cursor_expired" };
    const missed = this.#kept.filter(({ cursor }) => cursor > from);
    return { cursor: from, missed, reset: null };
  }
}

/** The `cursor` of a request for a socket; what is no whole number counts as none. */
export function parseEventCursor(text: string | null): number | null {
  return text !== null && /^[+-]?\d+$/.test(text) ? Number(text) : null;
}
