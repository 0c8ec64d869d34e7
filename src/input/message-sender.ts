import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { Snapshot } from "../terminal/hub.ts";
import type { Reading } from "../terminal/reading.ts";
import type { ActionQueue } from "./action-queue.ts";
import { draftToldBy, pressUntilTaken, typeGuarded } from "./answer.ts";
import { type Client, NOBODY } from "./client.ts";
import { refusal } from "./continuation.ts";
import { type Held, standsThere, whyHeld, whyNotFree, whyNotNow } from "./message-fit.ts";
import {
  type KeptList,
  type KeptMessage,
  listWith,
  unknownMessage,
  withLost,
  withOutcome,
} from "./message-lists.ts";
import type { MessageStore } from "./message-store.ts";
import { ENTER } from "./plan.ts";

const FREE_SECONDS = 2;
/** A pane that shows another program, or is not listed, for less is changing. */
const GONE_SECONDS = 5;
/** One that no pass of this run has listed: the multiplexer may come up after the service. */
const NEVER_SEEN_SECONDS = 60;
/** A screen that is the same object is read again only after that. */
const READ_AGAIN_SECONDS = 30;
const MAYBE = "it may have arrived: look at its terminal";

export interface MessageSenderDeps {
  store: MessageStore;
  queue: Pick<ActionQueue, "run" | "find">;
  /** A pane of this machine: of others nobody knows why they are not listed. */
  isHere(id: string): boolean;
  /** What is published of a pane may differ now. */
  changed(): void;
  clock: Pick<Clock, "now" | "monotonic">;
  log: Pick<Log, "info" | "error">;
}

/** What the passes have shown of a list's pane. Monotonic seconds. */
interface Watch {
  held: Held;
  idleSince: number | null;
  missingSince: number | null;
  otherSince: number | null;
  wasSeen: boolean;
  isBusy: boolean;
  /** The state that was found not to be free when its screen was read, and when. */
  tried: { state: PaneState; at: number } | null;
}

interface Outcome {
  state: KeptMessage["state"] | "sent";
  reason?: string | undefined;
}
type Loss = "gone" | "other_program";

/**
 * Sends the first message of each list once its agent is free. That it is being sent is on the disk
 * before it leaves; what may have arrived is never sent again by itself. The lists are looked at
 * with each pass, and without any a pass costs nothing.
 */
export class MessageSender {
  readonly #deps: MessageSenderDeps;
  readonly #watches = new Map<string, Watch>();
  /** What became of a message, where it could not be written down yet. */
  readonly #unwritten = new Map<string, Outcome>();

  constructor(deps: MessageSenderDeps) {
    this.#deps = deps;
  }

  heldOf(identity: string): Held {
    return this.#watches.get(identity)?.held ?? null;
  }

  /** After each pass. */
  follow({ sights, hasFailed }: Pick<Snapshot, "sights" | "hasFailed">): void {
    const waiting = this.#deps.store.kept.lists.filter(({ lost }) => lost === null);
    if (waiting.length === 0) return this.#watches.clear();
    const wanted = new Set(waiting.map(({ identity }) => identity));
    for (const identity of this.#watches.keys())
      if (!wanted.has(identity)) this.#watches.delete(identity);
    const states = new Map<string, PaneState>();
    for (const { identity, state } of sights) if (wanted.has(identity)) states.set(identity, state);
    for (const list of waiting) this.#look(list, states.get(list.identity) ?? null, hasFailed);
  }

  /**
   * A person's own press: also while the agent works, where its program keeps what is typed.
   * @throws AppError conflict; nothing was sent but with `delivery_unknown`
   */
  async sendNow(list: KeptList, message: KeptMessage, key: string, client: Client): Promise<void> {
    if (list.lost !== null) throw refusal("message_lost", "its pane is not what it was");
    if (message.sentBy === key) throw refusal("delivery_unknown", MAYBE);
    const accept = (now: Reading) => {
      const why = whyNotNow(list, message, now);
      if (why !== null) throw refusal("not_free", why);
      return null;
    };
    await this.#deliver(list, message, { accept, client, key });
  }

  #look(list: KeptList, state: PaneState | null, hasFailed: boolean): void {
    const watch = this.#watchOf(list.identity);
    if (watch.isBusy) return;
    const unwritten = list.messages.find(({ id }) => this.#unwritten.has(id));
    if (unwritten) return void this.#during(watch, () => this.#settle(list, unwritten.id));
    const now = this.#deps.clock.monotonic();
    watch.wasSeen ||= state !== null;
    // What was not seen in this pass proves nothing.
    if (state?.stale || (hasFailed && state === null)) {
      watch.idleSince = watch.missingSince = watch.otherSince = null;
      return;
    }
    const isOther = state !== null && state.agent?.id !== list.agent;
    watch.missingSince = state === null ? (watch.missingSince ?? now) : null;
    watch.otherSince = isOther ? (watch.otherSince ?? now) : null;
    const loss = this.#lossOf(list, watch, now);
    if (loss !== null) return void this.#during(watch, () => this.#lose(list, loss));
    const held = state && !isOther ? whyHeld(list, state) : null;
    const isIdle = state?.status === "idle" && state.actionable && !isOther && held === null;
    watch.idleSince = isIdle ? (watch.idleSince ?? now) : null;
    if (!isIdle) return this.#hold(watch, held);
    const isRead = watch.tried?.state === state && now - watch.tried.at < READ_AGAIN_SECONDS;
    if (isRead || now - (watch.idleSince ?? now) < FREE_SECONDS) return;
    watch.tried = { state, at: now };
    void this.#during(watch, () => this.#try(list, watch));
  }

  #lossOf({ id }: KeptList, watch: Watch, now: number): Loss | null {
    const { otherSince, missingSince, wasSeen } = watch;
    if (otherSince !== null) return now - otherSince >= GONE_SECONDS ? "other_program" : null;
    if (missingSince === null || !(wasSeen || this.#deps.isHere(id))) return null;
    return now - missingSince >= (wasSeen ? GONE_SECONDS : NEVER_SEEN_SECONDS) ? "gone" : null;
  }

  async #lose(list: KeptList, loss: Loss): Promise<void> {
    const { store, clock, log, changed } = this.#deps;
    await store.change((kept) => withLost(kept, list.identity, loss, clock.now()));
    const why = loss === "gone" ? "it is gone" : "another program runs there";
    log.info(`messages that wait: ${list.messages.length} for ${list.id} are not sent: ${why}`);
    changed();
  }

  /** The first message, if the pane is free when its screen is read. */
  async #try(list: KeptList, watch: Watch): Promise<void> {
    const [message] = list.messages;
    if (message?.state !== "waiting") return;
    let held: Held = null;
    const accept = (now: Reading) => {
      const why = whyNotFree(list, now);
      held = why === "busy" ? null : why;
      return why === null ? null : ("prompt_changed" as const);
    };
    // Each refusal is in the log, and is looked at again with the passes that follow.
    await this.#deliver(list, message, { accept, client: NOBODY, key: null }).catch(() => {});
    this.#hold(watch, held);
  }

