import { expect, test } from "bun:test";
import fc from "fast-check";
import type { MessageRole } from "../../src/protocol/agents.ts";
import { memoryStore, newSession } from "./support/store.ts";

const ALL = { q: null, role: null, after: null, before: null };

interface Said {
  text: string;
  role: MessageRole;
  at: number;
}

/** A store that holds these, and a clock that is past every limit whenever it is looked at. */
function storeOf(said: readonly Said[], monotonic?: () => number) {
  const { store } = memoryStore(1_800_000_000, monotonic);
  const id = newSession(store);
  const other = newSession(store, "other");
  store.write(() => {
    for (const [index, { text, role, at }] of said.entries())
      for (const agent of [id, other]) {
        const event = {
          ...{ kind: "message" as const, at, role, text, nativeId: `${agent}${index}` },
          ...{ source: role, isFallback: false, parentId: null, ordinal: null },
          ...{ marksRewinds: true, isCopied: false },
        };
        const read = { event, text, at, generation: "log#0", offset: index };
        store.messages.add(agent, read, store.now);
      }
  });
  return { store, id };
}

/** A clock on which every look finds the time of a search used up. */
function hurried(): () => number {
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
      ...ALL,
      ...query,
      cursor,
    });
    found.unshift(...page.messages.map(({ content }) => content));
    sizes.push(page.messages.length);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return { found, sizes };
}

// Letters whose cases differ in number of characters or bytes, wildcards, quotes, astral ones.
const letter = fc.constantFrom(..."abAB%_\\\"'*- ßẞİiIıΣσςÄäﬁé漢😀");
const text = fc.string({ unit: letter, minLength: 1, maxLength: 8 });
const role = fc.constantFrom("user" as const, "assistant" as const);
const moment = fc.integer({ min: 0, max: 30 }).map((index) => index * 100_000 + 20);
const said = fc.record({ text, role, at: fc.integer({ min: 0, max: 40 }) });

test("a search finds exactly what reading every message finds, however it is cut into pages", () => {
  fc.assert(
    fc.property(
      fc.array(said, { maxLength: 30 }),
      fc.integer({ min: 0, max: 450 }),
      fc.string({ unit: letter, minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 9 }),
      fc.record({ role, after: moment, before: moment }, { requiredKeys: [] }),
      (some, filler, q, limit, filters) => {
        // Between the first and the others, so that the search has several slices.
        const padding = Array.from({ length: filler }, (_, index) => ({
          ...{ text: `~${index}`, role: "user" as const, at: 100 + index * 10 },
        }));
        const spread = some.map((each, index) => ({
          ...each,
          // Far enough apart to be no twins of each other.
          at: (index % 2 === 0 ? each.at : 10_000 + each.at) + index * 100_000,
        }));
        const kept = [...padding, ...spread].toSorted((a, b) => a.at - b.at);
        const { after = Number.NEGATIVE_INFINITY, before = Number.POSITIVE_INFINITY } = filters;
        const wanted = kept.filter(
          (each) =>
            each.text.toLowerCase().includes(q.toLowerCase()) &&
            (filters.role === undefined || each.role === filters.role) &&
            each.at >= after &&
            each.at <= before,
        );
        const pages = allPages(storeOf(kept, hurried()), { q, limit, ...filters });
        expect(pages.found).toEqual(wanted.map((each) => each.text));
        expect(Math.max(...pages.sizes)).toBeLessThanOrEqual(limit);
      },
    ),
    { numRuns: 60 },
  );
});

const MANY = Array.from({ length: 1000 }, (_, index) => ({
  ...{ text: index === 3 ? "the needle" : `hay ${index}`, role: "user" as const, at: index * 10 },
}));

test("a search that has no time left ends its page, and the cursor goes on from there", () => {
  const { found, sizes } = allPages(storeOf(MANY, hurried()), { q: "NEEDLE", limit: 50 });
  expect(found).toEqual(["the needle"]);
  // Five slices of 200, and the one that finds nothing behind them.
  expect(sizes).toEqual([0, 0, 0, 0, 1, 0]);
});

test("a search in time reads to the end at once", () => {
  const { found, sizes } = allPages(storeOf(MANY), { q: "needle", limit: 50 });
  expect({ found, sizes }).toEqual({ found: ["the needle"], sizes: [1] });
});

test("without a search every page is full, whatever the time", () => {
  const { sizes } = allPages(storeOf(MANY, hurried()), { q: null, limit: 200 });
  expect(sizes).toEqual([200, 200, 200, 200, 200]);
});

test("a deleted history is found no more", () => {
  const { store, id } = storeOf(MANY);
  void store.deleteHistory(id);
  expect(store.messages.page(id, { ...ALL, q: "needle", cursor: null, limit: 50 })).toEqual({
    messages: [],
    next_cursor: null,
  });
});
