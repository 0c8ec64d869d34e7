import { expect, test } from "bun:test";
import fc from "fast-check";
import type { AgentStore } from "../../src/agents/store/store.ts";
import type { MessageRole } from "../../src/protocol/agents.ts";
import { addMessage, EVERYTHING, messageEvent } from "./support/messages.ts";
import { memoryStore, newSession, sessionStore } from "./support/store.ts";
import { forAll } from "../support/laws.ts";

/** Runs of each law: every run fills a store. */
const RUNS = 40;

interface Message {
  text: string;
  role: MessageRole;
  at: number;
}

/** A store with two sessions that have these messages. */
function storeOf(messages: readonly Message[], monotonic?: () => number) {
  const { store } = memoryStore(1_800_000_000, monotonic);
  const id = newSession(store);
  const other = newSession(store, "other");
  store.write(() => {
    for (const [index, each] of messages.entries())
      for (const agent of [id, other]) add(store, agent, each, index);
  });
  return { store, id, other };
}

function add(store: AgentStore, agent: string, { text, role, at }: Message, offset: number): void {
  const own = { at, role, nativeId: `${agent}${offset}`, source: role };
  addMessage(store, agent, messageEvent(text, own), { offset });
}

/** A clock by which the time of a search is used up at once. */
function hurriedClock(): () => number {
  let now = 0;
  return () => (now += 1);
}

