import {
  type StoredQueue,
  listWith,
  NO_LISTS,
  publicList,
  withAdded,
  withDeleted,
  withEdited,
  withLost,
  withMoved,
} from "../../src/input/message-lists.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { type MessageList, QueueRequest } from "../../src/protocol/queue.ts";
import type { FixtureServer } from "./fixture-server.ts";
import { NOW } from "./fixture-panes.ts";

/** Keeps messages and stops agents as the service does, and says so; nothing is sent by itself. */
export class KeptMessages {
  readonly #server: FixtureServer;
  #kept = NO_LISTS;

  constructor(server: FixtureServer) {
    this.#server = server;
    const announced = { version: 1 };
    Object.assign(server.config._info.capabilities, { queue_v1: announced, stop_v1: announced });
    server.replies["/api/queue"] = (body) => this.#answer(body);
    server.replies["/api/stop"] = ({ id }) => {
      server.change(String(id), { status: "idle" });
      return { ok: true };
    };
  }

  /** These wait for the pane, and no others. */
  keep(paneId: string, texts: readonly string[], { lost }: Partial<MessageList> = {}): void {
    const others = this.#kept.lists.filter(({ id }) => id !== paneId);
    let kept: StoredQueue = { ...this.#kept, lists: others, done: [] };
    for (const [index, text] of texts.entries())
      kept = this.#added(kept, paneId, { id: `${paneId}-${index}`, text, at: NOW - 60 });
    this.#become(lost ? withLost(kept, paneId, lost, NOW) : kept, paneId);
  }

  hold(paneId: string, held: NonNullable<PaneState["queued"]>["held"]): void {
    const pane = this.#server.panes.find(({ id }) => id === paneId);
    if (pane?.queued) this.#server.change(paneId, { queued: { ...pane.queued, held } });
  }

  withAgents(): void {
    this.#server.switchWorkspace(true);
  }

  texts(paneId: string): string[] {
    return this.#listOf(paneId)?.messages.map(({ text }) => text) ?? [];
  }

  #listOf = (paneId: string) => this.#kept.lists.findLast(({ id }) => id === paneId);

  #added(kept: StoredQueue, id: string, message: Parameters<typeof withAdded>[2]): StoredQueue {
    const pane = this.#server.panes.find((one) => one.id === id);
    const place = { id, identity: id, name: pane?.name ?? id, agent: pane?.agent?.id ?? "agent_a" };
    return withAdded(kept, place, message);
  }

  #become(kept: StoredQueue, paneId: string): void {
    this.#kept = kept;
    const { revision = 0, messages = [], lost = null } = this.#listOf(paneId) ?? {};
    const count = messages.length;
    const shown = { revision, count, held: null, lost: lost !== null, sends_now: true };
    this.#server.change(paneId, { queued: count > 0 ? shown : null });
  }

  #answer(body: Record<string, unknown>): unknown {
    if (body["operation"] === undefined) return { lists: this.#kept.lists.map(publicList) };
    const request = QueueRequest.parse(body);
    const isNew = request.operation === "add";
    const paneId = isNew ? request.id : (listWith(this.#kept, request.message_id)?.id ?? "");
    this.#become(this.#after(request), paneId);
    const list = this.#listOf(paneId);
    return { ok: true, list: list ? publicList(list) : null };
  }

  #after(request: QueueRequest): StoredQueue {
    const kept = this.#kept;
    if (request.operation === "add") {
      const { id, idempotency_key, text } = request;
      return this.#added(kept, id, { id: idempotency_key, text, at: NOW });
    }
    const { message_id: id } = request;
    if (request.operation === "edit") return withEdited(kept, id, request.text);
    if (request.operation === "move") return withMoved(kept, id, request.before);
    return withDeleted(kept, id);
  }
}
