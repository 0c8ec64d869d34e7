import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { ChangedFile, FileChanges } from "../../src/protocol/changes.ts";
import type { Result } from "../../web/net/api.ts";
import { ChangesPart, Queries } from "../../web/state/server/queries.ts";
import { PagedQuery, Query } from "../../web/state/server/query.ts";
import { becomes } from "../support/becomes.ts";
import { fixture } from "../support/fixture.ts";
import { apiOf, elapse, serverOf } from "../support/page-server.ts";

const ok = <T>(value: T): Result<T> => ({ ok: true, value });
const lost: Result<never> = { ok: false, failure: { kind: "lost" } };

/** A query whose questions the test answers. */
function openQuery() {
  const questions: { readonly signal: AbortSignal; answer: (result: Result<string>) => void }[] =
    [];
  const query = new Query<string>(
    (signal) => new Promise((answer) => questions.push({ signal, answer })),
  );
  /** What is told of it takes effect after a pause. */
  const invalidated = () => {
    query.invalidate();
    jest.advanceTimersByTime(1000);
    return questions.length;
  };
  return { query, questions, invalidated };
}

/** Answers a question, and waits until its effects have run. */
async function settle(
  question: { answer: (result: Result<string>) => void } | undefined,
  result: Result<string>,
): Promise<void> {
  question?.answer(result);
  await elapse();
}

describe("a query", () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test("asks once while an answer is awaited, and keeps its last value beside a failure", async () => {
    const { query, questions } = openQuery();
    void query.load();
    void query.load();
    expect(questions.length).toBe(1);
    await settle(questions[0], ok("good"));
    expect([query.value.value, query.isLoading.value]).toEqual(["good", false]);
    void query.load();
    await settle(questions[1], lost);
    expect([query.value.value, query.failure.value]).toEqual(["good", { kind: "lost" }]);
  });

  test("drops the answer to an earlier question, in whichever order the answers come", async () => {
    const { query, questions } = openQuery();
    void query.reload();
    void query.reload();
    expect(questions[0]?.signal.aborted).toBe(true);
    await settle(questions[1], ok("second"));
    await settle(questions[0], ok("first"));
    expect(query.value.value).toBe("second");
  });

  test("asks once for many invalidations", async () => {
    const { query, questions } = openQuery();
    query.watch();
    await settle(questions[0], ok("old"));
    for (let i = 0; i < 5; i++) query.invalidate();
    jest.advanceTimersByTime(1000);
    expect(questions.length).toBe(2);
  });

  test("is asked when it is next watched, where nobody watched it when it was invalidated", async () => {
    const { query, questions, invalidated } = openQuery();
    expect(invalidated()).toBe(0);
    const leave = query.watch();
    await settle(questions[0], ok("old"));
    leave();
    expect(invalidated()).toBe(1);
    query.watch();
    expect(questions.length).toBe(2);
  });

  test("keeps a running question at an event, and asks again after its answer", async () => {
    const { query, questions } = openQuery();
    query.watch();
    query.invalidate();
    jest.advanceTimersByTime(5000);
    expect(questions.length).toBe(1);
    await settle(questions[0], ok("before the event"));
    expect(query.value.value).toBe("before the event");
    jest.advanceTimersByTime(1000);
    expect(questions.length).toBe(2);
  });

  test("is asked again after a failure by the next watcher, and not by itself", async () => {
    const { query, questions, invalidated } = openQuery();
    query.watch();
    await settle(questions[0], ok("good"));
    expect(invalidated()).toBe(2);
    await settle(questions[1], lost);
    query.watch();
    expect(questions.length).toBe(3);
    await settle(questions[2], lost);
    jest.advanceTimersByTime(60_000);
    expect(questions.length).toBe(3);
  });

  test("is empty after it was cleared, also when an answer comes later", async () => {
    const { query, questions } = openQuery();
    void query.load();
    query.clear();
    await settle(questions[0], ok("late"));
    expect([query.value.value, query.isLoading.value]).toEqual([null, false]);
  });
});

