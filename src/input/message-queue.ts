import { queuesMessages } from "../detect/agents.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { QueueSummary } from "../protocol/pane.ts";
import type { MessageList, QueueRequest } from "../protocol/queue.ts";
import type { Hub } from "../terminal/hub.ts";
import { isLocalPane } from "../terminal/namespace.ts";
import type { PaneReading } from "../terminal/reading.ts";
import type { Client } from "./client.ts";
import {
  recoverQueue,
  type HoldReason,
  type StoredList,
  StoredQueue,
  type StoredMessage,
  listWith,
  NO_LISTS,
  publicList,
  isTypedAlready,
  unknownMessage,
  holdReasonOf,
  whyNotFree,
  whyNotNow,
  withAdded,
  withDeleted,
  withEdited,
  withLost,
  withMoved,
  withOutcome,
} from "./message-lists.ts";
import { refusal, requireLegacy, requireMessage } from "./refusals.ts";
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
/** For a shorter time a pane that changes may be unlisted, or show another program. */
const GONE_SECONDS = 5;
/** For a pane that no pass has listed yet: the multiplexer may come up after the service. */
const NEVER_SEEN_SECONDS = 60;
const READ_AGAIN_SECONDS = 30;

export interface MessageQueueDeps extends StoredJobsDeps {
  hub: Pick<Hub, "isGone">;
  ledger: Pick<Ledger, "runOnce">;
}

/** Of a message that was sent: the chat of its pane shows it under the same id. */
type SentListener = (paneId: string, message: StoredMessage) => void;

interface MessageJob extends Job {
  readonly list: StoredList;
  readonly message: StoredMessage;
}

const jobOf = (list: StoredList, message: StoredMessage): MessageJob => ({
  ...{ id: list.id, identity: list.identity, text: message.text, key: message.id },
  ...{ list, message },
});

/** `queue_v1`: sends the first message of each list once its agent is free. */
export class MessageQueue extends StoredJobs<MessageJob, StoredQueue> {
  protected readonly kind = "message";
  protected readonly againSeconds = READ_AGAIN_SECONDS;
  readonly #deps: MessageQueueDeps;
  readonly #holdReasons = new Map<string, HoldReason>();
  readonly #sentListeners: SentListener[] = [];

  constructor(deps: MessageQueueDeps) {
    super(deps, {
      ...{ schema: StoredQueue, empty: NO_LISTS, recover: recoverQueue },
      name: "messages that wait",
    });
    this.#deps = deps;
  }

  onSent(listener: SentListener): void {
    this.#sentListeners.push(listener);
  }

  get lists(): MessageList[] {
    return this.stored.current.lists.map(publicList);
  }

  of(identity: string): QueueSummary | undefined {
    const ofPane = this.stored.current.lists.filter((list) => list.identity === identity);
    const list = ofPane.find(({ lost }) => lost === null) ?? ofPane.at(-1);
    if (list === undefined) return undefined;
    const { revision, messages, agent } = list;
    const lost = list.lost !== null;
    const held = lost ? null : (this.#holdReasons.get(identity) ?? null);
    return { revision, count: messages.length, held, lost, sends_now: queuesMessages(agent) };
  }

  /** @returns the list after the change; null where it is empty. @throws AppError */
  async act(request: QueueRequest, client: Client): Promise<MessageList | null> {
    const { ledger, log, changed } = this.#deps;
    const { idempotency_key: key, ...body } = request;
    const id = request.operation === "add" ? key : request.message_id;
    const identity = listWith(this.stored.current, id)?.identity;
    await ledger.runOnce(key, body, async () => {
      if ("text" in request) requireMessage(request.text);
      await this.#do(request, client);
      log.info(`messages that wait: ${request.operation} by ${client.name}`);
      changed();
    });
    const queue = this.stored.current;
    const list = listWith(queue, id) ?? queue.lists.find((each) => each.identity === identity);
    return list ? publicList(list) : null;
  }

  async #do(request: QueueRequest, client: Client): Promise<void> {
    const stored = this.stored;
    const { idempotency_key: key } = request;
    if (request.operation === "add") {
      const place = this.#placeOf(request.id);
      const message = { id: key, text: request.text, at: this.#deps.clock.now() };
      return stored.change((queue) => withAdded(queue, place, message));
    }
    const { message_id: id } = request;
    switch (request.operation) {
      case "edit":
        return stored.change((queue) => withEdited(queue, id, request.text));
      case "move":
        return stored.change((queue) => withMoved(queue, id, request.before));
      case "delete":
        return stored.change((queue) => withDeleted(queue, id));
      case "send":
        // It may have been sent by itself meanwhile.
        if (!stored.current.done.includes(id)) await this.#sendNow(id, { key, client });
    }
  }

  /** Also while the agent works, if its program keeps what is typed. @throws AppError conflict */
  async #sendNow(id: string, by: { key: string; client: Client }): Promise<void> {
    const list = listWith(this.stored.current, id);
    const message = list?.messages.find((each) => each.id === id);
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
    if (lists.length === 0) this.#holdReasons.clear();
    return lists.flatMap((list) => {
      const [first] = list.messages;
      return list.lost === null && first ? [jobOf(list, first)] : [];
    });
  }

