import { z } from "zod";
import { AppError, detailOf } from "../errors.ts";
import type { ContinueRequest } from "../protocol/input.ts";
import type { ContinueThen, PaneState } from "../protocol/pane.ts";
import type { PaneReading } from "../terminal/reading.ts";
import type { Client } from "./client.ts";
import { obstacleOf, refusal, requireLegacy, requireMessage } from "./refusals.ts";
import {
  type JobFate,
  type JobSight,
  StoredJobs,
  type StoredJobsDeps,
  MAY_HAVE_ARRIVED,
} from "./unattended.ts";

export const CONTINUATIONS_FILE = "panewatch-continue.json";
/** How long one must be due: a clock may just be set, or a network come back after sleep. */
const SETTLED_SECONDS = 10;
/** For a shorter time a screen that is being drawn may show something else. */
const GONE_SECONDS = 5;
/** Whoever wanted it has gone on by then. */
const LATE_SECONDS = 6 * 3600;
/** Ended ones are kept for so long, and so many of them. */
const KEPT_SECONDS = 24 * 3600;
const MAX_ENDED = 200;
/** The agent's provider counts by a clock of its own. */
const AFTER_RESET_SECONDS = 60;
/** Agents stopped by one limit must not all start again in the same second. */
const SPREAD_SECONDS = 60;

const CHANGED = "its screen had changed";
const AWAY = "its pane was not to be seen";
const LATE = "hours had passed by then";

const ScheduledSend = z.object({
  /** Of the pane, whose id may be given out again. */
  identity: z.string(),
  id: z.string(),
  text: z.string(),
  /** Epoch seconds of the reset, as the pane shows it. */
  until: z.number(),
  /** The words of the notice that ended the agent's turn. */
  end: z.string(),
  /** `sending` is written before anything is sent, so that after a crash nothing is sent again. */
  state: z.enum(["set", "sending", "sent", "not_sent"]),
  /** Epoch seconds: when it is due, or ended. */
  at: z.number(),
  reason: z.string().nullable(),
});
type ScheduledSend = z.infer<typeof ScheduledSend>;

const StoredSends = z.object({ version: z.literal(1), items: z.array(ScheduledSend) });
type StoredSends = z.infer<typeof StoredSends>;

export interface ScheduledSendsDeps extends StoredJobsDeps {
  /** From 0 to 1. */
  random(): number;
}

/** `continue_v1`: sends words once when the limit that a pane shows is over, or tells why not. */
export class ScheduledSends extends StoredJobs<ScheduledSend, StoredSends> {
  protected readonly kind = "continue";
  protected readonly againSeconds = SETTLED_SECONDS;
  readonly #deps: ScheduledSendsDeps;

  constructor(deps: ScheduledSendsDeps) {
    super(deps, {
      ...{ schema: StoredSends, empty: { version: 1, items: [] }, name: "turns to continue" },
      recover(stored) {
        const at = deps.clock.now();
        const recover = (item: ScheduledSend) =>
          item.state === "sending" ? endedSend(item, MAY_HAVE_ARRIVED, at) : item;
        return { ...stored, items: stored.items.map(recover) };
      },
    });
    this.#deps = deps;
  }

