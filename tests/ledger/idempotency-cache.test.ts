import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { AppError } from "../../src/errors.ts";
import type { StoredRequest } from "../../src/ledger/store/act-store.ts";
import { IdempotencyCache, type RequestStore } from "../../src/ledger/idempotency-cache.ts";
import { pane } from "../support/pane.ts";
import { forAllInTime } from "../support/laws.ts";

const reason = (error: unknown) =>
  error instanceof AppError ? (error.detail as { reason: string }).reason : String(error);

const never = (): Promise<never> => Promise.reject(new Error("ran"));

function onDisk(): RequestStore & { rows: Map<string, StoredRequest> } {
  const rows = new Map<string, StoredRequest>();
  return {
    rows,
    find: async (key) => rows.get(key) ?? null,
    finish: (key, digest, outcome) => void rows.set(key, { digest, outcome }),
  };
}

describe("an idempotency key", () => {
  test("a key runs its request once; a repeat, also a concurrent repeat, gets the same outcome", async () => {
    const once = new IdempotencyCache(onDisk());
    const gate = Promise.withResolvers<void>();
    let runs = 0;
    const work = async () => {
      await gate.promise;
      return ++runs;
    };
    const both = [once.run("k", { a: 1, b: 2 }, work), once.run("k", { b: 2, a: 1 }, work)];
    gate.resolve();
    expect(await Promise.all(both)).toEqual([1, 1]);
    expect(await once.run("k", { a: 1, b: 2 }, work)).toBe(1);
    expect(await once.run("other", { a: 1, b: 2 }, work)).toBe(2);
  });

  test("a repeat of a refused request gets the same refusal, and nothing runs", async () => {
    const once = new IdempotencyCache(onDisk());
    let runs = 0;
    const work = async () => {
      runs++;
      throw new AppError("conflict", "no", { reason: "prompt_changed" });
    };
    for (let i = 0; i < 3; i++)
      expect(await once.run("k", {}, work).catch(reason)).toBe("prompt_changed");
    expect(runs).toBe(1);
    const refuse = () => Promise.reject(new AppError("invalid", "no such option"));
    for (let i = 0; i < 2; i++)
      expect(await once.run("plain", {}, refuse).catch((error: unknown) => error)).toMatchObject({
        detail: "no such option",
      });
  });

  test("a stored refusal has neither the current pane nor the cause", async () => {
    const once = new IdempotencyCache(onDisk());
    const detail = { reason: "prompt_changed", code: "prompt_changed", current: pane() };
    const refuse = async () => {
      throw new AppError("conflict", "no", detail, { cause: new Error("with a screen") });
    };
    const first = await once.run("k", {}, refuse).catch((error: AppError) => error);
    expect((first as AppError).detail).toEqual(detail);
    const again = await once.run("k", {}, refuse).catch((error: AppError) => error);
    expect(again).toMatchObject({ kind: "conflict", message: "no" });
    expect((again as AppError).detail).toEqual({
      reason: "prompt_changed",
      code: "prompt_changed",
    });
    expect((again as AppError).cause).toBeUndefined();
  });

  test("a key with another body is refused, also while the first runs, and nothing runs", async () => {
    const once = new IdempotencyCache(onDisk());
    const gate = Promise.withResolvers<string>();
    const first = once.run("k", { text: "a" }, () => gate.promise);
    expect(await once.run("k", { text: "b" }, never).catch(reason)).toBe("idempotency_key_reused");
    gate.resolve("done");
    expect(await first).toBe("done");
    expect(await once.run("k", { text: "a", enter: true }, never).catch(reason)).toBe(
      "idempotency_key_reused",
    );
  });
});

test("a key of an earlier run is refused as expired, and a key of this run runs", async () => {
  const store = onDisk();
  const before = new IdempotencyCache(store, "morning");
  const after = new IdempotencyCache(store, "evening");
  let runs = 0;
  const work = async () => ++runs;
  const key = "at:morning:k";
  expect(await before.run(key, {}, work)).toBe(1);
  expect(await before.run(key, {}, work)).toBe(1);
  expect(await after.run(key, {}, work).catch(reason)).toBe("idempotency_key_expired");
  expect(await after.run("at:evening:k", {}, work)).toBe(2);
  expect(runs).toBe(2);
});

