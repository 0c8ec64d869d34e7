import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import fc from "fast-check";
import { keyOf } from "../../web/model/stored.ts";
import { Broadcast } from "../../web/state/server/broadcast.ts";
import { Stops } from "../../web/state/server/stops.ts";
import { WaitingMessages } from "../../web/state/server/waiting.ts";
import type { MessageList } from "../../src/protocol/queue.ts";
import type { ActFate } from "../../web/state/server/outbox.ts";
import type { Server } from "../../web/state/server/server.ts";
import type { SeenFates } from "../../src/protocol/tolerant-later.ts";
import { NOW } from "../review/works.ts";
import {
  apiOf,
  elapse,
  recordOf,
  serverOf,
  type Answer,
  type Call,
} from "../support/page-server.ts";
import { MemoryStorage } from "../support/memory-storage.ts";
import { pane } from "../support/pane.ts";
import { forAllInTime } from "../support/laws.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** The first asks, the second is idle, the third works: between them every sender has a pane. */
const ASKING = "%1";
const IDLE = "%2";
const WORKING = "%3";
const PANES = [ASKING, IDLE, WORKING] as const;
const SENDERS = [
  ...(["answer", "key", "text", "broadcast"] as const),
  ...(["queued", "stop"] as const),
] as const;
/** `lost` has arrived, and `never` has not: of both the page hears nothing. */
const FATES = [
  ...(["ok", "lost", "never", "delivery_unknown"] as const),
  ...(["prompt_changed", "unauthorized"] as const),
] as const;
type Fate = (typeof FATES)[number];

/** A request that has no answer yet. */
interface Sent extends Call {
  readonly key: string;
  readonly panes: readonly string[];
  readonly resolve: (answer: Answer) => void;
}

type Page = Pick<Server, "acts" | "answers" | "outbox" | "panes"> & {
  readonly broadcast: Broadcast;
  readonly waiting: WaitingMessages;
  readonly stops: Stops;
};

/** Plays a server that takes its time, and holds what it gets against the law. */
class World {
  readonly violations: string[] = [];
  readonly names = new Set<string>();
  readonly sentBy = new Set<string>();
  readonly storage = new MemoryStorage();
  count = 0;
  #open: Sent[] = [];
  /** Panes where a text may have arrived, and where nobody has looked. */
  readonly #unknown = new Set<string>();
  /** The server's record by key; a key that is missing never arrived. */
  readonly #record = new Map<string, ActFate["state"]>();
  /** Whether the server has a record at all. */
  readonly #hasRecord: boolean;
  #question = 0;
  #names = 0;
  #page: Page;

  constructor(hasRecord: boolean) {
    this.#hasRecord = hasRecord;
    this.#page = this.#load();
  }

  get outbox() {
    return this.#page.outbox;
  }

  async send(sender: (typeof SENDERS)[number], paneId: string): Promise<void> {
    const { acts, broadcast, panes, waiting, stops } = this.#page;
    const shown = panes.latest(paneId);
    if (shown === null) throw new Error("no pane");
    const pressedAt = Date.now();
    const press = { shown, pressedAt, steadySince: pressedAt - 1000 };
    const [option] = shown.menu;
    const label = "same words";
    switch (sender) {
      case "answer":
        if (option === undefined) return;
        void acts.answer({ ...press, option, text: null, label: "1 Yes" });
        break;
      case "key":
        void acts.key(press, "Enter");
        break;
      case "text":
        void acts.text(press, label);
        break;
      case "broadcast":
        broadcast.write(label);
        void broadcast.send(PANES);
        break;
      case "queued":
        void waiting.sendNow(LIST, FIRST);
        break;
      case "stop":
        void stops.press(shown);
        break;
    }
    await elapse();
  }

  /** The server answers one of the open requests, or the network loses its answer. */
  async settle(place: number, fate: Fate): Promise<void> {
    const [sent] = this.#open.splice(place % Math.max(1, this.#open.length), 1);
    if (sent === undefined) return;
    const isUnknown = fate === "lost" || fate === "never" || fate === "delivery_unknown";
    if (isUnknown) for (const id of sent.panes) this.#unknown.add(id);
    this.#record.set(sent.key, STATES[fate]);
    if (fate === "never") {
      this.#record.delete(sent.key);
      this.names.delete(sent.key);
    }
    sent.resolve(replyOf(sent, fate));
    await elapse();
    this.#ask();
  }

  /** A person opens the terminal, and a new snapshot comes. */
  inspect(paneId: string): void {
    if (!this.outbox.isDoubted(paneId)) return;
    this.#unknown.delete(paneId);
    this.outbox.inspected(paneId);
    this.#page.answers.advance();
  }

  /** The page dies with everything that it waits for. */
  async reload(): Promise<void> {
    for (const { key, panes } of this.#open) {
      for (const id of panes) this.#unknown.add(id);
      this.#record.set(key, "sent");
    }
    this.#open = [];
    await elapse();
    this.#page = this.#load();
    await elapse();
  }

