import { expect, test } from "bun:test";
import { Hono } from "hono";
import { createLog } from "../src/lib/log.ts";
import { addRoutes, type Handlers, type Routes, type Slice, Slices } from "../src/slice.ts";

function life(list: readonly Slice[]) {
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line));
  return { lines, slices: new Slices({ slices: list, log }) };
}

test("a slice that fails is logged, and the other slices go on", async () => {
  const seen: string[] = [];
  const broken: Slice = {
    name: "broken",
    start: () => Promise.reject(new Error("no disk")),
    settingsChanged: () => {
      throw new Error("no sense");
    },
    stop: () => Promise.reject(new Error("no end")),
  };
  const sound: Slice = {
    name: "sound",
    start: () => void seen.push("start"),
    settingsChanged: () => void seen.push("settings"),
    stop: async () => void seen.push("stop"),
  };
  const { lines, slices } = life([broken, sound]);
  slices.start();
  slices.settingsChanged();
  await slices.stop();
  expect(seen).toEqual(["start", "settings", "stop"]);
  const log = lines.join("");
  expect(log).toContain("broken could not start");
  expect(log).toContain("Error: no disk");
  expect(log).toContain("broken could not take the new settings");
  expect(log).toContain("broken could not stop");
});

test("a slice is stopped only after its start has ended", async () => {
  const seen: string[] = [];
  const started = Promise.withResolvers<void>();
  const slow: Slice = {
    name: "slow",
    start: () => started.promise.then(() => void seen.push("started")),
    stop: async () => void seen.push("stopped"),
  };
  const { slices } = life([slow]);
  slices.start();
  const stopped = slices.stop();
  started.resolve();
  await stopped;
  expect(seen).toEqual(["started", "stopped"]);
});

test('a handler\'s value is the JSON reply, nothing is {"ok":true}, and a Response is sent as it is', async () => {
  const done: string[] = [];
  const handlers: Handlers = {
    "GET /api/sessions": () => ({ sessions: [] }),
    "POST /api/sessions/kill": (c) => void done.push(c.req.valid("json").id),
    "DELETE /api/phone/token": async () => {},
    "GET /api/usage": (c) => c.text("made", 201),
  };
  const app: Routes = new Hono();
  addRoutes(app, { routes: handlers });
  const ask = async (method: string, path: string, body?: object) => {
    const json = body && JSON.stringify(body);
    const reply = await app.request(path, { method, ...(json ? { body: json } : {}) });
    return [reply.status, await reply.text()];
  };
  expect(await ask("GET", "/api/sessions")).toEqual([200, '{"sessions":[]}']);
  expect(await ask("POST", "/api/sessions/kill", { id: "s" })).toEqual([200, '{"ok":true}']);
  expect(await ask("DELETE", "/api/phone/token")).toEqual([200, '{"ok":true}']);
  expect(await ask("GET", "/api/usage")).toEqual([201, "made"]);
  expect(done).toEqual(["s"]);
});
