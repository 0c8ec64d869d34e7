import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { keyOf } from "../../web/model/stored.ts";
import type { Result } from "../../web/net/api.ts";
import type { Doubt, Outbox, ActFate } from "../../web/state/server/outbox.ts";
import { MemoryStorage } from "../support/memory-storage.ts";
import { elapse, recordOf, serverOf, type Recorded } from "../support/page-server.ts";

const lost: Result<never> = { ok: false, failure: { kind: "lost" } };
const unknown: Result<null> = {
  ok: false,
  failure: { kind: "refused", status: 400, detail: "delivery_unknown" },
};
const refused: Result<never> = {
  ok: false,
  failure: { kind: "refused", status: 409, detail: { reason: "prompt_changed" } },
};
const DOUBTS = keyOf("doubts");

/** A page whose server has this record, and the one that comes after it in the same browser. */
function page(record: readonly Recorded[] | null = null, storage = new MemoryStorage()) {
  const reports: string[] = [];
  const asked: string[] = [];
  let nowMs = 0;
  const { outbox } = serverOf({
    ...{ memory: storage, nowMs: () => (nowMs += 2000) },
    recordOf: async (keys: readonly string[]) => {
      asked.push(...keys);
      return record && recordOf(record);
    },
    answers: {
      fromEarlierSession: () => [],
      learnFate: ({ paneId, label }: Doubt, { state }: ActFate) =>
        void reports.push(`${paneId} ${label} ${state}`),
    },
  });
  const stored = () => Object.keys(JSON.parse(storage.getItem(DOUBTS) ?? "{}"));
  const next = (later: readonly Recorded[] | null = null) => page(later, storage);
  return { outbox, reports, asked, stored, storage, next };
}
const send = (outbox: Outbox, paneIds: readonly string[], result: Result<unknown>) =>
  outbox.acquire(paneIds, "Yes", true)?.send(async () => result);
const fate = (state: ActFate["state"], key = "key-1", paneId = "%1") => ({ key, paneId, state });

test("a pane has one lock at a time, and a lock for several panes needs all of them", () => {
  const { outbox } = page();
  const first = outbox.acquire(["%1"], "Yes");
  expect([outbox.acquire(["%1"], "No"), outbox.acquire(["%2", "%1"], "all")]).toEqual([null, null]);
  expect([outbox.isHeld("%1"), outbox.isHeld("%2")]).toEqual([true, false]);
  first?.release();
  expect(outbox.acquire(["%2", "%1"], "all")).not.toBeNull();
});

test("a lock that has sent nothing leaves no doubt for the next page", () => {
  const { outbox, stored } = page();
  outbox.acquire(["%1"], "Yes");
  expect(stored()).toEqual([]);
});

test.each([
  ["arrives", { ok: true, value: null } as Result<unknown>, false],
  ["is refused", refused, false],
  ["is lost", lost, true],
  ["throws in the page", new Error("no guard"), true],
])("whether a send leaves its pane in doubt when it %s", async (_, result, isDoubted) => {
  const { outbox, stored } = page();
  const during: unknown[] = [];
  const sending = outbox.acquire(["%1"], "Yes")?.send(async () => {
    during.push(stored());
    if (result instanceof Error) throw result;
    return result;
  });
  expect(await sending?.catch((error: unknown) => error)).toBe(result);
  expect(during).toEqual([["%1"]]);
  expect([outbox.isHeld("%1"), outbox.isDoubted("%1")]).toEqual([isDoubted, isDoubted]);
  expect(stored()).toEqual(isDoubted ? ["%1"] : []);
  outbox.inspected("%1");
  expect([outbox.isHeld("%1"), stored()]).toEqual([false, []]);
});

test("a look ends a doubt, and not a send that is on its way", async () => {
  const { outbox, stored } = page();
  const { promise, resolve } = Promise.withResolvers<Result<unknown>>();
  const sending = outbox.acquire(["%1"], "Yes")?.send(() => promise);
  outbox.inspected("%1");
  expect([outbox.isHeld("%1"), stored()]).toEqual([true, ["%1"]]);
  resolve(lost);
  await sending;
  outbox.inspected("%2");
  expect(outbox.isDoubted("%1")).toBe(true);
  outbox.inspected("%1");
  expect([outbox.isHeld("%1"), stored()]).toEqual([false, []]);
});