describe("a paged list", () => {
  /** A list of numbers, newest first, three to a page; the cursor is the number to go on below. */
  function numbers(count: number) {
    const server = { newest: count, isThere: true };
    const cursors: (string | null)[] = [];
    const list = new PagedQuery<number>({
      ask: async (cursor) => {
        cursors.push(cursor);
        if (!server.isThere) return lost;
        const from = cursor === null ? server.newest : Number(cursor);
        const items = [from, from - 1, from - 2].filter((n) => n > 0);
        return ok({ items, older: from > 3 ? String(from - 3) : null, newer: null });
      },
      idOf: String,
    });
    return { list, server, cursors };
  }

  test("gives each item once, up to its end", async () => {
    const { list, cursors } = numbers(8);
    await list.load();
    expect(list.items.value).toEqual([8, 7, 6]);
    await list.more();
    await list.more();
    expect(list.items.value).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
    expect(list.hasMore.value).toBe(false);
    await list.more();
    expect(cursors).toEqual([null, "5", "2"]);
  });

  test("keeps older pages where the new first page reaches them", async () => {
    const { list, server } = numbers(8);
    await list.load();
    await list.more();
    server.newest = 10;
    await list.reload();
    expect(list.items.value).toEqual([10, 9, 8, 7, 6, 5, 4, 3]);
    await list.more();
    expect(list.items.value?.at(-1)).toBe(1);
  });

  test("drops older pages that the new first page does not reach", async () => {
    const { list, server } = numbers(8);
    await list.load();
    const more = list.more();
    server.newest = 40;
    // A page that was requested meanwhile is not put behind the gap either.
    await Promise.all([list.reload(), more]);
    expect(list.items.value).toEqual([40, 39, 38]);
    await list.more();
    expect(list.items.value).toEqual([40, 39, 38, 37, 36, 35]);
  });

  test("drops items that have gone from a page, and pages behind the end", async () => {
    const shown = { items: [8, 7, 6, 5], older: "4", newer: null };
    const pages = [shown, { ...shown, items: [9, 8, 6] }, { ...shown, items: [9, 8], older: null }];
    const list = new PagedQuery<number>({
      ask: async () => ok(pages.shift() ?? shown),
      idOf: String,
    });
    await list.load();
    await list.reload();
    expect(list.items.value).toEqual([9, 8, 6, 5]);
    await list.reload();
    expect(list.items.value).toEqual([9, 8]);
  });

  test("keeps the object of an item that is equal, and takes one that is another", async () => {
    let second = "b";
    const list = new PagedQuery<{ id: number; text: string }>({
      ask: async () => {
        const items = [
          { id: 2, text: "a" },
          { id: 1, text: second },
        ];
        return ok({ items, older: null, newer: null });
      },
      idOf: ({ id }) => String(id),
    });
    await list.load();
    const before = list.items.value ?? [];
    second = "c";
    await list.reload();
    const after = list.items.value ?? [];
    expect(after[0]).toBe(before[0]);
    expect(after[1]?.text).toBe("c");
  });

  test("goes back as far as it must, again after a page that could not be read", async () => {
    const { list, cursors, server } = numbers(14);
    const goBack = () => list.reach((n) => n <= 7);
    await list.load();
    server.isThere = false;
    await goBack();
    await goBack();
    server.isThere = true;
    await list.reload();
    await goBack();
    expect(list.items.value?.at(-1)).toBe(6);
    await goBack();
    expect(cursors).toEqual([null, "11", null, "11", "8"]);
    await list.reach(() => false);
    expect(list.items.value).toHaveLength(14);
  });

  test("ends after a thousand items", async () => {
    const { list } = numbers(1200);
    await list.load();
    for (let i = 0; i < 400; i++) await list.more();
    expect(list.items.value?.length).toBeWithin(1000, 1003);
    expect(list.hasMore.value).toBe(false);
  });

  test("is read again for an event that comes while a page is read", async () => {
    const { list, cursors } = numbers(8);
    await list.load();
    list.watch();
    list.invalidate();
    await list.more();
    await becomes(() => cursors, [null, "5", null]);
  });
});

test("of the diffs that nobody looks at the last ones are kept, and all that are looked at", async () => {
  const asked: string[] = [];
  const api = apiOf(({ path }) => {
    asked.push(path);
    return { body: fixture(FileChanges, {}) };
  });
  const server = serverOf({ api, part: () => queries });
  const queries = new Queries(server);
  const changes = new ChangesPart(server);
  const fileAt = (n: number) => changes.file("%1", fixture(ChangedFile, { path: `f${n}` }));
  const shown = fileAt(0);
  shown.watch();
  const all = Array.from({ length: 30 }, (_, n) => n + 1);
  const opened: (readonly [number, Query<FileChanges>])[] = [];
  for (const n of all) {
    const query = fileAt(n);
    opened.push([n, query]);
    const end = query.watch();
    await elapse();
    end();
  }
  const kept = opened.flatMap(([n, query]) => (query.value.value === null ? [] : n));
  expect(kept.length).toBeLessThan(20);
  expect(kept.length).toBeGreaterThan(1);
  expect(kept).toEqual(all.slice(-kept.length));
  expect(shown.value.value).not.toBeNull();
  // One that was let go is read again.
  const before = asked.length;
  fileAt(1).watch();
  await elapse();
  expect(asked.length).toBe(before + 1);
  expect(fileAt(1).value.value).not.toBeNull();
});
