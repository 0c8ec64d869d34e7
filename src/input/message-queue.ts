import { keepsTyped } from "../detect/agents.ts";
import { AppError } from "../errors.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { QueueSummary } from "../protocol/pane.ts";
import type { MessageList, QueueRequest } from "../protocol/queue.ts";
import type { Hub } from "../terminal/hub.ts";
import { isLocalPane } from "../terminal/namespace.ts";
import type { PaneReading } from "../terminal/reading.ts";
import type { Client } from "./client.ts";
import {
  found,
  type HoldReason,
  type StoredList,
  StoredQueue,
  type StoredMessage,
  listWith,
  NO_LISTS,
  publicList,
  standsThere,
  unknownMessage,
  whyHeld,
  whyNotFree,
  whyNotNow,
  withAdded,
  withDeleted,
  withEdited,
  withLost,
  withMoved,
  withOutcome,
} from "./message-lists.ts";
import { requireLiteral } from "./plan.ts";
import { refusal, requireLegacy } from "./refusals.ts";
import {
  type Job,
  type JobFate,
  type JobSight,
  StoredJobs,
  type StoredJobsDeps,
  MAY_HAVE_ARRIVED,
} from "./unattended.ts";

export const MESSAGES_FILE = "panewatch-messages.json";

const FREE_SECONDS = 2;
/** A pane that shows another program, or is not listed, for less is changing. */
const GONE_SECONDS = 5;
/** One that no pass of this run has listed: the multiplexer may come up after the service. */
const NEVER_SEEN_SECONDS = 60;
const READ_AGAIN_SECONDS = 30;

export interface MessageQueueDeps extends StoredJobsDeps {
  hub: StoredJobsDeps["hub"] & Pick<Hub, "isGone">;
  ledger: Pick<Ledger, "runOnce">;
  /** It was typed into this pane: its chat tells it under the same name. */
  sent(paneId: string, message: StoredMessage): void;
}

interface MessageJob extends Job {
  readonly list: StoredList;
  readonly message: StoredMessage;
}

const jobOf = (list: StoredList, message: StoredMessage): MessageJob => ({
  ...{ id: list.id, identity: list.identity, text: message.text, key: message.id },
  ...{ list, message },
});

/** `queue_v1`: the first message of each list is sent by itself once its agent is free. */
export class MessageQueue extends StoredJobs<MessageJob, StoredQueue> {
  protected readonly kind = "message";
  protected readonly againSeconds = READ_AGAIN_SECONDS;
  readonly #deps: MessageQueueDeps;
  readonly #held = new Map<string, HoldReason>();

  constructor(deps: MessageQueueDeps) {
    super(deps, {
      ...{ schema: StoredQueue, empty: NO_LISTS, recover: found, name: "messages that wait" },
    });
    this.#deps = deps;
  }

  get lists(): MessageList[] {
    return this.stored.current.lists.map(publicList);
  }

  /** Undefined where nothing waits; of a pane with two lists, what still waits. */
  of(identity: string): QueueSummary | undefined {
    const mine = this.stored.current.lists.filter((list) => list.identity === identity);
    const list = mine.find(({ lost }) => lost === null) ?? mine.at(-1);
    if (list === undefined) return undefined;
    const { revision, messages, agent } = list;
    const lost = list.lost !== null;
    const held = lost ? null : (this.#held.get(identity) ?? null);
    return { revision, count: messages.length, held, lost, sends_now: keepsTyped(agent) };
  }

  /** The list as it is then; null where nothing waits in it any more. @throws AppError */
  async act(request: QueueRequest, client: Client): Promise<MessageList | null> {
    const { ledger, log, changed } = this.#deps;
    const { idempotency_key: key, ...body } = request;
    const id = request.operation === "add" ? key : request.message_id;
    const identity = listWith(this.stored.current, id)?.identity;
    await ledger.runOnce(key, body, async () => {
      if ("text" in request) requireLiteral(request.text);
      if ("text" in request && request.text.trim() === "")
        throw new AppError("invalid", "a message needs words");
      await this.#do(request, client);
      log.info(`messages that wait: ${request.operation} by ${client.name}`);
      changed();
    });
    const kept = this.stored.current;
    const list = listWith(kept, id) ?? kept.lists.find((one) => one.identity === identity);
    return list ? publicList(list) : null;
  }

  async #do(request: QueueRequest, client: Client): Promise<void> {
    const stored = this.stored;
    const { idempotency_key: key } = request;
    if (request.operation === "add") {
      const place = this.#placeOf(request.id);
      const message = { id: key, text: request.text, at: this.#deps.clock.now() };
      return stored.change((kept) => withAdded(kept, place, message));
    }
    const { message_id: id } = request;
    switch (request.operation) {
      case "edit":
        return stored.change((kept) => withEdited(kept, id, request.text));
      case "move":
        return stored.change((kept) => withMoved(kept, id, request.before));
      case "delete":
        return stored.change((kept) => withDeleted(kept, id));
      case "send":
        // Else it has left by itself meanwhile.
        if (!stored.current.done.includes(id)) await this.#sendNow(id, { key, client });
    }
  }

  /** Also while the agent works, where its program keeps what is typed. @throws AppError conflict */
  async #sendNow(id: string, by: { key: string; client: Client }): Promise<void> {
    const list = listWith(this.stored.current, id);
    const message = list?.messages.find((one) => one.id === id);
    if (!list || !message) throw unknownMessage();
    if (list.lost !== null) throw refusal("message_lost", "its pane is not what it was");
    if (message.sentBy === by.key) throw refusal("delivery_unknown", MAY_HAVE_ARRIVED);
    await this.send(jobOf(list, message), {
      ...by,
      accept(now) {
        const why = whyNotNow(list, message, now);
        if (why !== null) throw refusal("not_free", why);
        return null;
      },
    });
  }