  of(identity: string): ContinueThen | undefined {
    const item = this.stored.current.items.find((each) => each.identity === identity);
    if (item === undefined || !isKept(item, this.#deps.clock.now())) return undefined;
    const { state, at, text, reason } = item;
    return { state: state === "sending" ? "set" : state, at, text, reason };
  }

  /** @throws AppError not_found, conflict, invalid, unavailable, persist_failed */
  async set(request: ContinueRequest, client: Client): Promise<ContinueThen | null> {
    const { clock, log, changed } = this.#deps;
    const { listed, pane } = this.paneAt(request.id);
    const { identity, id } = listed;
    if (request.on) requireMessage(request.text);
    const now = clock.now();
    await this.stored.change((stored) => {
      const { items } = stored;
      const known = items.find((item) => item.identity === identity);
      if (known?.state === "sending") throw refusal("continuing", "it is being sent");
      const oldest = new Set(items.filter(hasEnded).slice(0, -MAX_ENDED));
      const others = items.filter(
        (item) => item !== known && isKept(item, now) && !oldest.has(item),
      );
      if (!request.on)
        return others.length === items.length ? stored : { ...stored, items: others };
      const { text, until } = request;
      if (known?.state === "set" && known.text === text && known.until === until) return stored;
      const at = until + AFTER_RESET_SECONDS + this.#deps.random() * SPREAD_SECONDS;
      const end = endOf(requireParked(pane, until, now));
      const item = { identity, id, text, until, end, state: "set" as const, at, reason: null };
      return { ...stored, items: [...others, item] };
    });
    log.info(`continue: ${request.on ? "set" : "not set"} for ${pane.target} by ${client.name}`);
    changed();
    return this.of(identity) ?? null;
  }

  protected waiting(): ScheduledSend[] {
    return this.stored.current.items.filter(({ state }) => state === "set");
  }

  protected look({ at }: ScheduledSend, { pane, since }: JobSight) {
    const now = this.#deps.clock.now();
    const isSeen = pane !== null && !pane.stale;
    const goneSeconds = since("gone", isSeen && pane.parked === null);
    const dueSeconds = since("due", now >= at);
    if (goneSeconds >= GONE_SECONDS) return { drop: CHANGED };
    if (dueSeconds < SETTLED_SECONDS) return "wait";
    if (now >= at + LATE_SECONDS) return { drop: isSeen ? LATE : AWAY };
    return isSeen ? "send" : "wait";
  }

  /** The screen still shows that notice, asks nothing, and takes a text. */
  protected accept({ end }: ScheduledSend, now: PaneReading) {
    const isSame = now.state.parked !== null && endOf(now.state) === end;
    return isSame && obstacleOf(now, "error") === null ? null : "prompt_changed";
  }

  protected async begin(item: ScheduledSend): Promise<void> {
    if (!(await this.#replace(item, { ...item, state: "sending" })))
      throw refusal("not_parked", "it was taken back");
  }

  protected async end(item: ScheduledSend, fate: JobFate): Promise<void> {
    const reason = reasonOf(fate);
    if (reason === undefined) return void (await this.#replace(item, item));
    if (!(await this.#replace(item, endedSend(item, reason, this.#deps.clock.now())))) return;
    // The reason may quote a draft, which must not reach the log.
    const logged = fate.state === "unknown" ? MAY_HAVE_ARRIVED : reason;
    const outcome = logged === null ? "sent" : `not sent: ${logged}`;
    this.#deps.log.info(`continue: ${outcome}, for ${item.id}`);
  }

  /** False where a person has revoked it. @throws AppError where it cannot be written */
  async #replace(item: ScheduledSend, next: ScheduledSend): Promise<boolean> {
    const { identity, text, until } = item;
    let isThere = false;
    await this.stored.change((stored) => {
      const { items } = stored;
      const at = items.findIndex(
        (each) =>
          !hasEnded(each) &&
          each.identity === identity &&
          each.text === text &&
          each.until === until,
      );
      isThere = at >= 0;
      const isChanged = isThere && items[at] !== next;
      return isChanged ? { ...stored, items: items.with(at, next) } : stored;
    });
    this.#deps.changed();
    return isThere;
  }
}

function endedSend(item: ScheduledSend, reason: string | null, at: number): ScheduledSend {
  return { ...item, state: reason === null ? "sent" : "not_sent", at, reason };
}

/** Why it was not sent; null: it was sent; undefined: it is tried again. */
function reasonOf(fate: JobFate): string | null | undefined {
  if (fate.state === "sent") return null;
  if (fate.state === "unknown") return fate.reason ?? MAY_HAVE_ARRIVED;
  if (fate.state === "dropped") return fate.reason;
  const { error } = fate;
  const isOfScreen = detailOf(error)["code"] !== "host_away";
  return error instanceof AppError && error.kind === "conflict" && isOfScreen ? CHANGED : undefined;
}

const hasEnded = ({ state }: ScheduledSend): boolean => state === "sent" || state === "not_sent";

function isKept(item: ScheduledSend, now: number): boolean {
  return !hasEnded(item) || now - item.at < KEPT_SECONDS;
}

/** @throws AppError conflict where no limit holds the pane, or another one than the person saw */
function requireParked(pane: PaneState, until: number, now: number): PaneState {
  const { parked } = pane;
  if (parked === null || !pane.actionable)
    throw refusal("not_parked", "no limit holds this pane now");
  requireLegacy(pane.capabilities.input);
  if (parked.continues) throw refusal("not_parked", "its program goes on by itself then");
  if (parked.until === null) throw refusal("not_parked", "it does not tell when its limit is over");
  if (parked.until !== until) throw refusal("reset_changed", "it tells another time now");
  if (until <= now) throw refusal("not_parked", "its limit is over");
  return pane;
}

/** Without white space: the lines of the notice break elsewhere in a pane of another width. */
function endOf({ evidence }: PaneState): string {
  return evidence.join("").replace(/\s+/g, "");
}
