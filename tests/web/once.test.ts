import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import type { Result } from "../../web/net/api.ts";
import { serverOf } from "../support/page-server.ts";

const LOST: Result<string> = { ok: false, failure: { kind: "lost" } };
const OK: Result<string> = { ok: true, value: "done" };
const refused = (reason: string): Result<string> => ({
  ok: false,
  failure: { kind: "refused", status: 409, detail: { reason } },
});

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Sends one action that is answered like this, one answer after another. */
async function answered(answers: readonly Result<string>[], incarnation: string | null = "one") {
  const keys: string[] = [];
  let ids = 0;
  const { outbox } = serverOf({
    incarnation: () => incarnation,
    browser: { uuid: () => `id-${++ids}` },
  });
  const sent = outbox.once<string>(async (key) => {
    keys.push(key);
    return answers[keys.length - 1] ?? LOST;
  });
  const results: Result<string>[] = [];
  void sent.then((value) => results.push(value));
  for (let i = 0; i < 100 && results.length === 0; i++) {
    await Promise.resolve();
    jest.advanceTimersByTime(100);
    for (let j = 0; j < 5; j++) await Promise.resolve();
  }
  return { result: results[0], keys };
}

test("an answer that comes is asked for once", async () => {
  expect(await answered([OK])).toEqual({ result: OK, keys: ["at:one:id-1"] });
  const no = refused("prompt_changed");
  expect(await answered([no])).toEqual({ result: no, keys: ["at:one:id-1"] });
});

test("a lost reply is asked for again under the same key, until it says what became of it", async () => {
  const { result, keys } = await answered([LOST, LOST, OK]);
  expect(result).toEqual(OK);
  expect(keys).toEqual(["at:one:id-1", "at:one:id-1", "at:one:id-1"]);
  const no = refused("options_changed");
  expect((await answered([LOST, no])).result).toEqual(no);
});

test("a refusal of asking again says nothing of the first request: it stays in doubt", async () => {
  const signedOut: Result<string> = { ok: false, failure: { kind: "unauthorized" } };
  for (const again of [refused("idempotency_key_expired"), signedOut]) {
    const { result, keys } = await answered([LOST, again, again, again, again]);
    expect(result).toEqual(LOST);
    expect(keys.length).toBe(5);
  }
});

test("a server that remembers no keys is never asked again", async () => {
  expect(await answered([LOST, OK], null)).toEqual({ result: LOST, keys: ["id-1"] });
});

test("where the network hangs, ten seconds end all tries together, and each of them before that", async () => {
  const signals: AbortSignal[] = [];
  const { outbox } = serverOf({ incarnation: () => "one" });
  let result: Result<string> | null = null;
  const hang = (_: string, signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<Result<string>>((resolve) => {
      signal.addEventListener("abort", () => resolve(LOST));
    });
  };
  void outbox.once<string>(hang).then((value) => (result = value));
  let elapsedMs = 0;
  for (; result === null && elapsedMs < 60_000; elapsedMs += 100) {
    jest.advanceTimersByTime(100);
    for (let i = 0; i < 10; i++) await Promise.resolve();
  }
  expect(elapsedMs).toBeGreaterThan(9_000);
  expect(elapsedMs).toBeLessThanOrEqual(10_100);
  expect(signals.length).toBeGreaterThan(2);
  expect(signals.every(({ aborted }) => aborted)).toBe(true);
});
