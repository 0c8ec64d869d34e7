import { describe, expect, spyOn, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import { grantsSlice } from "../../src/grants/routes.ts";
import { bearerOf, MAX_WRONG_TOKENS, TokenCheck, WINDOW_SECONDS } from "../../src/http/auth.ts";
import type { Layer } from "../../src/config/resolve.ts";
import { FakeClock } from "../support/clock.ts";
import { fakeCredentials } from "../support/credentials.ts";
import { createLog } from "../../src/lib/log.ts";
import { memoryLedger } from "../support/in-memory.ts";
import { service } from "../support/service.ts";

const checkOf = (flags: Layer) =>
  new TokenCheck({ ...fakeCredentials({ flags }), clock: new FakeClock() });
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe("the token", () => {
  const paths: [string, string][] = [
    ["GET", "/api/state"],
    ["GET", "/api/config"],
    ["POST", "/api/key"],
    ["POST", "/api/sessions/kill"],
    ["GET", "/api/agents"],
    ["GET", "/api/nothing"],
    ["GET", "/api"],
    ["DELETE", "/api/state"],
  ];

  test.each(paths)("the token is required before anything else: %s %s", async (method, path) => {
    const { request } = service({ token: "secret" });
    for (const init of [{}, bearer("wrong"), bearer("secretsecret"), bearer("s")]) {
      const reply = await request(path, { method, ...init });
      expect(reply.status).toBe(401);
      expect(await reply.json()).toEqual({ detail: "bad or missing token" });
      expect(reply.headers.has("www-authenticate")).toBe(false);
    }
    expect((await request(path, { method, ...bearer("secret") })).status).not.toBe(401);
  });

  test("the token is not required on a server without a token", async () => {
    expect((await service().request("/api/state")).status).toBe(200);
    expect((await service().request("/api/state", bearer("whatever"))).status).toBe(200);
  });

  test("the token is not read from a cookie or a query", async () => {
    const { request } = service({ token: "secret" });
    expect((await request("/api/state?token=secret")).status).toBe(401);
    expect((await request("/api/state", { headers: { cookie: "token=secret" } })).status).toBe(401);
  });

  test("bearerOf gives the rest of a Bearer header", () => {
    expect(bearerOf("Bearer a b=")).toBe("a b=");
    expect(bearerOf("bearer x")).toBe("x");
    for (const header of [undefined, "", "Bearer", "Bearer ", "Basic x", "x"])
      expect(bearerOf(header)).toBeNull();
  });
});

describe("wrong tokens", () => {
  test("wrong tokens are limited per address, and a token that was valid there before stays valid", async () => {
    const { request, clock } = service({ token: "secret" });
    const status = async (token: string, peer: string) =>
      (await request("/api/state", bearer(token), peer)).status;
    for (let i = 0; i < MAX_WRONG_TOKENS; i++)
      expect(await status(`no ${i}`, "10.0.0.1")).toBe(401);

    clock.advance(20);
    const refused = await request("/api/state", bearer("no"), "10.0.0.1");
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("40");
    expect(await refused.json()).toEqual({ detail: "too many bad tokens" });

    // At the limit a token that was never valid from this address is not compared.
    expect(await status("secret", "10.0.0.1")).toBe(429);
    expect(await status("secret", "10.0.0.2")).toBe(200);
    expect(await status("secret", "10.0.0.1")).toBe(200);
    expect(await status("no", "10.0.0.2")).toBe(401);
    expect((await request("/api/state", {}, "10.0.0.1")).status).toBe(401);
    clock.advance(WINDOW_SECONDS - 20.5);
    expect(await status("no", "10.0.0.1")).toBe(429);
    clock.advance(WINDOW_SECONDS);
    expect(await status("no", "10.0.0.1")).toBe(401);
  });

  test("wrong tokens do not grow the memory without limit, and many new addresses free only old entries", () => {
    const tokens = checkOf({ "server.token": "secret" });
    const guess = (peer: string) => {
      try {
        tokens.require("no", peer);
      } catch (error) {
        return error instanceof Error ? error.message : "";
      }
      return "let in";
    };
    for (let i = 0; i < 9_000; i++) guess(`peer ${i}`);
    for (let i = 1; i < MAX_WRONG_TOKENS; i++) guess("peer 0");
    expect(guess("peer 0")).toBe("too many bad tokens");
    for (let i = 9_000; i < 30_000; i++) guess(`peer ${i}`);
    expect(guess("peer 0")).toBe("bad or missing token");
  });
});

describe("the read token", () => {
  const { request } = service({ token: "secret", readToken: "guest" });

  test('it may read every route, and its access is "read"', async () => {
    for (const path of ["/api/state", "/api/config", "/api/sessions"])
      expect((await request(path, bearer("guest"))).status).toBe(200);
    for (const [token, access] of [
      ["guest", "read"],
      ["secret", "all"],
    ] as const) {
      const { _info } = await (await request("/api/config", bearer(token))).json();
      expect(_info.access).toBe(access);
    }
    const open = await (await service().request("/api/config")).json();
    expect(open._info.access).toBe("all");
  });

  test("the read token is refused for an action", async () => {
    const refused = await request("/api/key", { method: "POST", ...bearer("guest"), body: "{}" });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toEqual({
      detail: "the read token may look and not act: this needs answer",
    });
  });

  test("the read token alone does not make the server require a token", () => {
    const check = checkOf({ "server.read_token": "guest" });
    expect(check.require(null, "10.0.0.1").scope).toBe("own");
  });
});

test("no reply and no log line has the token", async () => {
  const { request, log } = service({
    token: "very-secret",
    terminal: {
      star: async () => {
        throw new Error("broken");
      },
    },
  });
  const init = { ...bearer("very-secret"), method: "POST", body: '{"target":"a","starred":true}' };
  const replies = [
    await request("/api/state?token=very-secret", bearer("very-secret")),
    await request("/api/star?token=very-secret", init),
    await request("/api/nothing?token=very-secret", bearer("very-secret")),
    await request("/?token=very-secret"),
  ];
  expect(replies.map((reply) => reply.status)).toEqual([200, 500, 404, 404]);
  for (const reply of replies) {
    const text = JSON.stringify([...reply.headers]) + (await reply.text());
    expect(text).not.toContain("very-secret");
  }
  expect(log.join("")).toContain("POST /api/star from 127.0.0.1 failed");
  expect(log.join("")).not.toContain("very-secret");
});

test("unused devices are removed before the start is over", async () => {
  const { credentials } = fakeCredentials();
  const tended = Promise.withResolvers<void>();
  using _ = spyOn(credentials, "tend").mockReturnValue(tended.promise);
  const slice = grantsSlice({
    ...{ credentials, record: memoryLedger(), log: createLog(() => {}) },
    ...{ sockets: () => 0, alerts: () => 0 },
  });
  let isStarted = false;
  const started = Promise.resolve(slice.start?.()).then(() => (isStarted = true));
  await setImmediate();
  expect(isStarted).toBe(false);
  tended.resolve();
  await started;
  await slice.stop?.();
});