  protected look({ list, message }: MessageJob, { pane, wasListed, hasFailed, since }: JobSight) {
    // A failed pass proves nothing, and another machine may not be read at all now.
    const isGone = isLocalPane(list.id) || this.#deps.hub.isGone(list.identity);
    const isKnown = pane === null ? !hasFailed && isGone : !pane.stale;
    const isOther = pane !== null && pane.agent?.id !== list.agent;
    const held = pane && !isOther ? holdReasonOf(list, pane) : null;
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
    return isTypedAlready(message, now);
  }

  protected async begin({ message }: MessageJob, press: string | null): Promise<void> {
    await this.stored.change((queue) => {
      const list = listWith(queue, message.id);
      // Only the first is sent by itself; a person may send any.
      const current = list?.messages.find(
        ({ id }, at) => id === message.id && (press !== null || at === 0),
      );
      if (list?.lost !== null || !current) throw unknownMessage();
      if (current.state === "sending") throw refusal("message_sending", "it is being sent");
      if (current !== message) throw refusal("message_changed", "it was changed just now");
      return withOutcome(queue, message.id, "sending", { sentBy: press });
    });
  }

  protected async end({ list, message }: MessageJob, fate: JobFate): Promise<void> {
    const { clock, log, changed } = this.#deps;
    if (fate.state === "dropped") {
      const lost = fate.reason === "gone" ? "gone" : "other_program";
      await this.stored.change((queue) => withLost(queue, list.identity, lost, clock.now()));
      const why = lost === "gone" ? "it is gone" : "another program runs there";
      log.info(`messages that wait: ${list.messages.length} for ${list.id} are not sent: ${why}`);
    } else if (fate.state !== "unsent")
      await this.stored.change((queue) => {
        const reason = fate.state === "unknown" ? (fate.reason ?? undefined) : undefined;
        return withOutcome(queue, message.id, fate.state, { reason });
      });
    else if (fate.hasBegun)
      await this.stored.change((queue) => withOutcome(queue, message.id, message.state));
    if (fate.state === "sent")
      try {
        for (const listener of this.#sentListeners) listener(list.id, message);
      } catch (error) {
        // The chat shows it from the agent's log all the same.
        log.error("a message that was sent could not be put into its chat", error);
      }
    changed();
  }

  #hold({ identity }: StoredList, held: HoldReason): void {
    if ((this.#holdReasons.get(identity) ?? null) === held) return;
    this.#holdReasons.set(identity, held);
    this.#deps.changed();
  }

  /** @throws AppError where no agent is in the pane */
  #placeOf(wanted: string) {
    const { listed, pane } = this.paneAt(wanted);
    if (pane.agent === null || pane.kind === "shell")
      throw refusal("no_agent", "no agent is in this pane");
    requireLegacy(pane.capabilities.input);
    return { id: listed.id, identity: listed.identity, name: pane.name, agent: pane.agent.id };
  }
}