test("a reply for several panes leaves those in doubt that it names as unclear", async () => {
  const { outbox, stored } = page();
  const result: Result<string[]> = { ok: true, value: ["%2"] };
  const lock = outbox.acquire(["%1", "%2", "%3"], "all");
  await lock?.send(async () => result, { unclear: (ids) => ids });
  expect(["%1", "%2", "%3"].map((id) => outbox.isDoubted(id))).toEqual([false, true, false]);
  expect(stored()).toEqual(["%2"]);
});

test("a send from before a reload is in doubt, except for a pane that is gone", async () => {
  const before = page();
  await send(before.outbox, ["%1", "%2"], lost);
  const { outbox, stored } = before.next();
  outbox.restore((id) => id === "%1");
  expect(outbox.doubts().map(({ paneId, label }) => [paneId, label])).toEqual([["%1", "Yes"]]);
  expect([outbox.acquire(["%1"], "Yes"), outbox.isHeld("%2")]).toEqual([null, false]);
  outbox.inspected("%1");
  expect([outbox.isHeld("%1"), stored()]).toEqual([false, []]);
});

test("a tab that is shown again has the doubts of another tab, each once", async () => {
  const storage = new MemoryStorage();
  const here = page(null, storage);
  here.outbox.restore(() => true);
  const there = page(null, storage);
  await send(there.outbox, ["%1"], lost);
  expect(here.outbox.isHeld("%1")).toBe(false);
  here.outbox.restore(() => true);
  here.outbox.restore(() => true);
  there.outbox.restore(() => true);
  const keys = ({ outbox }: typeof here) => outbox.doubts().map(({ key }) => key);
  expect([keys(here), keys(there)]).toEqual([["key-1"], ["key-1"]]);
  here.outbox.inspected("%1");
  expect([keys(here), here.stored()]).toEqual([[], []]);
});

test.each([
  ["does not know it", [], 1],
  ["has it as unknown", [fate("unknown")], 1],
  ["has it as sending", [fate("sending")], 2],
  ["gives no answer", null, 2],
])(
  "a doubt stays, and is asked about again or not, where the record %s",
  async (_, record, times) => {
    const { outbox, reports, asked } = page(record);
    await send(outbox, ["%1"], lost);
    await outbox.ask();
    await outbox.ask();
    expect([asked, reports, outbox.isDoubted("%1")]).toEqual([
      Array(times).fill("key-1"),
      [],
      true,
    ]);
  },
);

/** The keys of a text that is sent three times, of which the first never arrived. */
async function keysOfUnseen(runs: readonly [before: string, after: string]) {
  let [run] = runs;
  const { outbox } = serverOf({
    incarnation: () => run,
    recordOf: async () => recordOf([fate("unseen", `at:${run}:key-1`)]),
  });
  const keys: string[] = [];
  const press = async () => {
    await outbox.acquire(["%1"], "go on")?.send(async (_, key) => {
      keys.push(key);
      return keys.length === 1 ? unknown : { ok: true, value: null };
    });
  };
  await press();
  await outbox.ask();
  run = runs[1];
  await press();
  await press();
  return keys;
}

test("a text that never arrived is sent again under the same key, once, in the same run of the server", async () => {
  const same = await keysOfUnseen(["one", "one"]);
  expect(same).toEqual(["at:one:key-1", "at:one:key-1", "at:one:key-2"]);
  // Another run refuses the keys of this one, also of a request that is late.
  const other = await keysOfUnseen(["one", "two"]);
  expect(other).toEqual(["at:one:key-1", "at:two:key-2", "at:two:key-3"]);
});

test("a doubt that an earlier version stored without a key needs a look", async () => {
  const storage = new MemoryStorage();
  storage.setItem(DOUBTS, '{"%1":"Yes"}');
  const { outbox, asked } = page([], storage);
  outbox.restore(() => true);
  await outbox.ask();
  expect([asked, outbox.isDoubted("%1")]).toEqual([[], true]);
});

test.each(["no json", "[]", "null", '{"%1":7}'])("the stored value %s gives no doubt", (value) => {
  const storage = new MemoryStorage();
  storage.setItem(DOUBTS, value);
  const { outbox } = page(null, storage);
  outbox.restore(() => true);
  expect(outbox.doubts()).toEqual([]);
});