function allPages(
  { store, id }: ReturnType<typeof storeOf>,
  query: { q: string | null; limit: number; after?: number; before?: number; role?: MessageRole },
) {
  const found: string[] = [];
  const sizes: number[] = [];
  let cursor: string | null = null;
  do {
    const page: ReturnType<typeof store.messages.page> = store.messages.page(id, {
      ...EVERYTHING,
      ...query,
      cursor,
    });
    found.unshift(...page.messages.map(({ content }) => content));
    sizes.push(page.messages.length);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return { found, sizes };
}

/** How a search compares each letter of the property. */
const SAME: Readonly<Record<string, string>> = {
  ...{ A: "a", B: "b", Ä: "a", ä: "a", é: "e", I: "i", İ: "i", ẞ: "ß", Σ: "σ", ς: "σ" },
};
const plain = (text: string) => [...text].map((each) => SAME[each] ?? each).join("");

// Letters whose cases differ in characters or bytes, wildcards, quotes, astral characters.
const letter = fc.constantFrom(..."abAB%_\\\"'*- ßẞİiIıΣσςÄäﬁé漢😀");
const text = fc.string({ unit: letter, minLength: 1, maxLength: 8 });
const role = fc.constantFrom("user" as const, "assistant" as const);
const moment = fc.integer({ min: 0, max: 30 }).map((index) => index * 100_000 + 20);
const anyMessage = fc.record({ text, role, at: fc.integer({ min: 0, max: 40 }) });

test("a search finds exactly the messages that match, whatever the filters and the size of its pages", () => {
  forAll(
    [
      fc.array(anyMessage, { maxLength: 30 }),
      fc.integer({ min: 0, max: 450 }),
      fc.string({ unit: letter, minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 9 }),
      fc.record({ role, after: moment, before: moment }, { requiredKeys: [] }),
    ],
    RUNS,
    (some, filler, q, limit, filters) => {
      // Filler, so that the search has several slices.
      const padding = Array.from({ length: filler }, (_, index) => ({
        ...{ text: `~${index}`, role: "user" as const, at: 100 + index * 10 },
      }));
      const spread = some.map((each, index) => ({
        ...each,
        // Far enough apart that none are twins.
        at: (index % 2 === 0 ? each.at : 10_000 + each.at) + index * 100_000,
      }));
      const kept = [...padding, ...spread].toSorted((a, b) => a.at - b.at);
      const { after = Number.NEGATIVE_INFINITY, before = Number.POSITIVE_INFINITY } = filters;
      const wanted = kept.filter(
        (each) =>
          plain(each.text).includes(plain(q)) &&
          (filters.role === undefined || each.role === filters.role) &&
          each.at >= after &&
          each.at <= before,
      );
      const pages = allPages(storeOf(kept, hurriedClock()), { q, limit, ...filters });
      expect(pages.found).toEqual(wanted.map((each) => each.text));
      expect(Math.max(...pages.sizes)).toBeLessThanOrEqual(limit);
    },
  );
});

test("a search of all sessions finds exactly the messages that match in any of them, newest first", () => {
  const spoken = fc.record({ text, role, agent: fc.nat({ max: 3 }) });
  forAll(
    [
      fc.array(spoken, { maxLength: 30 }),
      fc.string({ unit: letter, minLength: 1, maxLength: 2 }),
      fc.integer({ min: 1, max: 9 }),
      fc.option(role),
    ],
    RUNS,
    (some, q, limit, only) => {
      const { store } = memoryStore(1_800_000_000, hurriedClock());
      const agents = ["a", "b", "c", "d"].map((name) => newSession(store, name));
      // Not in the order of their time.
      const times = some.map((_, index) => ((index * 7) % 31) * 100);
      store.write(() => {
        for (const [index, { text, role, agent }] of some.entries())
          add(store, agents[agent] ?? "", { text, role, at: times[index] ?? 0 }, index);
      });
      const wanted = some
        .map((each, index) => ({ ...each, at: times[index] ?? 0 }))
        .filter((each) => plain(each.text).includes(plain(q)))
        .filter((each) => only === null || each.role === only)
        .toSorted((a, b) => b.at - a.at);
      const found: string[] = [];
      for (let cursor: string | null = null; ;) {
        const page = store.messages.search(null, { ...EVERYTHING, q, role: only, limit, cursor });
        found.push(...page.messages.map(({ content, agent_id }) => agent_id + content));
        cursor = page.next_cursor;
        if (cursor === null) break;
      }
      expect(found).toEqual(wanted.map((each) => agents[each.agent] + each.text));
    },
  );
});

test("from the page around any message, older and newer pages lead to every message once and in order", () => {
  forAll(
    [fc.integer({ min: 1, max: 30 }), fc.nat(), fc.integer({ min: 1, max: 9 })],
    RUNS,
    (count, place, limit) => {
      const texts = Array.from({ length: count }, (_, index) => `said ${index}`);
      const { store, id } = storeOf(texts.map((text, at) => ({ text, role: "user", at: at * 9 })));
      const { messages } = store.messages.page(id, EVERYTHING);
      const chosen = messages[place % count];
      if (chosen === undefined) throw new Error("nothing was said");
      const around = store.messages.around(id, chosen.id, limit);
      if (around === null) throw new Error("the message is not found");
      expect(around.messages.length).toBe(Math.min(limit, around.messages.length));
      expect(around.messages.map((each) => each.id)).toContain(chosen.id);
      const seen = around.messages.map(({ content }) => content);
      for (let cursor = around.next_cursor; cursor !== null;) {
        const page = store.messages.page(id, { ...EVERYTHING, cursor, limit });
        seen.unshift(...page.messages.map(({ content }) => content));
        cursor = page.next_cursor;
      }
      for (let cursor = around.newer_cursor; cursor !== null;) {
        const page = store.messages.newer(id, cursor, limit);
        seen.push(...page.messages.map(({ content }) => content));
        cursor = page.newer_cursor;
      }
      expect(seen).toEqual(texts);
    },
  );
});

test("the page around a message of another session does not exist", () => {
  const { store, id, other } = storeOf([{ text: "said", role: "user", at: 1 }]);
  const [message] = store.messages.page(other, { ...EVERYTHING, cursor: null, limit: 1 }).messages;
  expect(store.messages.around(id, message?.id ?? "", 9)).toBe(null);
});

const MANY = Array.from({ length: 1000 }, (_, index) => ({
  ...{ text: index === 3 ? "the needle" : `hay ${index}`, role: "user" as const, at: index * 10 },
}));

const many = storeOf(MANY, hurriedClock());

test("a search out of time ends its page early, and its cursor continues from there", () => {
  const { found, sizes } = allPages(many, { q: "NEEDLE", limit: 50 });
  expect(found).toEqual(["the needle"]);
  // Five slices of 200, and an empty one after them.
  expect(sizes).toEqual([0, 0, 0, 0, 1, 0]);
});

test("a search within its time reads all messages for one page", () => {
  const { found, sizes } = allPages(storeOf(MANY), { q: "needle", limit: 50 });
  expect({ found, sizes }).toEqual({ found: ["the needle"], sizes: [1] });
});

test("pages without a search are full, also when the time is used up", () => {
  const { sizes } = allPages(many, { q: null, limit: 200 });
  expect(sizes).toEqual([200, 200, 200, 200, 200]);
});

test("pages of messages hold each message once and in order, whatever is added meanwhile", () => {
  const times = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 40 });
  forAll([times, times, fc.integer({ min: 1, max: 7 })], 60, (before, meanwhile, limit) => {
    const { store, id } = sessionStore();
    const add = (text: string, at: number) =>
      addMessage(store, id, messageEvent(text, { at, nativeId: text }));
    before.forEach((at, i) => add(`old ${i}`, at * 10));
    const seen: string[] = [];
    let cursor: string | null = null;
    let turn = 0;
    do {
      const page = store.messages.page(id, { ...EVERYTHING, cursor, limit });
      seen.unshift(...page.messages.map(({ content }) => content));
      cursor = page.next_cursor;
      const at = meanwhile[turn];
      // Newer than the first page: later pages do not have it.
      if (at !== undefined) add(`new ${turn}`, 1000 + at);
      turn++;
    } while (cursor !== null);
    expect(new Set(seen).size).toBe(seen.length);
    const old = seen.filter((text) => text.startsWith("old"));
    expect(old.toSorted()).toEqual(before.map((_, i) => `old ${i}`).toSorted());
    const times = seen.map((text) => (before[Number(text.slice(4))] ?? 0) * 10);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });
});