  async wait(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 1000) {
      jest.advanceTimersByTime(1000);
      void this.outbox.ask();
      await elapse();
    }
    this.#ask();
  }

  async end(): Promise<void> {
    while (this.#open.length > 0) await this.settle(0, "prompt_changed");
    await this.wait(40_000);
    for (const id of PANES) this.inspect(id);
  }

  /** Another question, so that an answer that was sent is confirmed and the next may be given. */
  #ask({ answers, panes }: Pick<Page, "answers" | "panes"> = this.#page): void {
    const options_fingerprint = `sha256:${++this.#question}`;
    const legacy_guard = { prompt_fingerprint: "sha256:p", options_fingerprint, selected: null };
    const yes = { key: "1", label: "Yes", description: "", selected: false, freeform: false };
    const asking = pane({
      ...{ id: ASKING, status: "needs_input", question: `Is it ${this.#question}?`, legacy_guard },
      menu: [{ ...yes, checked: null }],
    });
    const agent = { id: "agent_a", label: "Claude Code" };
    const working = pane({ id: WORKING, status: "working", kind: "agent_a", agent });
    panes.take({ panes: [asking, pane({ id: IDLE }), working], styles: new Map(), cards: [] });
    answers.advance();
  }

  #load(): Page {
    const nextName = () => `name-${++this.#names}`;
    const server = serverOf({
      api: apiOf((call) => this.#serve(call)),
      ...{ memory: this.storage, browser: { ...BROWSER, uuid: nextName } },
      recordOf: async (keys: readonly string[]) => this.#recordOf(keys),
    });
    const { acts, answers, outbox, panes } = server;
    const own = { waiting: new WaitingMessages(server), stops: new Stops(server) };
    const page = { ...own, acts, answers, outbox, panes, broadcast: new Broadcast(server) };
    this.#ask(page);
    outbox.restore((id) => panes.latest(id) !== null);
    answers.advance();
    return page;
  }

  /** An answer of the record counts as a look, where the record knows. */
  #recordOf(keys: readonly string[]): SeenFates | null {
    if (!this.#hasRecord) return null;
    const told = keys.flatMap((key) => {
      const state = this.#record.get(key) ?? (this.names.has(key) ? "sending" : "unseen");
      const panes = this.outbox.doubts().filter((doubt) => doubt.key === key);
      return panes.map(({ paneId }) => {
        if (state !== "unknown") this.#unknown.delete(paneId);
        return { key, paneId, state };
      });
    });
    return recordOf(told);
  }

  #serve(call: Call): Answer | Promise<Answer> {
    const { body, method, path } = call;
    if (method === "GET") return { body: { lists: [] } };
    const { id, ids, idempotency_key } = Object(body);
    const panes: readonly string[] = ids ?? [id ?? IDLE];
    const name = String(idempotency_key);
    if (this.names.has(name)) this.violations.push(`${path} again as ${name}`);
    this.names.add(name);
    this.sentBy.add(path.split("/").at(-1) ?? "");
    this.count += 1;
    for (const paneId of panes) {
      const beside = this.#open.find((other) => other.panes.includes(paneId));
      if (beside !== undefined) this.violations.push(`${path} beside ${beside.path} at ${paneId}`);
      if (this.#unknown.has(paneId)) this.violations.push(`${path} in doubt at ${paneId}`);
    }
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#open.push({ ...call, key: name, panes, resolve });
    return promise;
  }
}

const BROWSER = { install: { answered: () => {} }, touch: { untouchedMs: () => Infinity } };

const STATES: Readonly<Record<Fate, ActFate["state"]>> = {
  ...{ ok: "sent", lost: "confirmed", never: "unseen", delivery_unknown: "unknown" },
  ...{ prompt_changed: "refused", unauthorized: "refused" },
};

const FIRST = { id: "m1", text: "same words", state: "waiting", at: NOW } as const;
const LIST: MessageList = {
  ...{ id: IDLE, name: "a", agent: "agent_a", revision: 1, lost: null },
  messages: [FIRST],
};

function replyOf({ path }: Sent, fate: Fate): Answer {
  if (fate === "lost" || fate === "never") return "lost";
  if (fate === "unauthorized") return { status: 401, body: { detail: "x" } };
  // The reason is a sentence for people; the page reads the code.
  if (fate === "delivery_unknown")
    return { status: 400, body: { detail: { reason: "Look first.", code: fate } } };
  if (fate !== "ok") return { status: 409, body: { detail: { reason: fate } } };
  if (path.endsWith("/queue")) return { body: { ok: true, list: null } };
  return { body: { ok: true, sent: 1, errors: [] } };
}

const step = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constantFrom(...SENDERS), fc.constantFrom(...PANES)) },
  { weight: 4, arbitrary: fc.tuple(fc.nat(3), fc.constantFrom(...FATES)) },
  { weight: 1, arbitrary: fc.constantFrom<"reload" | "wait">("reload", "wait") },
  { weight: 2, arbitrary: fc.constantFrom(...PANES) },
);

test("for any senders: no key is sent twice, no pane has two sends at once, and none is sent to in doubt", async () => {
  const sentBy = new Set<string>();
  await forAllInTime(
    [fc.array(step, { maxLength: 30 }), fc.boolean()],
    600,
    async (steps, hasRecord) => {
      const world = new World(hasRecord);
      let presses = 0;
      await elapse();
      for (const step of steps) {
        if (step === "reload") await world.reload();
        else if (step === "wait") await world.wait(4000);
        else if (typeof step === "string") world.inspect(step);
        else if (typeof step[0] === "number") await world.settle(step[0], step[1] as Fate);
        else {
          presses += 1;
          await world.send(step[0], step[1] as (typeof PANES)[number]);
        }
      }
      expect(world.violations).toEqual([]);
      expect(world.count).toBeLessThanOrEqual(presses);
      await world.end();
      // No pane stays locked: every result is known, or somebody has looked.
      expect(PANES.filter((id) => world.outbox.isHeld(id))).toEqual([]);
      expect(world.storage.getItem(keyOf("doubts"))).toBeNull();
      for (const path of world.sentBy) sentBy.add(path);
    },
  );
  expect([...sentBy].sort()).toEqual([...["broadcast", "key", "queue", "select", "stop", "text"]]);
});