  async #deliver(
    list: KeptList,
    message: KeptMessage,
    how: { accept: (now: Reading) => "prompt_changed" | null; client: Client; key: string | null },
  ): Promise<void> {
    const { queue } = this.#deps;
    const target = { id: list.id, listed: queue.find(list.id) };
    let outcome: Outcome | null = null;
    try {
      await queue.run(
        target,
        {
          kind: "message",
          client: how.client,
          said: { text: message.text },
          key: how.key ?? message.id,
        },
        async (slot) => {
          const isTyped = standsThere(message, await slot.require(how.accept));
          await this.#begin(list, message, how.key);
          outcome = { state: message.state };
          try {
            if (isTyped) await slot.send([ENTER], how.accept);
            else await typeGuarded(slot, { text: message.text, enter: true }, how.accept);
            await pressUntilTaken(slot, message.text);
            outcome = { state: "sent" };
          } catch (error) {
            if (!slot.hasSent) throw error;
            outcome = { state: "unknown", reason: draftToldBy(error) ?? undefined };
            throw refusal("delivery_unknown", MAYBE);
          }
        },
      );
    } finally {
      if (outcome !== null) {
        this.#unwritten.set(message.id, outcome);
        await this.#settle(list, message.id).catch((error: unknown) => this.#failed(error));
      }
    }
  }

  /** @throws AppError where it is gone, was changed meanwhile, or is being sent by another request */
  async #begin(list: KeptList, message: KeptMessage, key: string | null): Promise<void> {
    await this.#deps.store.change((kept) => {
      const now = listWith(kept, message.id);
      // What leaves by itself is the first; a person may send any.
      const still = now?.messages.find(
        ({ id }, at) => id === message.id && (key !== null || at === 0),
      );
      if (now?.identity !== list.identity || now.lost !== null || !still) throw unknownMessage();
      if (still.state === "sending") throw refusal("message_sending", "it is being sent");
      if (still !== message) throw refusal("message_changed", "it was changed just now");
      return withOutcome(kept, message.id, "sending", { sentBy: key });
    });
  }

  async #settle(list: KeptList, id: string): Promise<void> {
    const outcome = this.#unwritten.get(id);
    if (outcome === undefined) return;
    const { state, reason } = outcome;
    await this.#deps.store.change((kept) => withOutcome(kept, id, state, { reason }));
    this.#unwritten.delete(id);
    // The next one waits until the agent has taken this one, worked, and is free again.
    const watch = this.#watches.get(list.identity);
    if (watch && state === "sent") watch.idleSince = watch.tried = null;
    this.#deps.changed();
  }

  #hold(watch: Watch, held: Held): void {
    if (watch.held === held) return;
    watch.held = held;
    this.#deps.changed();
  }

  async #during(watch: Watch, work: () => Promise<void>): Promise<void> {
    watch.isBusy = true;
    await work().catch((error: unknown) => this.#failed(error));
    watch.isBusy = false;
  }

  #failed(error: unknown): void {
    this.#deps.log.error("cannot write down what became of messages that wait", error);
  }

  #watchOf(identity: string): Watch {
    const known = this.#watches.get(identity);
    if (known) return known;
    const watch: Watch = {
      ...{ held: null, idleSince: null, missingSince: null, otherSince: null },
      ...{ wasSeen: false, isBusy: false, tried: null },
    };
    this.#watches.set(identity, watch);
    return watch;
  }
}
