import { expect, test } from "bun:test";
import type { Pass } from "../../web/net/api.ts";
import { notTaken } from "../../web/net/taken.ts";
import { apiOf } from "../support/page-server.ts";

test("what is done is done in the name of the socket's session, once there is one", async () => {
  const named: [string, string | null][] = [];
  let sid: string | null = null;
  const api = apiOf(() => ({ body: {} }), {
    fetch: async (path, init) => {
      named.push([path, new Headers(init.headers).get("x-panewatch-sid")]);
      return Response.json({});
    },
    sid: () => sid,
  });
  const { signal } = new AbortController();
  const pass = {} as Pass; // Nothing here reaches a pane.
  const up = () => api.call("POST /api/key", { pass, signal, json: { id: "%1", key: "Up" } });
  await up();
  sid = "0a1b2c3d";
  await up();
  await api.call("DELETE /api/push/devices/:id", { path: { id: "d" } });
  await api.call("GET /api/waiting");
  expect(named).toEqual([
    ["/api/key", null],
    ["/api/key", "0a1b2c3d"],
    ["/api/push/devices/d", "0a1b2c3d"],
    ["/api/waiting", null],
  ]);
});

test("an address is made of the table's path, its names and the query, without what is not given", async () => {
  const asked: string[] = [];
  const api = apiOf(({ method, path }) => {
    asked.push(`${method} ${path}`);
    return { body: {} };
  });
  const query = { q: "a b", role: null, after: 5, cursor: undefined, limit: 100 };
  await api.call("GET /api/agents/:id/messages", { path: { id: "a/b" }, query });
  await api.call("PATCH /api/hosts/:name", { path: { name: "gpu 1" }, json: { watch: true } });
  expect(asked).toEqual([
    "GET /api/agents/a%2Fb/messages?q=a+b&after=5&limit=100",
    "PATCH /api/hosts/gpu%201",
  ]);
});

test("what is told once somebody has signed out is for nobody", async () => {
  const over = new AbortController();
  const api = apiOf(
    () => {
      over.abort();
      return { body: { grants: [] } };
    },
    { over: over.signal },
  );
  const failure = { kind: "unauthorized" } as const;
  expect(await api.call("GET /api/grants")).toEqual({ ok: false, failure });
});

test("what was not taken is refused with a sentence, or may have arrived", () => {
  const refused = (status: number, detail: unknown) =>
    notTaken({ kind: "refused", status, detail });
  const message = "The pane is gone.";
  expect(refused(404, { reason: "unknown_pane", message })).toEqual({
    step: "refused",
    reason: message,
  });
  expect(notTaken({ kind: "unauthorized" })).toEqual({ step: "refused", reason: "" });
  const unclear = [
    notTaken({ kind: "lost" }),
    refused(409, "partial_delivery_unknown"),
    refused(500, "internal error"),
  ];
  expect(unclear.map(({ step }) => step)).toEqual(["uncertain", "uncertain", "uncertain"]);
});

test("a token that is refused ends the session, unless another is in use by then", async () => {
  let token = "old";
  let ended = 0;
  const refusal = () => {
    if (token === "slow") token = "new";
    return { status: 401, body: { detail: "x" } };
  };
  const api = apiOf(refusal, { token: () => token, onUnauthorized: () => void ended++ });
  expect(await api.call("GET /api/waiting")).toEqual({
    ok: false,
    failure: { kind: "unauthorized" },
  });
  expect(ended).toBe(1);
  token = "slow";
  await api.call("GET /api/waiting");
  expect(ended).toBe(1);
});