  protected waiting(): MessageJob[] {
    const { lists } = this.stored.current;
    if (lists.length === 0) this.#held.clear();
    return lists.flatMap((list) => {
      const [first] = list.messages;
      return list.lost === null && first ? [jobOf(list, first)] : [];
    });
  }

  protected look({ list, message }: MessageJob, { pane, wasListed, hasFailed, since }: JobSight) {
    // What was not seen in this pass proves nothing; another machine may be read by none now.
    const isGone = isLocalPane(list.id) || this.#deps.hub.isGone(list.identity);
    const isKnown = pane === null ? !hasFailed && isGone : !pane.stale;
    const isOther = pane !== null && pane.agent?.id !== list.agent;
    const held = pane && !isOther ? whyHeld(list, pane) : null;
    const isIdle = pane?.status === "idle" && pane.actionable && !isOther && held === null;
    const goneSeconds = since("gone", isKnown && pane === null);
    const otherSeconds = since("other", isKnown && isOther);
    const idleSeconds = since("idle", isKnown && isIdle);
    if (otherSeconds >= GONE_SECONDS) return { drop: "other_program" };
    if (goneSeconds >= (wasListed ? GONE_SECONDS : NEVER_SEEN_SECONDS)) return { drop: "gone" };
    if (isKnown && !isIdle) this.#hold(list, held);
    return idleSeconds >= FREE_SECONDS && message.state === "waiting" ? "send" : "wait";
  }

  protected accept({ list }: MessageJob, now: PaneReading) {
    const why = whyNotFree(list, now);
    this.#hold(list, why === "busy" ? null : why);
    return why === null ? null : "prompt_changed";
  }

  protected override isTyped({ message }: MessageJob, now: PaneReading): boolean {
    return standsThere(message, now);
  }

  protected async begin({ message }: MessageJob, press: string | null): Promise<void> {
    await this.stored.change((kept) => {
      const now = listWith(kept, message.id);
      // What leaves by itself is the first; a person may send any.
      const still = now?.messages.find(
        ({ id }, at) => id === message.id && (press !== null || at === 0),
      );
      if (now?.lost !== null || !still) throw unknownMessage();
      if (still.state === "sending") throw refusal("message_sending", "it is being sent");
      if (still !== message) throw refusal("message_changed", "it was changed just now");
      return withOutcome(kept, message.id, "sending", { sentBy: press });
    });
  }

  protected async end({ list, message }: MessageJob, fate: JobFate): Promise<void> {
    const { clock, log, changed } = this.#deps;
    if (fate.state === "dropped") {
      const lost = fate.reason === "gone" ? "gone" : "other_program";
      await this.stored.change((kept) => withLost(kept, list.identity, lost, clock.now()));
      const why = lost === "gone" ? "it is gone" : "another program runs there";
      log.info(`messages that wait: ${list.messages.length} for ${list.id} are not sent: ${why}`);
    } else if (fate.state !== "unsent")
      await this.stored.change((kept) => {
        const reason = fate.state === "unknown" ? (fate.reason ?? undefined) : undefined;
        return withOutcome(kept, message.id, fate.state, { reason });
      });
    else if (fate.hasBegun)
      await this.stored.change((kept) => withOutcome(kept, message.id, message.state));
    if (fate.state === "sent")
      try {
        this.#deps.sent(list.id, message);
      } catch (error) {
        // Its chat has it from the log all the same, without its name.
        log.error("a message that was sent could not be put into its chat", error);
      }
    changed();
  }

  #hold({ identity }: StoredList, held: HoldReason): void {
    if ((this.#held.get(identity) ?? null) === held) return;
    this.#held.set(identity, held);
    this.#deps.changed();
  }

  /** @throws AppError where no agent is there that a message could wait for */
  #placeOf(wanted: string) {
    const { listed, pane } = this.paneAt(wanted);
    if (pane.agent === null || pane.kind === "shell")
      throw refusal("no_agent", "no agent is in this pane");
    requireLegacy(pane.capabilities.input);
    return { id: listed.id, identity: listed.identity, name: pane.name, agent: pane.agent.id };
  }
}
