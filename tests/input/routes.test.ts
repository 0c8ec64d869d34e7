import { describe, expect, spyOn, test } from "bun:test";
import { heapSize } from "bun:jsc";
import { Hono } from "hono";
import { AppError } from "../../src/errors.ts";
import { logRefusal } from "../../src/http/errors.ts";
import type { GuardedInput } from "../../src/input/guarded.ts";
import { inputSlice } from "../../src/input/routes.ts";
import { INCARNATION } from "../../src/ledger/idempotency-cache.ts";
import { addRoutes, type Routes } from "../../src/slice.ts";
import { createLog } from "../../src/lib/log.ts";
import { memoryMessages, memoryScheduledSends } from "../support/in-memory.ts";
import { permission, runAgent, watched } from "../support/wsp/watched.ts";
import { dialog, SimulatedPanes } from "./simulated.ts";
import { option } from "../support/detect-input.ts";

function start(over?: GuardedInput) {
  const panes = new SimulatedPanes();
  const ask = dialog("Run it?", [option("1", "Yes", { selected: true }), option("2", "No")]);
  panes.show("%1", ask);
  const slice = inputSlice({
    legacy: panes.legacy,
    guarded: over ?? panes.guarded,
    scheduledSends: memoryScheduledSends({ queue: panes.queue }),
    messages: memoryMessages({ queue: panes.queue }),
    queue: panes.queue,
  });
  const app: Routes = new Hono();
  addRoutes(app, slice);
  const refusals: string[] = [];
  const log = createLog((line) => refusals.push(line));
  app.onError((error, c) => {
    if (!(error instanceof AppError)) return c.text(String(error), 500);
    logRefusal(error, "a request", log);
    return c.json({ kind: error.kind, detail: error.detail }, 400);
  });
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const init = { method: "POST", body: JSON.stringify(body), headers };
    const reply = await app.request(path, init, { peer: "192.0.2.7" });
    return (await reply.json()) as { kind?: string; detail?: unknown };
  };
  return { panes, ask, post, refusals, slice };
}

describe("pane actions over HTTP", () => {
  test("each action route acts and answers ok", async () => {
    const { panes, post } = start();
    expect(await post("/api/key", { id: "%1", key: "Up" })).toEqual({ ok: true } as object);
    expect(await post("/api/text", { id: "%1", text: "words" })).toEqual({ ok: true } as object);
    expect(await post("/api/select", { id: "%1", key: "2" })).toEqual({ ok: true } as object);
    expect(await post("/api/broadcast", { ids: ["%1", "x"], text: "all" })).toEqual({
      ok: true,
      sent: 1,
      errors: ["x: unknown_pane"],
    } as object);
    // Text has no Enter unless asked for, a broadcast has one.
    expect(panes.inputs()).toEqual(["<Up>", "words", "2", "all", "<Enter>"]);
  });

  test("every route refuses an unknown pane in the same words", async () => {
    const { post } = start();
    const id = "nobody";
    const requests = {
      "/api/key": { id, key: "Up" },
      "/api/text": { id, text: "words" },
      "/api/select": { id, key: "1" },
      "/api/stop": { id, idempotency_key: "stop" },
      "/api/continue": { id, on: false },
      "/api/queue": { operation: "add", id, text: "words", idempotency_key: "add" },
    };
    for (const [path, body] of Object.entries(requests))
      expect([path, await post(path, body)]).toMatchObject([
        path,
        { kind: "not_found", detail: { reason: "unknown_pane", code: "unknown_pane" } },
      ]);
  });

  test("the slice announces each of its capabilities with its version", () => {
    expect(start().slice.capabilities?.()).toEqual({
      ...{ legacy_guard_v1: { version: 1 }, continue_v1: { version: 1 } },
      ...{ queue_v1: { version: 1 }, stop_v1: { version: 1 } },
      legacy_once_v1: { version: 1, incarnation: INCARNATION },
    });
  });

  test("guarded input is answered with its delivery", async () => {
    await using stage = await watched(
      (pane) => void runAgent(pane, permission("Go on?"), "blocked"),
    );
    const { post } = start(stage.guarded);
    const { id, action_guard: expected } = stage.only();
    const request = { id, operation: "key", key: "Escape", expected, idempotency_key: "k" };
    expect(await post("/api/input", request)).toEqual({ ok: true, delivery: "accepted" } as object);
  });

  test("the action log names client, pane and outcome, but never the text", async () => {
    const { panes, post } = start();
    const logged = () => panes.log.splice(0).map((line) => line.split(" ").slice(2).join(" "));
    await post("/api/text", { id: "%1", text: "my secret" }, { "x-panewatch-sid": "0a1b2c3d" });
    expect(logged()).toEqual([
      'action: text for %1 "main:1.0" by anybody (0a1b2c3d) at 192.0.2.7: sent\n',
    ]);
    // A header must not forge a line.
    await post("/api/key", { id: "%1", key: "Up" }, { "x-panewatch-sid": "x: sent" });
    expect(logged()).toEqual(['action: key for %1 "main:1.0" by anybody at 192.0.2.7: sent\n']);
    const expected = { prompt_fingerprint: "sha256:other" };
    await post("/api/text", { id: "%1", text: "my secret", expected });
    expect(logged()).toEqual([
      'action: text for %1 "main:1.0" by anybody at 192.0.2.7: ' +
        "refused: %1 shows something else: prompt_changed\n",
    ]);
  });

  test("a refusal is logged without any word of the request", async () => {
    const { panes, post, refusals } = start();
    panes.show("%2", { lines: ["Password: "], prompt: null });
    const secret = "hunter2secret";
    const bodies: [string, object][] = [
      ["/api/key", { id: "%1", key: secret }],
      ["/api/select", { id: "%1", key: secret }],
      ["/api/select", { id: "%1", key: secret, text: secret }],
      ["/api/select", { id: "%2", key: secret, text: secret }],
      ["/api/text", { id: "%1", text: `${secret}\u0007` }],
    ];
    for (const [path, body] of bodies) {
      const { kind, detail } = await post(path, body);
      expect([kind, detail]).toEqual(["invalid", expect.anything()]);
    }
    expect(refusals).toHaveLength(bodies.length);
    expect([...panes.log, ...refusals].join("")).not.toContain(secret);
  });

  test("a conflict has the current state of the pane", async () => {
    const { panes, post } = start();
    const expected = { prompt_fingerprint: "sha256:other" };
    for (const [path, body] of [
      ["/api/key", { id: "%1", key: "Up", expected }],
      ["/api/text", { id: "%1", text: "x", expected }],
      ["/api/select", { id: "%1", key: "1", expected }],
    ] as const)
      expect(await post(path, body)).toEqual({
        kind: "conflict",
        detail: { reason: "prompt_changed", code: "prompt_changed", current: panes.state("%1") },
      });
    expect(panes.sent).toEqual([]);
  });
});

