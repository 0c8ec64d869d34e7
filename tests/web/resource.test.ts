import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import type { Result } from "../../web/net/api.ts";
import { PagedResource, type Page } from "../../web/state/server/paged.ts";
import { Resource } from "../../web/state/server/resource.ts";

const ok = <T>(value: T): Result<T> => ({ ok: true, value });
const lost: Result<never> = { ok: false, failure: { kind: "lost" } };

/** A resource whose questions are answered when the test answers them. */
function asked() {
  const questions: { readonly signal: AbortSignal; answer: (result: Result<string>) => void }[] =
    [];
  let unauthorized = 0;
  const resource = new Resource<string>(
    (signal) => new Promise((answer) => questions.push({ signal, answer })),
    () => unauthorized++,
  );
  return { resource, questions, unauthorized: () => unauthorized };
}

describe("a resource", () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test("asks once while an answer is awaited", async () => {
    const { resource, questions } = asked();
    const first = resource.load();
    void resource.load();
    expect(questions.length).toBe(1);
    questions[0]?.answer(ok("here"));
    await first;
    expect(resource.value.value).toBe("here");
    expect(resource.isLoading.value).toBe(false);
  });

  test("drops the answer to an earlier question, in whichever order they come", async () => {
    const { resource, questions } = asked();
    const first = resource.reload();
    const second = resource.reload();
    expect(questions[0]?.signal.aborted).toBe(true);
    questions[1]?.answer(ok("second"));
    await second;
    questions[0]?.answer(ok("first"));
    await first;
    expect(resource.value.value).toBe("second");
  });

  test("keeps its last good value beside a failure", async () => {
    const { resource, questions, unauthorized } = asked();
    const first = resource.load();
    questions[0]?.answer(ok("good"));
    await first;
    const second = resource.load();
    questions[1]?.answer(lost);
    await second;
    expect(resource.value.value).toBe("good");
    expect(resource.failure.value).toEqual({ kind: "lost" });
    expect(unauthorized()).toBe(0);
  });

  test("asks once for what many invalidations are about, and not for what nobody has asked for", async () => {
    const { resource, questions } = asked();
    resource.invalidate();
    jest.advanceTimersByTime(1000);
    expect(questions.length).toBe(0);
    const first = resource.load();
    questions[0]?.answer(ok("old"));
    await first;
    for (let i = 0; i < 5; i++) resource.invalidate();
    expect(resource.isOld.value).toBe(true);
    jest.advanceTimersByTime(1000);
    expect(questions.length).toBe(2);
  });

  test("holds nothing after it was cleared, also when an answer comes later", async () => {
    const { resource, questions } = asked();
    const first = resource.load();
    resource.clear();
    questions[0]?.answer(ok("late"));
    await first;
    expect(resource.value.value).toBeNull();
    expect(resource.isLoading.value).toBe(false);
  });
});

describe("a list that comes in pages", () => {
  /** A list of numbers, newest first, three to a page; the cursor is the number to go on below. */
  function numbers(count: number) {
    const server = { newest: count };
    const cursors: (string | null)[] = [];
    const list = new PagedResource<number>({
      ask: async (cursor) => {
        cursors.push(cursor);
        const from = cursor === null ? server.newest : Number(cursor);
        const items = [from, from - 1, from - 2].filter((n) => n > 0);
        const page: Page<number> = { items, next: from > 3 ? String(from - 3) : null };
        return ok(page);
      },
      idOf: String,
      onUnauthorized: () => undefined,
    });
    return { list, server, cursors };
  }

  test("gives each item once, to its end", async () => {
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

  test("keeps older pages where the new first page reaches them, without a gap", async () => {
    const { list, server } = numbers(8);
    await list.load();
    await list.more();
    server.newest = 10;
    await list.refresh();
    expect(list.items.value).toEqual([10, 9, 8, 7, 6, 5, 4, 3]);
    await list.more();
    expect(list.items.value?.at(-1)).toBe(1);
  });

  test("lets go of older pages that the new first page does not reach", async () => {
    const { list, server } = numbers(8);
    await list.load();
    await list.more();
    server.newest = 40;
    await list.refresh();
    expect(list.items.value).toEqual([40, 39, 38]);
    await list.more();
    expect(list.items.value).toEqual([40, 39, 38, 37, 36, 35]);
  });

  test("puts no older page behind a gap that a refresh has made meanwhile", async () => {
    const { list, server } = numbers(8);
    await list.load();
    const more = list.more();
    server.newest = 40;
    await Promise.all([list.refresh(), more]);
    expect(list.items.value).toEqual([40, 39, 38]);
  });

  test("ends after twenty pages", async () => {
    const { list, cursors } = numbers(1000);
    await list.load();
    for (let i = 0; i < 30; i++) await list.more();
    expect(cursors.length).toBe(20);
    expect(list.hasMore.value).toBe(false);
  });
});
