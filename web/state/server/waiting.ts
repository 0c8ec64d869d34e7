import { computed, effect, signal, untracked } from "@preact/signals";
import type {
  MessageList,
  QueuedMessage,
  QueueReply,
  QueueRequest,
  QueueState,
} from "../../../src/protocol/queue.ts";
import type { Pane } from "../../model/pane.ts";
import { mustWait } from "../../model/work.ts";
import { type LockToken, type Result, type FailureStep, failureStep } from "../../net/api.ts";
import type { Answer } from "../../model/answer.ts";
import type { KeyPress } from "./acts.ts";
import { Query } from "./query.ts";
import { Part } from "./part.ts";
import type { Server } from "./server.ts";

/** Before lists are read again: a closed pane is reported after some seconds; a reply may be lost. */
const AGAIN_MS = 8000;
const READ_MS = 8000;

/** The result of a change of a list. */
export type ListChange = { readonly step: "done" } | FailureStep;

/** `overtaken`: the message had left before its change was saved. */
export type QueueFailure = FailureStep | { readonly step: "overtaken" };

type Unkeyed<R> = R extends unknown ? Omit<R, "idempotency_key"> : never;

/** Messages that the server types once an agent is free, by pane (`queue_v1`). */
export class WaitingMessages extends Part {
  readonly #query = new Query<QueueState>((signal) =>
    this.server.api.call("GET /api/queue", { signal, timeoutMs: READ_MS }),
  );
  readonly lists = computed(() => this.#query.value.value?.lists ?? []);
  /** The last request failed: the lists may be old. */
  readonly hasFailed = computed(() => this.#query.failure.value !== null);
  /** Why a message is in the draft of its pane instead of its list. */
  readonly failedAdd = signal<{ readonly paneId: string; readonly why: QueueFailure } | null>(null);
  /** Texts whose adding was not confirmed, with their idempotency keys. */
  readonly #unconfirmed = new Map<string, { readonly text: string; readonly key: string }>();
  /** By message id, its text when the person began to edit it. */
  readonly #textBeforeEdit = new Map<string, string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(server: Server) {
    super(server);
    // Read at first in any case: snapshots do not tell of lists whose panes are gone.
    let known: string | null = null;
    effect(() => {
      const key = this.isOffered ? listsKey(server.panes.all.value, this.lists.value) : null;
      if (key === known) return;
      known = key;
      untracked(() => void this.read());
      if (key?.includes(" gone")) this.#readLater();
    });
  }

  get isOffered(): boolean {
    return this.server.config.has("queue_v1");
  }

  /** An active list before a lost one. */
  of(paneId: string): MessageList | null {
    const its = this.lists.value.filter(({ id }) => id === paneId);
    return its.find(({ lost }) => lost === null) ?? its[0] ?? null;
  }

  /** Whether the server queues a message to this pane. */
  mustQueue(pane: Pane): boolean {
    return this.isOffered && mustWait(pane);
  }

  /**
   * Every whole message to an agent goes here: typed at once where it is idle, else added to its
   * list.
   */
  async sendOrAdd(
    press: KeyPress,
    text: string,
  ): Promise<Answer | null | { readonly step: "added" } | ListChange> {
    const pane = this.server.panes.latest(press.shown.id) ?? press.shown;
    this.failedAdd.value = null;
    if (!this.mustQueue(pane)) return this.server.acts.text(press, text);
    const added = await this.add(pane.id, text);
    if (added.step === "done") return { step: "added" };
    this.failedAdd.value = { paneId: pane.id, why: added };
    return added;
  }

  /** The person edits the draft: the same text later is another message. */
  forgetFailedAdd(paneId: string): void {
    this.failedAdd.value = null;
    this.#unconfirmed.delete(paneId);
  }

  async add(paneId: string, text: string): Promise<ListChange> {
    const { outbox } = this.server;
    const known = this.#unconfirmed.get(paneId);
    const adding = known?.text === text ? known : { text, key: outbox.newKey() };
    this.#unconfirmed.set(paneId, adding);
    const post = (idempotency_key: string, signal: AbortSignal) =>
      this.#post({ operation: "add", id: paneId, text, idempotency_key }, signal);
    const changed = await this.#outcomeOf(await outbox.withRetries(post, undefined, adding.key));
    const isSure = changed.step !== "uncertain" && this.#unconfirmed.get(paneId) === adding;
    if (isSure) this.#unconfirmed.delete(paneId);
    return changed;
  }

  /** A change by another device is shown first, and overwritten by the next attempt. */
  async edit(message_id: string, text: string): Promise<ListChange> {
    const begun = this.#textBeforeEdit.get(message_id);
    const messages = this.lists.peek().flatMap((list) => list.messages);
    const now = messages.find(({ id }) => id === message_id)?.text ?? begun;
    if (now !== undefined && begun !== undefined && now !== begun) {
      this.#textBeforeEdit.set(message_id, now);
      return { step: "refused", reason: `it says “${now}” now. Save again to replace that.` };
    }
    const changed = await this.#change({ operation: "edit", message_id, text });
    if (changed.step === "done") this.#textBeforeEdit.set(message_id, text);
    return changed;
  }

  move(message_id: string, before: string | null): Promise<ListChange> {
    return this.#change({ operation: "move", message_id, before });
  }

  remove(message_id: string): Promise<ListChange> {
    return this.#change({ operation: "delete", message_id });
  }

  /** Refused if the message has changed since it was shown. */
  async sendNow({ id }: MessageList, { id: message_id, text }: QueuedMessage): Promise<ListChange> {
    const lock = this.server.outbox.acquire([id], text);
    if (lock === null) return { step: "refused", reason: "" };
    await this.read();
    const now = this.of(id)?.messages.find((one) => one.id === message_id);
    const isRead = !this.hasFailed.peek() && !this.#query.isLoading.peek();
    if (!isRead || (now !== undefined && now.text !== text)) {
      lock.release();
      return { step: "refused", reason: "it could not be read again as it was shown" };
    }
    const result = await lock.send((pass, idempotency_key, signal) =>
      this.#post({ operation: "send", message_id, idempotency_key }, signal, pass),
    );
    return this.#outcomeOf(result);
  }

  /**
   * Follows edits of queued messages. When a message has left or was removed elsewhere, its edited
   * text goes into the draft.
   */
  followEdits(pane: Pane): void {
    if (this.#query.value.peek() === null) return;
    const { drafts } = this.server;
    const { text, edits } = drafts.of(pane).peek();
    const list = this.of(pane.id);
    const messages = list?.lost === null ? list.messages : [];
    for (const { id, text: said } of messages) {
      if (edits[id] === undefined) this.#textBeforeEdit.delete(id);
      else if (!this.#textBeforeEdit.has(id)) this.#textBeforeEdit.set(id, said);
    }
    const there = new Set(messages.map(({ id }) => id));
    const lost = Object.keys(edits).filter((id) => !there.has(id));
    if (lost.length === 0) return;
    const words = lost.flatMap((id) => edits[id] ?? []);
    drafts.set(pane, {
      text: [text, ...words].filter((part) => part !== "").join("\n"),
      edits: Object.fromEntries(Object.entries(edits).filter(([id]) => there.has(id))),
    });
    this.failedAdd.value = { paneId: pane.id, why: { step: "overtaken" } };
  }

  async read(): Promise<void> {
    if (!this.isOffered) return;
    clearTimeout(this.#timer);
    await this.#query.reload();
    // No snapshot tells that a reading was lost.
    if (this.hasFailed.peek() && !this.server.signedOut.aborted) this.#readLater();
  }

  #readLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.read(), AGAIN_MS);
  }

  async #change(request: Unkeyed<QueueRequest>): Promise<ListChange> {
    const result = await this.server.outbox.withRetries((key, signal) =>
      this.#post({ ...request, idempotency_key: key } as QueueRequest, signal),
    );
    return this.#outcomeOf(result);
  }

  /** A late reply may hold an old list, so the lists are read again. */
  async #outcomeOf(result: Result<unknown>): Promise<ListChange> {
    const reading = this.read();
    if (!result.ok) return failureStep(result.failure);
    await reading;
    return { step: "done" };
  }

  /** A message that is sent at once needs the lock of its pane. */
  #post(json: QueueRequest, signal: AbortSignal, _?: LockToken): Promise<Result<QueueReply>> {
    return this.server.api.call("POST /api/queue", { json, signal });
  }
}

/** Changes when a list does: revisions, and lists whose panes are not listed. */
function listsKey(panes: readonly Pane[], lists: readonly MessageList[]): string {
  const revisions = panes.flatMap(({ id, queued }) => (queued ? [`${id} ${queued.revision}`] : []));
  if (lists.length === 0) return revisions.join("\n");
  const listed = new Set(panes.map(({ id }) => id));
  const missing = lists.filter(({ id, lost }) => lost === null && !listed.has(id));
  return [...revisions, ...missing.map(({ id }) => `${id} gone`)].join("\n");
}