test("pages of sessions repeat no session, and skip none that stays unchanged meanwhile", () => {
  const changes = fc.array(fc.integer({ min: 0, max: 11 }), { maxLength: 12 });
  forAll([changes, fc.integer({ min: 1, max: 5 })], 60, (touched, limit) => {
    const { store, clock } = memoryStore();
    const ids = Array.from({ length: 12 }, (_, i) => {
      clock.now += i % 3;
      return newSession(store, `s${i}`);
    });
    const moved = new Set<string>();
    const seen: string[] = [];
    let cursor: string | null = null;
    let turn = 0;
    do {
      const page: ReturnType<typeof store.sessions.page> = store.sessions.page(cursor, limit);
      seen.push(...page.agents.map(({ id }) => id));
      cursor = page.next_cursor;
      const id = ids[touched[turn++] ?? -1];
      if (id !== undefined) {
        clock.now += 1;
        moved.add(id);
        const now = store.sessions.get(id)?.lifecycle === "working" ? "idle" : "working";
        store.write(() => store.sessions.set(id, { lifecycle: now }));
      }
    } while (cursor !== null);
    expect(new Set(seen).size).toBe(seen.length);
    for (const id of ids) if (!moved.has(id)) expect(seen).toContain(id);
  });
});

test("snapshot sequences grow, also over a deleted history, and a visit never moves back", () => {
  const steps = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 30 });
  forAll([steps], 60, (visited) => {
    const { store, id } = sessionStore();
    let highest = 0;
    let sequence = 0;
    for (const [i, step] of visited.entries()) {
      const lifecycle = i % 2 === 0 ? "working" : "idle";
      store.write(() => store.sessions.set(id, { lifecycle }));
      const { events } = store.snapshots.page(id, null, 50);
      const newest = events[0]?.sequence ?? 0;
      expect(newest).toBeGreaterThan(sequence);
      sequence = newest;
      const snapshot = events[step % events.length];
      if (snapshot === undefined) continue;
      store.write(() => store.marks.advance("visit", snapshot, i));
      highest = Math.max(highest, snapshot.sequence);
      expect(store.marks.get(id, "visit")?.snapshot_sequence).toBe(highest);
      if (step === 9) {
        void store.deleteHistory(id);
        highest = 0;
        store.write(() => store.sessions.set(id, { lifecycle: "waiting" }));
      }
    }
  });
});
