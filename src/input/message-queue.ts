import { keepsTyped } from "../detect/agents.ts";
import { AppError } from "../errors.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { type JsonStore, StoredJson } from "../lib/stored-json.ts";
import type { PaneState, Queued } from "../protocol/pane.ts";
import type { MessageList, QueueRequest } from "../protocol/queue.ts";
import type { Snapshot } from "../terminal/hub.ts";
import type { Client } from "./client.ts";
import { requireLiteral } from "./plan.ts";
import {
  found,
  KeptLists,
  type KeptList,
  type KeptMessage,
  publicList,
  listWith,
  NO_LISTS,
  unknownMessage,
  whyNotNow,
  withAdded,
  withDeleted,
  withEdited,
  withMoved,
} from "./message-lists.ts";
import { refusal, unknownPane } from "./refused.ts";
import { MAYBE, Unattended, type UnattendedDeps } from "./unattended.ts";
import {
  jobOf,
  type MessageJob,
  WaitingMessages,
  type WaitingMessagesDeps,
} from "./waiting-messages.ts";

/** Below the state directory. */
export const MESSAGES_FILE = "panewatch-messages.json";

export interface MessageQueueDeps extends Omit<WaitingMessagesDeps, "stored"> {
  file: JsonStore;
  ledger: Pick<Ledger, "once">;
  hub: { readonly current: { readonly panes: readonly PaneState[] } };
  queue: UnattendedDeps["queue"];
}

export class MessageQueue {
  readonly #deps: MessageQueueDeps;
  readonly #stored: StoredJson<KeptLists>;
  readonly #waiting: WaitingMessages;
  readonly #unattended: Unattended<MessageJob>;
  /** By identity; of a pane with two, the one that still waits. */
  #indexed: { kept: KeptLists; byIdentity: ReadonlyMap<string, KeptList> } | null = null;
  readonly #shown = new WeakMap<KeptList, Queued>();

  constructor(deps: MessageQueueDeps) {
    this.#deps = deps;
    this.#stored = new StoredJson({
      ...{ file: deps.file, schema: KeptLists, empty: NO_LISTS, recover: found },
      name: "messages that wait",
    });
    this.#waiting = new WaitingMessages({ ...deps, stored: this.#stored });
    this.#unattended = new Unattended(deps, this.#waiting);
  }

  /** @throws UnreadableError: then nothing is kept, and nothing sent */
  async open(): Promise<void> {
    await this.#stored.open();
    this.#deps.changed();
  }

  async stop(): Promise<void> {
    await this.#stored.saved();
  }

  get lists(): MessageList[] {
    return this.#stored.current.lists.map(publicList);
  }

  follow(snapshot: Pick<Snapshot, "sights" | "hasFailed">): void {
    this.#unattended.follow(snapshot);
  }

  /** The same object until it differs; undefined where nothing waits. */
  of(identity: string): Queued | undefined {
    const list = this.#listOf(identity);
    if (list === undefined) return undefined;
    const held = list.lost === null ? this.#waiting.heldOf(identity) : null;
    const known = this.#shown.get(list);
    if (known?.held === held) return known;
    const { revision, messages, agent, lost } = list;
    const count = messages.length;
    const shown = { revision, count, held, lost: lost !== null, sends_now: keepsTyped(agent) };
    this.#shown.set(list, shown);
    return shown;
  }

  /**
   * The list that this is about, as it is then; null where nothing waits in it any more.
   * @throws AppError not_found, conflict, invalid, unavailable, persist_failed, storage
   */
  async act(request: QueueRequest, client: Client): Promise<MessageList | null> {
    const { idempotency_key: key, ...body } = request;
    const id = request.operation === "add" ? key : request.message_id;
    const identity = listWith(this.#stored.current, id)?.identity;
    await this.#deps.ledger.once(key, body, () => this.#act(request, client));
    const kept = this.#stored.current;
    const list = listWith(kept, id) ?? kept.lists.find((one) => one.identity === identity);
    return list ? publicList(list) : null;
  }

  async #act(request: QueueRequest, client: Client): Promise<void> {
    if ("text" in request) requireWords(request.text);
    await this.#do(request, client);
    this.#deps.log.info(`messages that wait: ${request.operation} by ${client.name}`);
    this.#deps.changed();
  }

  async #do(request: QueueRequest, client: Client): Promise<void> {
    const stored = this.#stored;
    if (request.operation === "add") {
      const place = this.#placeOf(request.id);
      const { idempotency_key: id, text } = request;
      const at = this.#deps.clock.now();
      return stored.change((kept) => withAdded(kept, place, { id, text, at }));
    }
    const { message_id: id } = request;
    if (request.operation === "edit")
      return stored.change((kept) => withEdited(kept, id, request.text));
    if (request.operation === "move")
      return stored.change((kept) => withMoved(kept, id, request.before));
    if (request.operation === "delete") return stored.change((kept) => withDeleted(kept, id));
    const list = listWith(stored.current, id);
    const message = list?.messages.find((one) => one.id === id);
    // It has left by itself meanwhile.
    if (stored.current.done.includes(id)) return;
    if (!list || !message) throw unknownMessage();
    return this.#sendNow(list, message, { key: request.idempotency_key, client });
  }

  /**
   * A person's own press: also while the agent works, where its program keeps what is typed.
   * @throws AppError conflict; nothing was sent but with `delivery_unknown`
   */
  async #sendNow(
    list: KeptList,
    message: KeptMessage,
    by: { key: string; client: Client },
  ): Promise<void> {
    if (list.lost !== null) throw refusal("message_lost", "its pane is not what it was");
    if (message.sentBy === by.key) throw refusal("delivery_unknown", MAYBE);
    await this.#unattended.send(jobOf(list, message), {
      ...by,
      accept(now) {
        const why = whyNotNow(list, message, now);
        if (why !== null) throw refusal("not_free", why);
        return null;
      },
    });
  }

  #listOf(identity: string): KeptList | undefined {
    const kept = this.#stored.current;
    if (kept.lists.length === 0) return undefined;
    if (this.#indexed?.kept !== kept) {
      const lostFirst = kept.lists.toSorted((a, b) => Number(!a.lost) - Number(!b.lost));
      const byIdentity = new Map(lostFirst.map((list) => [list.identity, list]));
      this.#indexed = { kept, byIdentity };
    }
    return this.#indexed.byIdentity.get(identity);
  }

  /** @throws AppError where no agent is there that a message could wait for */
  #placeOf(wanted: string) {
    const listed = this.#deps.queue.find(wanted);
    const pane = this.#deps.hub.current.panes.find(({ id }) => id === listed?.id);
    if (!listed || !pane) throw unknownPane();
    if (pane.agent === null || pane.kind === "shell")
      throw refusal("no_agent", "no agent is in this pane");
    if (pane.capabilities.input !== "legacy" || !pane.capabilities.literal_text)
      throw refusal("guarded_input_required", "guarded input required");
    return { id: listed.id, identity: listed.identity, name: pane.name, agent: pane.agent.id };
  }
}

/** @throws AppError invalid */
function requireWords(text: string): void {
  requireLiteral(text);
  if (text.trim() === "") throw new AppError("invalid", "a message needs words");
}
