import type { MessageList, QueuedMessage } from "../../src/protocol/queue.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import type { FixtureServer } from "./fixture-server.ts";
import { NOW } from "./fixture-panes.ts";

/** Keeps messages and stops agents as the service does, and says so. */
export class KeptMessages {
  readonly lists: MessageList[] = [];
  readonly #server: FixtureServer;
  #revision = 1;

  constructor(server: FixtureServer) {
    this.#server = server;
    const { capabilities } = server.config._info;
    const announced = { version: 1 };
    server.config = {
      ...server.config,
      _info: {
        ...server.config._info,
        capabilities: { ...capabilities, queue_v1: announced, stop_v1: announced },
      },
    };
    server.replies["/api/queue"] = (body) => this.#answer(body);
    server.replies["/api/stop"] = ({ id }) => {
      server.change(String(id), { status: "idle" });
      return { ok: true };
    };
  }

  /** Messages that wait already. */
  keep(paneId: string, texts: readonly string[], members: Partial<MessageList> = {}): void {
    const pane = this.#server.panes.find(({ id }) => id === paneId);
    const messages = texts.map((text, at): QueuedMessage => {
      return { id: `${paneId}-${at}`, text, state: "waiting", at: NOW - 60 };
    });
    const list = { id: paneId, name: pane?.name ?? paneId, agent: pane?.agent?.id ?? "agent_a" };
    this.#put({ ...list, revision: this.#revision++, lost: null, messages, ...members });
  }

  hold(paneId: string, held: NonNullable<PaneState["queued"]>["held"]): void {
    const pane = this.#server.panes.find(({ id }) => id === paneId);
    if (pane?.queued) this.#server.change(paneId, { queued: { ...pane.queued, held } });
  }

  withAgents(): void {
    this.#server.switchWorkspace(true);
  }

  texts(paneId: string): string[] {
    const list = this.lists.find(({ id }) => id === paneId);
    return list?.messages.map(({ text }) => text) ?? [];
  }

  #put(list: MessageList): void {
    const at = this.lists.findIndex(({ id }) => id === list.id);
    if (at >= 0) this.lists.splice(at, 1);
    const count = list.messages.length;
    if (count > 0) this.lists.push(list);
    const { revision } = list;
    const shown = { revision, count, held: null, lost: list.lost !== null, sends_now: true };
    this.#server.change(list.id, { queued: count > 0 ? shown : null });
  }

  #answer(body: Record<string, unknown>): unknown {
    const { operation, text, message_id: id, before } = body;
    if (operation === undefined) return { lists: this.lists };
    if (operation === "add") {
      const paneId = String(body["id"]);
      const known = this.lists.find((list) => list.id === paneId);
      if (known === undefined) this.keep(paneId, []);
      const list = known ?? {
        ...{ id: paneId, name: paneId, agent: "agent_a", revision: 0, lost: null, messages: [] },
      };
      const key = String(body["idempotency_key"]);
      const message = { id: key, text: String(text), state: "waiting", at: NOW } as const;
      return this.#reply({ ...list, messages: [...list.messages, message] });
    }
    const list = this.lists.find(({ messages }) => messages.some((one) => one.id === id));
    if (list === undefined) throw new Error(`no message ${String(id)}`);
    const others = list.messages.filter((one) => one.id !== id);
    const own = list.messages.filter((one) => one.id === id);
    if (operation === "edit")
      return this.#reply({
        ...list,
        messages: list.messages.map((one) =>
          one.id === id ? { ...one, text: String(text) } : one,
        ),
      });
    if (operation !== "move") return this.#reply({ ...list, messages: others });
    const place = others.findIndex((one) => one.id === before);
    const at = place < 0 ? others.length : place;
    return this.#reply({ ...list, messages: others.toSpliced(at, 0, ...own) });
  }

  #reply(list: MessageList): unknown {
    this.#put({ ...list, revision: this.#revision++ });
    return { ok: true, list: this.lists.find(({ id }) => id === list.id) ?? null };
  }
}