test("the members that make the digest of an idempotency key stay the same over an upgrade", async () => {
  const { panes, post } = start();
  using runOnce = spyOn(panes.ledger, "runOnce");
  const keyed = (idempotency_key: string) => ({ id: "%1", idempotency_key });
  await post("/api/text", { ...keyed("a"), text: "words" });
  await post("/api/stop", keyed("b"));
  const expected = { endpoint_revision: "r", prompt_fingerprint: null };
  await post("/api/input", { ...keyed("c"), operation: "key", key: "Escape", expected });
  expect(runOnce.mock.calls.map(([, body]) => body)).toEqual([
    { operation: "text", id: "%1", text: "words", enter: false },
    { operation: "stop", id: "%1" },
    { id: "%1", asked: { do: "key", key: "Escape" }, expected: { endpoint_revision: "r" } },
  ]);
});

test("a repeat of a stored request without a value is answered ok, by every action route", async () => {
  const { panes, post } = start();
  // The stored outcome of a request that returned no value.
  using _ = spyOn(panes.ledger, "runOnce").mockResolvedValue(null);
  const requests = {
    "/api/key": { key: "Up" },
    "/api/text": { text: "words" },
    "/api/select": { key: "2" },
    "/api/stop": {},
  };
  for (const [path, body] of Object.entries(requests))
    expect([path, await post(path, { ...body, id: "%1", idempotency_key: "k" })]).toEqual([
      path,
      { ok: true } as object,
    ]);
});

test("refused requests with an idempotency key leave less than 2 MiB reachable", async () => {
  const MEBIBYTE = 1024 ** 2;
  const { post } = start();
  const bodies: readonly (readonly [string, (long: string) => object])[] = [
    ["/api/text", (text) => ({ id: "%1", text })],
    ["/api/key", (key) => ({ id: "%1", key })],
    ["/api/select", (key) => ({ id: "%1", key })],
    ["/api/key", (id) => ({ id: `%${id}`, key: "Up" })],
    ["/api/key", (selected) => ({ id: "%1", key: "Up", expected: { selected } })],
    ["/api/broadcast", (id) => ({ ids: [id], text: "y" })],
  ];
  const refuse = async (round: number, length = 900_000) => {
    for (const [at, [path, body]] of bodies.entries()) {
      const idempotency_key = `k${round}.${at}`;
      await post(path, { ...body(idempotency_key.padEnd(length, "x")), idempotency_key });
    }
  };
  const reachable = () => {
    Bun.gc(true);
    return heapSize();
  };
  // The first round compiles code and fills caches.
  await refuse(0);
  const before = reachable();
  for (let round = 1; round <= 3; round++) await refuse(round);
  // Matchers and parsers may hold the last strings.
  await refuse(4, 1000);
  // The bodies of one route alone would be 2.7 million bytes.
  expect(reachable() - before).toBeLessThan(2 * MEBIBYTE);
});