const OK: Result<string> = { ok: true, value: "done" };
const refusalOf = (reason: string): Result<string> => ({
  ok: false,
  failure: { kind: "refused", status: 409, detail: { reason } },
});

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

type Members = NonNullable<Parameters<typeof serverOf>[0]>;
/** One action in a page of a server that remembers keys; `results` has its result, once there is one. */
function acting(reply: Parameters<Outbox["withRetries"]>[0], members: Members = {}) {
  const keys: string[] = [];
  const { outbox } = serverOf({ incarnation: () => "one", ...members });
  const results: Result<unknown>[] = [];
  const call: typeof reply = (key, signal) => {
    keys.push(key);
    return reply(key, signal);
  };
  void outbox.withRetries(call).then((result) => results.push(result));
  return { keys, results };
}

/** One action that is answered like this, one answer after another. */
async function resultAfter(answers: readonly Result<string>[], members: Members = {}) {
  let tries = 0;
  const { keys, results } = acting(async () => answers[tries++] ?? lost, members);
  await elapse(10_000);
  return { result: results[0], keys };
}

test("a request with a lost reply is repeated under the same key until its result is known", async () => {
  const { result, keys } = await resultAfter([lost, lost, OK]);
  expect(result).toEqual(OK);
  expect(keys).toEqual(Array(3).fill("at:one:key-1"));
  const no = refusalOf("options_changed");
  expect((await resultAfter([lost, no])).result).toEqual(no);
});

test("a refusal of a repeated request leaves the first one in doubt", async () => {
  const signedOut: Result<string> = { ok: false, failure: { kind: "unauthorized" } };
  const refused = (status: number, detail: unknown): Result<string> => ({
    ok: false,
    failure: { kind: "refused", status, detail },
  });
  for (const again of [
    refusalOf("idempotency_key_expired"),
    signedOut,
    // Its scope was taken away meanwhile.
    refused(403, "iPad may look"),
    refused(429, "too many bad tokens"),
    // Of a network that lets nobody through.
    refused(404, null),
  ]) {
    const { result, keys } = await resultAfter([lost, again, again, again, again]);
    expect(result).toEqual(lost);
    expect(keys.length).toBe(5);
  }
});

test("a request is not repeated at a server that remembers no keys", async () => {
  const forgets = { incarnation: () => null };
  expect(await resultAfter([lost, OK], forgets)).toEqual({ result: lost, keys: ["key-1"] });
});

test("two windows share doubts after ten seconds, and the end of doubts at once", async () => {
  const here = page();
  const there = here.next();
  const hears = () => there.outbox.follow(DOUBTS);
  await send(here.outbox, ["%1"], lost);
  hears();
  // The other window may still be sending.
  jest.advanceTimersByTime(9_000);
  expect(there.outbox.isDoubted("%1")).toBe(false);
  jest.advanceTimersByTime(1_000);
  expect(there.outbox.isDoubted("%1")).toBe(true);
  await send(there.outbox, ["%2"], lost);
  here.outbox.inspected("%1");
  hears();
  expect(["%1", "%2"].map((id) => there.outbox.isDoubted(id))).toEqual([false, true]);
  // A send whose result came in time leaves no doubt.
  await send(here.outbox, ["%3"], OK);
  hears();
  jest.advanceTimersByTime(10_000);
  expect(["%1", "%2", "%3"].map((id) => there.outbox.isHeld(id))).toEqual([false, true, false]);
  expect(there.stored()).toEqual(["%2"]);
});

test.each([
  ["a sleep of the machine", () => jest.setSystemTime(Date.now() + 60_000)],
  ["signing out", (leave: () => void) => leave()],
])("no request is repeated after %s", async (_, end) => {
  const over = new AbortController();
  const { keys, results } = acting(async () => lost, { signedOut: over.signal });
  await elapse();
  end(() => over.abort());
  await elapse(20_000);
  expect([keys.length, results]).toEqual([1, [lost]]);
});

test("on a network that hangs all tries end after ten seconds together, and each try before that", async () => {
  const signals: AbortSignal[] = [];
  const { results } = acting((_, signal) => {
    signals.push(signal);
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve(lost)));
  });
  await elapse(9_000);
  expect(results).toEqual([]);
  await elapse(1_100);
  expect(results).toEqual([lost]);
  expect(signals.length).toBeGreaterThan(2);
  expect(signals.every(({ aborted }) => aborted)).toBe(true);
});