test("the last 1024 outcomes are in memory, older outcomes are read from the disk", async () => {
  const store = onDisk();
  const { find } = store;
  let looks = 0;
  store.find = (key) => {
    looks++;
    return find(key);
  };
  const once = new IdempotencyCache(store);
  let runs = 0;
  const ask = (key: number) => once.run(`k${key}`, {}, async () => ++runs);
  for (let key = 0; key < 1024; key++) await ask(key);
  expect(await ask(0)).toBe(1);
  expect(looks).toBe(1024);
  await ask(1024);
  expect(await ask(1)).toBe(2);
  expect([looks, runs]).toEqual([1026, 1025]);
});

describe("an idempotency key after a restart", () => {
  test("a key without a run gets its stored outcome, and is refused with another body", async () => {
    const store = onDisk();
    await new IdempotencyCache(store, "morning").run("k", { a: 1 }, async () => ({ ok: true }));
    const after = new IdempotencyCache(store, "evening");
    expect(await after.run<unknown>("k", { a: 1 }, never)).toEqual({ ok: true });
    expect(await after.run("k", { a: 2 }, never).catch(reason)).toBe("idempotency_key_reused");
    expect(await after.run<unknown>("k", { a: 1 }, never)).toEqual({ ok: true });
  });

  test("a refusal is stored in the words for the log, which quote no request", async () => {
    const store = onDisk();
    const detail = { reason: "no option: secret words", code: "option_unknown" };
    const refuse = () => Promise.reject(new AppError("invalid", "not an option", detail));
    await new IdempotencyCache(store, "morning").run("k", {}, refuse).catch(() => {});
    expect(store.rows.get("k")?.outcome).not.toContain("secret");
    const again = await new IdempotencyCache(store, "evening")
      .run("k", {}, refuse)
      .catch((e: unknown) => e);
    expect(again).toMatchObject({
      ...{ kind: "invalid", message: "not an option" },
      detail: { reason: "not an option", code: "option_unknown" },
    });
  });

  test("a request without a stored end is delivery_unknown, and is not run again", async () => {
    const store = onDisk();
    const before = new IdempotencyCache(store, "morning");
    const finished = before.run("k", {}, async () => 1);
    await finished;
    const row = store.rows.get("k");
    store.rows.set("k", { digest: row?.digest ?? "", outcome: null });
    const after = new IdempotencyCache(store, "evening");
    expect(await after.run("k", {}, never).catch(reason)).toBe("delivery_unknown");
    expect(await after.run("k", {}, never).catch(reason)).toBe("delivery_unknown");
  });
});

test("a failed read of the disk refuses the request, and leaves its key free", async () => {
  const store = onDisk();
  let isBroken = true;
  const find: RequestStore["find"] = async (key) => {
    if (isBroken) throw new AppError("persist_failed", "no disk");
    return store.find(key);
  };
  const once = new IdempotencyCache({ ...store, find });
  let runs = 0;
  const work = async () => ++runs;
  expect(await once.run("k", {}, work).catch((e: AppError) => e.kind)).toBe("persist_failed");
  isBroken = false;
  expect(await once.run("k", {}, work)).toBe(1);
});

test("a running request is never dropped from memory", async () => {
  const once = new IdempotencyCache(onDisk());
  const gate = Promise.withResolvers<string>();
  const slow = once.run("slow", {}, () => gate.promise);
  for (let key = 0; key < 1100; key++) await once.run(`k${key}`, {}, async () => "quick");
  const twin = once.run("slow", {}, async () => "again");
  gate.resolve("first");
  expect(await Promise.all([slow, twin])).toEqual(["first", "first"]);
});

test("law: for any requests a key runs at most once, and only its first body succeeds", async () => {
  const request = fc.record({ key: fc.constantFrom("a", "b", "c"), body: fc.constantFrom(1, 2) });
  await forAllInTime([fc.array(request, { maxLength: 12 })], 200, async (requests) => {
    const once = new IdempotencyCache(onDisk());
    const ran: string[] = [];
    const outcomes = requests.map(({ key, body }) =>
      once
        .run(key, { body }, async () => {
          ran.push(key);
          return body;
        })
        .catch(reason),
    );
    const found = await Promise.all(outcomes);
    expect(new Set(ran).size).toBe(ran.length);
    requests.forEach(({ key, body }, index) => {
      const first = requests.find((each) => each.key === key)?.body;
      expect(found[index]).toBe(first === body ? body : "idempotency_key_reused");
    });
  });
});
