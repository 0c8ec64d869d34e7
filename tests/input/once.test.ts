import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { AppError } from "../../src/errors.ts";
import { Once } from "../../src/input/once.ts";

const reason = (error: unknown) =>
  error instanceof AppError ? (error.detail as { reason: string }).reason : String(error);

describe("a key", () => {
  test("is good for one run; a repeat gets its outcome, and so does a twin that does not wait", async () => {
    const once = new Once();
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

  test("keeps a refusal too: nothing is tried again under it", async () => {
    const once = new Once();
    let runs = 0;
    const work = async () => {
      runs++;
      throw new AppError("conflict", "no", { reason: "prompt_changed" });
    };
    for (let i = 0; i < 3; i++)
      expect(await once.run("k", {}, work).catch(reason)).toBe("prompt_changed");
    expect(runs).toBe(1);
  });

  test("with another body is refused, also while the first runs, and runs nothing", async () => {
    const once = new Once();
    const gate = Promise.withResolvers<string>();
    const first = once.run("k", { text: "a" }, () => gate.promise);
    const never = () => Promise.reject(new Error("ran"));
    expect(await once.run("k", { text: "b" }, never).catch(reason)).toBe("idempotency_key_reused");
    gate.resolve("done");
    expect(await first).toBe("done");
    expect(await once.run("k", { text: "a", enter: true }, never).catch(reason)).toBe(
      "idempotency_key_reused",
    );
  });
});

test("a key of an earlier run is refused and runs nothing, one of this run counts", async () => {
  const before = new Once("morning");
  const after = new Once("evening");
  let runs = 0;
  const work = async () => ++runs;
  const key = "at:morning:k";
  expect(await before.run(key, {}, work)).toBe(1);
  expect(await before.run(key, {}, work)).toBe(1);
  expect(await after.run(key, {}, work).catch(reason)).toBe("idempotency_key_expired");
  expect(await after.run("at:evening:k", {}, work)).toBe(2);
  expect(runs).toBe(2);
});

test("1024 outcomes are kept, those asked for last", async () => {
  const once = new Once();
  let runs = 0;
  const ask = (key: number) => once.run(`k${key}`, {}, async () => ++runs);
  for (let key = 0; key < 1024; key++) await ask(key);
  await ask(0);
  await ask(1024);
  expect(runs).toBe(1025);
  expect(await ask(0)).toBe(1);
  expect(await ask(1)).toBe(1026);
});

test("what runs is never forgotten", async () => {
  const once = new Once();
  const gate = Promise.withResolvers<string>();
  const slow = once.run("slow", {}, () => gate.promise);
  for (let key = 0; key < 1100; key++) await once.run(`k${key}`, {}, async () => "quick");
  const twin = once.run("slow", {}, async () => "again");
  gate.resolve("first");
  expect(await Promise.all([slow, twin])).toEqual(["first", "first"]);
});

test("law: however requests come in, a key runs at most once, and only its own body succeeds", async () => {
  const request = fc.record({ key: fc.constantFrom("a", "b", "c"), body: fc.constantFrom(1, 2) });
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 12 }), async (requests) => {
      const once = new Once();
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
    }),
  );
});
