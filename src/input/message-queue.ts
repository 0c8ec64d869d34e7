import { keepsTyped } from "../detect/agents.ts";
import { AppError } from "../errors.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { JsonStore } from "../lib/stored-json.ts";
import type { PaneState, Queued } from "../protocol/pane.ts";
import type { MessageList, QueueRequest } from "../protocol/queue.ts";
import type { Snapshot } from "../terminal/hub.ts";
import type { Client } from "./client.ts";
import { refusal } from "./continuation.ts";
import { requireLiteral } from "./literal.ts";
import {
  type KeptList,
  listOf,
  listWith,
  unknownMessage,
  withAdded,
  withDeleted,
  withEdited,
  withMoved,
} from "./message-lists.ts";
import { MessageSender, type MessageSenderDeps } from "./message-sender.ts";
import { MessageStore } from "./message-store.ts";

export interface MessageQueueDeps extends Omit<MessageSenderDeps, "store"> {
  file: JsonStore;
  ledger: Pick<Ledger, "once">;
  hub: { readonly current: { readonly panes: readonly PaneState[] } };
}

/** `queue_v1`: messages that wait until an agent is free, one list for each pane. */
export class MessageQueue {
  readonly #deps: MessageQueueDeps;
  readonly #store: MessageStore;
  readonly #sender: MessageSender;
  readonly #shown = new WeakMap<KeptList, Queued>();

  constructor(deps: MessageQueueDeps) {
    this.#deps = deps;
    this.#store = new MessageStore(deps.file);
    this.#sender = new MessageSender({ ...deps, store: this.#store });
  }

  /** @throws UnreadableError: then nothing is kept, and nothing sent */
  async open(): Promise<void> {
    await this.#store.open();
    this.#deps.changed();
  }

  async stop(): Promise<void> {
    await this.#store.close();
  }

  get lists(): MessageList[] {
    return this.#store.kept.lists.map(listOf);
  }

  /** After each pass. */
  follow(snapshot: Pick<Snapshot, "sights" | "hasFailed">): void {
    this.#sender.follow(snapshot);
  }

  /** The same object until it differs; undefined where nothing waits. */
  of(identity: string): Queued | undefined {
    const list = this.#store.of(identity);
    if (list === undefined) return undefined;
    const held = list.lost === null ? this.#sender.heldOf(identity) : null;
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
    const identity = listWith(this.#store.kept, id)?.identity;
    await this.#deps.ledger.once(key, body, () => this.#act(request, client));
    const { kept } = this.#store;
    const list = listWith(kept, id) ?? kept.lists.find((one) => one.identity === identity);
    return list ? listOf(list) : null;
  }

  async #act(request: QueueRequest, client: Client): Promise<void> {
    if ("text" in request) requireWords(request.text);
    await this.#do(request, client);
    this.#deps.log.info(`messages that wait: ${request.operation} by ${client.name}`);
    this.#deps.changed();
  }

  async #do(request: QueueRequest, client: Client): Promise<void> {
    const store = this.#store;
    if (request.operation === "add") {
      const place = this.#placeOf(request.id);
      const { idempotency_key: id, text } = request;
      const at = this.#deps.clock.now();
      return store.change((kept) => withAdded(kept, place, { id, text, at }));
    }
    const { message_id: id } = request;
    if (request.operation === "edit")
      return store.change((kept) => withEdited(kept, id, request.text));
    if (request.operation === "move")
      return store.change((kept) => withMoved(kept, id, request.before));
    if (request.operation === "delete") return store.change((kept) => withDeleted(kept, id));
    const list = listWith(store.kept, id);
    const message = list?.messages.find((one) => one.id === id);
    // It has left by itself meanwhile.
    if (store.kept.done.includes(id)) return;
    if (!list || !message) throw unknownMessage();
    return this.#sender.sendNow(list, message, request.idempotency_key, client);
  }

  /** @throws AppError where no agent is there that a message could wait for */
  #placeOf(wanted: string) {
    const listed = this.#deps.queue.find(wanted);
    const pane = this.#deps.hub.current.panes.find(({ id }) => id === listed?.id);
    if (!listed || !pane) {
      const reason = "unknown pane";
      throw new AppError("not_found", reason, { reason, code: "unknown_pane" });
    }
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
