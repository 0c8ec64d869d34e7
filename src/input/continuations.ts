import { z } from "zod";
import { AppError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { type JsonStore, StoredJson } from "../lib/stored-json.ts";
import type { ContinueRequest } from "../protocol/input.ts";
import type { ContinueThen, PaneState } from "../protocol/pane.ts";
import type { Snapshot } from "../terminal/hub.ts";
import type { ActionQueue } from "./action-queue.ts";
import { draftToldBy, pressUntilTaken, typeGuarded } from "./answer.ts";
import { type Client, NOBODY } from "./client.ts";
import {
  AWAY,
  CHANGED,
  LATE,
  Continuation,
  continuationFor,
  isSameEnd,
  MAYBE,
  refusal,
  shownOf,
} from "./continuation.ts";
import { requireLiteral } from "./literal.ts";
import type { Accept } from "./slot.ts";

/** Below the state directory. */
export const CONTINUATIONS_FILE = "panewatch-continue.json";
/** Of being due: a clock that is being set, or a network that comes back after sleep, gets it. */
const SETTLED_SECONDS = 10;
/** A screen that shows something else for less is being drawn. */
const GONE_SECONDS = 5;
/** Nothing is sent later than that: whoever wanted it has gone on. */
const LATE_SECONDS = 6 * 3600;
const KEPT_SECONDS = 24 * 3600;
const MAX_KEPT = 200;

const Saved = z.object({ version: z.literal(1), items: z.array(Continuation) });
type Saved = z.infer<typeof Saved>;
const NOTHING: Saved = { version: 1, items: [] };

export interface ContinuationsDeps {
  file: JsonStore;
  queue: Pick<ActionQueue, "run" | "find">;
  hub: { readonly current: { readonly panes: readonly PaneState[] } };
  /** What is published of a pane may differ now. */
  changed(): void;
  /** From 0 to 1. */
  random(): number;
  clock: Clock;
  log: Pick<Log, "info" | "error">;
}

interface Watch {
  /** Monotonic seconds since when it has been due, and since when its end was not seen. */
  dueSince: number | null;
  goneSince: number | null;
  isBusy: boolean;
  restsUntil: number;
}

type Items = readonly Continuation[];

/**
 * `continue_v1`: beside messages that wait the only thing that is ever sent unattended. Each is sent once: it is written down
 * as under way before it leaves, and whatever is found so after a start is not sent again. It is
 * looked at with each pass: no timer has to survive sleep, a clock that is set, or a restart.
 */
export class Continuations {
  readonly #deps: ContinuationsDeps;
  readonly #stored: StoredJson<Saved>;
  readonly #watches = new Map<string, Watch>();
  readonly #shown = new WeakMap<Continuation, ContinueThen>();

  constructor(deps: ContinuationsDeps) {
    this.#deps = deps;
    const { file, clock } = deps;
    const recover = (saved: Saved): Saved => {
      if (!saved.items.some(({ state }) => state === "sending")) return saved;
      const now = clock.now();
      const isMaybe = (one: Continuation) =>
        one.state === "sending" ? ended(one, now, MAYBE) : one;
      return { ...saved, items: saved.items.map(isMaybe) };
    };
    const name = "turns to continue";
    this.#stored = new StoredJson({ file, schema: Saved, empty: NOTHING, name, recover });
  }

  /** @throws UnreadableError: then nothing is continued */
  async open(): Promise<void> {
    await this.#stored.open();
    this.#deps.changed();
  }

  stop(): Promise<void> {
    return this.#stored.saved();
  }

  /** The same object until it differs; undefined where nobody asked for any. */
  of(identity: string): ContinueThen | undefined {
    const item = this.#items.find((one) => one.identity === identity);
    if (item === undefined || !isKept(item, this.#deps.clock.now())) return undefined;
    const shown = this.#shown.get(item) ?? shownOf(item);
    this.#shown.set(item, shown);
    return shown;
  }

  /** @throws AppError not_found, conflict, invalid, unavailable, persist_failed */
  async set(request: ContinueRequest, client: Client): Promise<ContinueThen | null> {
    const { queue, hub, clock, random, log, changed } = this.#deps;
    const listed = queue.find(request.id);
    const pane = hub.current.panes.find(({ id }) => id === listed?.id);
    if (!listed || !pane)
      throw new AppError("not_found", "unknown pane", {
        reason: "unknown pane",
        code: "unknown_pane",
      });
    const { identity, id } = listed;
    if (request.on) requireLiteral(request.text);
    const now = clock.now();
    const facts = { pane, now, random: random() };
    await this.#change((items) => {
      const known = items.find((one) => one.identity === identity);
      if (known?.state === "sending") throw refusal("continuing", "it is being sent");
      const others = items.filter((one) => one !== known && isKept(one, now)).slice(1 - MAX_KEPT);
      if (!request.on) return others.length === items.length ? items : others;
      if (known?.state === "set" && isSame(known, request)) return items;
      return [...others, continuationFor({ identity, id }, request, facts)];
    });
    log.info(`continue: ${request.on ? "set" : "not set"} for ${pane.target} by ${client.name}`);
    changed();
    return this.of(identity) ?? null;
  }

  /** After each pass. */
  follow({ sights }: Pick<Snapshot, "sights">): void {
    const waiting = this.#items.filter(({ state }) => state === "set");
    if (waiting.length === 0) return this.#watches.clear();
    const states = new Map(sights.map(({ identity, state }) => [identity, state]));
    for (const item of waiting) this.#look(item, states.get(item.identity) ?? null);
  }

  #look(item: Continuation, pane: PaneState | null): void {
    const { clock } = this.#deps;
    const [now, monotonic] = [clock.now(), clock.monotonic()];
    const watch = this.#watchOf(item.identity);
    if (watch.isBusy || monotonic < watch.restsUntil) return;
    const isSeen = pane !== null && !pane.stale;
    const isGone = isSeen && pane.parked === null;
    watch.goneSince = isGone ? (watch.goneSince ?? monotonic) : null;
    watch.dueSince = now >= item.at ? (watch.dueSince ?? monotonic) : null;
    if (watch.goneSince !== null && monotonic - watch.goneSince >= GONE_SECONDS)
      void this.#act(watch, () => this.#end(item, CHANGED));
    else if (now >= item.at + LATE_SECONDS)
      void this.#act(watch, () => this.#end(item, isSeen ? LATE : AWAY));
    else if (isSeen && watch.dueSince !== null && monotonic - watch.dueSince >= SETTLED_SECONDS)
      void this.#act(watch, () => this.#try(item));
  }

  /** One at a time; what fails is tried again in a while. */
  async #act(watch: Watch, work: () => Promise<void>): Promise<void> {
    watch.isBusy = true;
    try {
      await work();
    } catch (error) {
      this.#deps.log.error("cannot write down what is continued", error);
    } finally {
      watch.isBusy = false;
      watch.restsUntil = this.#deps.clock.monotonic() + SETTLED_SECONDS;
    }
  }

  async #try(item: Continuation): Promise<void> {
    const { queue } = this.#deps;
    const { id, text } = item;
    const accept: Accept = (now) => (isSameEnd(item, now) ? null : "prompt_changed");
    let isUnderWay = false;
    let hasSent = false;
    try {
      const target = { id, listed: queue.find(id) };
      await queue.run(
        target,
        { kind: "continue", client: NOBODY, said: { text } },
        async (slot) => {
          await slot.require(accept);
          isUnderWay = await this.#replace(item, { ...item, state: "sending" });
          if (!isUnderWay) return;
          try {
            await typeGuarded(slot, { text, enter: true }, accept);
            await pressUntilTaken(slot, text);
          } finally {
            hasSent = slot.hasSent;
          }
        },
      );
      // Else it was taken back just now.
      if (isUnderWay) await this.#end(item, null);
    } catch (error) {
      if (hasSent) await this.#end(item, draftToldBy(error) ?? MAYBE, MAYBE);
      else if (error instanceof AppError && error.kind === "conflict")
        await this.#end(item, CHANGED);
      else if (isUnderWay) await this.#replace(item, item);
    }
  }

  /** @param reason why it was not sent; null: it was. The log quotes nobody. */
  async #end(item: Continuation, reason: string | null, logged = reason): Promise<void> {
    const { clock, log } = this.#deps;
    const what = reason === null ? "sent" : `not sent: ${logged}`;
    if (await this.#replace(item, ended(item, clock.now(), reason)))
      log.info(`continue: ${what}, for ${item.id}`);
  }

  /** False where it was taken back. @throws AppError where it cannot be written */
  async #replace(item: Continuation, next: Continuation): Promise<boolean> {
    let isThere = false;
    await this.#change((items) => {
      const at = items.findIndex((one) => isOf(one, item));
      isThere = at >= 0;
      return isThere ? items.with(at, next) : items;
    });
    this.#deps.changed();
    return isThere;
  }

  get #items(): Items {
    return this.#stored.current.items;
  }

  #change(change: (items: Items) => Items): Promise<void> {
    return this.#stored.change((saved) => {
      const items = change(saved.items);
      return items === saved.items ? saved : { ...saved, items: [...items] };
    });
  }

  #watchOf(identity: string): Watch {
    const known = this.#watches.get(identity);
    if (known) return known;
    const watch: Watch = { dueSince: null, goneSince: null, isBusy: false, restsUntil: -Infinity };
    this.#watches.set(identity, watch);
    return watch;
  }
}

function ended(item: Continuation, at: number, reason: string | null): Continuation {
  return { ...item, state: reason === null ? "sent" : "not_sent", at, reason };
}

function isKept({ state, at }: Continuation, now: number): boolean {
  return state === "set" || state === "sending" || now - at < KEPT_SECONDS;
}

function isSame(known: Continuation, { text, until }: { text: string; until: number }): boolean {
  return known.text === text && known.until === until;
}

function isOf(one: Continuation, item: Continuation): boolean {
  const isOpen = one.state === "set" || one.state === "sending";
  return (
    isOpen && one.identity === item.identity && one.until === item.until && one.text === item.text
  );
}
