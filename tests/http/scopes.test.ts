import { afterAll, describe, expect, test } from "bun:test";
import { createConnection } from "node:net";
import { text } from "node:stream/consumers";
import type { Layer } from "../../src/config/resolve.ts";
import { CLOSE_BAD_TOKEN, CLOSE_TRY_AGAIN } from "../../src/protocol/socket.ts";
import { ENDPOINT_LIST, ENDPOINTS } from "../../src/protocol/endpoints.ts";
import {
  GrantRemoval,
  GrantsReply,
  GrantState,
  PairingLink,
  PairReply,
} from "../../src/protocol/access.ts";
import { allows, type Scope, SCOPES } from "../../src/protocol/scope.ts";
import { startLiveService } from "../support/live-service.ts";
import { endpointsOf } from "../support/service.ts";
import { until } from "../support/until.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { connect } from "../support/client.ts";

const TOKEN = "the-token-of-the-owner";
const FLAGS: Layer = { "server.token": TOKEN, "server.read_token": "the-token-that-only-looks" };
const tokens = new Map<Scope, string>();

const tmux = await PrivateTmux.start();
const service = await startLiveService({ tmux, flags: FLAGS });
for (const scope of SCOPES) tokens.set(scope, (await letIn(scope)).token);
afterAll(async () => {
  await service.stop();
  await tmux.stop();
});

async function call(method: string, path: string, token: string, body?: unknown) {
  const reply = await service.call(method, path, body, { authorization: `Bearer ${token}` });
  return { status: reply.status, body: reply.body };
}

async function codeFrom(token: string, asked?: object): Promise<string> {
  const { body } = await call("POST", "/api/pair/codes", token, asked);
  return new URL(PairingLink.parse(body).url).hash.replace("#pair=", "");
}

function signIn(code: string) {
  return call("POST", "/api/pair", "", { code });
}

async function tokenFor(code: string): Promise<string> {
  return PairReply.parse((await signIn(code)).body).token;
}

/** A signed-in device of this scope. */
async function letIn(scope: Scope, name = `a device to ${scope}`) {
  const request = scope === "own" ? { name } : { name, scope };
  const token = await tokenFor(await codeFrom(TOKEN, request));
  const { id } = GrantState.parse((await call("GET", "/api/grants/self", token)).body);
  if (scope === "own") await call("PATCH", `/api/grants/${id}`, TOKEN, { scope });
  return { token, id };
}

const isLook = (method: string) => method === "GET" || method === "HEAD";

test("the table of endpoints has exactly the routes of the service", () => {
  expect(endpointsOf(service.slices).sort()).toEqual(Object.keys(ENDPOINTS).sort());
});

describe("the scope that a route requires", () => {
  test("every route refuses every smaller scope", async () => {
    let refused = 0;
    for (const { method, path, scope: needed } of ENDPOINT_LIST) {
      if (needed === null) continue;
      for (const scope of SCOPES) {
        if (allows(scope, needed)) continue;
        const where = path.replace(/:\w+/g, "x");
        const reply = await call(
          method,
          where,
          tokens.get(scope) ?? "",
          isLook(method) ? undefined : {},
        );
        refused += 1;
        expect([method, path, scope, reply]).toEqual([
          ...[method, path, scope],
          { status: 403, body: { detail: expect.stringMatching(new RegExp(`needs ${needed}$`)) } },
        ]);
      }
    }
    expect(refused).toBeGreaterThan(80);
  });

  test("every route admits its own scope", async () => {
    // These would end the test's own grants.
    const ends = ["DELETE /api/grants/self", "DELETE /api/phone/token", "POST /api/phone/token"];
    for (const { method, path, scope } of ENDPOINT_LIST) {
      const route = `${method} ${path}`;
      if (scope === null || ends.includes(route)) continue;
      const body = isLook(method) ? undefined : {};
      const reply = await call(method, path.replace(/:\w+/g, "x"), tokens.get(scope) ?? "", body);
      expect([route, reply.status]).not.toEqual([route, 403]);
      expect([route, reply.status]).not.toEqual([route, 401]);
    }
  });

  test("an unknown path requires the scope own", async () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"])
      for (const path of ["/api/new", "//api/key", "/api/explain/", "/api/%6bey"]) {
        expect([path, (await call(method, path, tokens.get("look") ?? "", {})).status]).toEqual([
          path,
          403,
        ]);
      }
    expect((await call("POST", "/api/new", TOKEN, {})).status).toBe(404);
  });
});

describe("the sockets of a grant", () => {
  test.each(SCOPES)(
    "a socket of the scope %s is admitted, and closes when its grant is removed",
    async (scope) => {
      const { token, id } = await letIn(scope);
      const port = Number(new URL(service.url).port);
      const socket = connect(port, `/ws?token=${token}`);
      await socket.take(1);
      const { body } = await call("GET", "/api/grants", TOKEN);
      const mine = GrantsReply.parse(body).grants.find((grant) => grant.id === id);
      expect(mine).toMatchObject({ scope, sockets: 1, by: "token", last_address: "127.0.0.1" });
      const removed = await call("DELETE", `/api/grants/${id}`, TOKEN);
      expect(GrantRemoval.parse(removed.body)).toMatchObject({
        removed: [{ id }],
        may_know_token: allows(scope, "type"),
      });
      expect((await socket.closed).code).toBe(CLOSE_BAD_TOKEN);
      expect((await call("GET", "/api/state", token)).status).toBe(401);
    },
  );

  test('the sockets close with "try again" when their scope changes', async () => {
    const { token, id } = await letIn("type");
    const port = Number(new URL(service.url).port);
    const sockets = [1, 2].map(() => connect(port, `/ws?token=${token}`));
    for (const socket of sockets) await socket.take(1);
    await call("PATCH", `/api/grants/${id}`, TOKEN, { scope: "look" });
    for (const socket of sockets) expect((await socket.closed).code).toBe(CLOSE_TRY_AGAIN);
    expect((await call("POST", "/api/key", token, {})).status).toBe(403);
  });
});

describe("a grant", () => {
  test("a grant can sign itself out, the token cannot be removed", async () => {
    const { token } = await letIn("look");
    const left = await call("DELETE", "/api/grants/self", token);
    expect(GrantRemoval.parse(left.body).removed).toHaveLength(1);
    expect((await call("GET", "/api/grants/self", token)).status).toBe(401);
    const owner = await call("DELETE", "/api/grants/self", TOKEN);
    expect(owner).toEqual({
      status: 200,
      body: { ok: true, removed: [], let_in: [], may_know_token: false },
    });
    expect(await call("DELETE", "/api/grants/token", TOKEN)).toMatchObject({
      ...{ status: 409, body: { detail: "the token is no device: only devices are changed here" } },
    });
  });

  test("a removal with also_let_in removes the grants it let in", async () => {
    const owner = await letIn("own", "AgentStage");
    const invitation = { name: "Guest", scope: "look" };
    const guest = await tokenFor(await codeFrom(owner.token, invitation));
    const request = { also_let_in: true };
    expect((await call("DELETE", `/api/grants/${owner.id}`, TOKEN, request)).body).toMatchObject({
      removed: [{ name: "AgentStage" }, { name: "Guest" }],
      may_know_token: true,
    });
    expect((await call("GET", "/api/state", guest)).status).toBe(401);
  });

  test("a removal lists the grants it let in, keeps them, and ends its pairing codes", async () => {
    const owner = await letIn("own", "AgentStage");
    const guest = await tokenFor(await codeFrom(owner.token, { name: "Guest" }));
    const pending = await codeFrom(owner.token);
    const left = await call("DELETE", `/api/grants/${owner.id}`, TOKEN, {});
    expect(GrantRemoval.parse(left.body).let_in).toEqual([
      { id: expect.any(String), name: "Guest" },
    ]);
    expect((await call("GET", "/api/state", guest)).status).toBe(200);
    // Its pairing codes have ended with it.
    expect((await signIn(pending)).status).toBe(401);
    expect(service.log.join("")).toContain(
      "access: AgentStage (own) was removed by the token at 127.0.0.1",
    );
    expect(service.log.join("")).toContain(
      "access: Guest (type) was let in by AgentStage, from 127.0.0.1",
    );
  });

  test("a removal by the phones' path keeps the grants it let in", async () => {
    const owner = await letIn("own", "AgentStage");
    const guest = await tokenFor(await codeFrom(owner.token, { name: "Guest" }));
    expect((await call("DELETE", `/api/phone/devices/${owner.id}`, TOKEN)).status).toBe(200);
    expect((await call("GET", "/api/state", guest)).status).toBe(200);
  });

  test.each<[string, number, (id: string) => Promise<unknown>]>([
    ["is removed", 401, (id) => call("DELETE", `/api/grants/${id}`, TOKEN)],
    [
      "is reduced to look",
      403,
      (id) => call("PATCH", `/api/grants/${id}`, TOKEN, { scope: "look" }),
    ],
  ])(
    "a grant that %s while its request's body arrives sends nothing",
    async (_, status, change) => {
      const { token, id } = await letIn("type");
      const usedAt = async () => {
        const { grants } = GrantsReply.parse((await call("GET", "/api/grants", TOKEN)).body);
        return grants.find((grant) => grant.id === id)?.last_used_at ?? 0;
      };
      const before = await usedAt();
      const { hostname, port, host } = new URL(service.url);
      const socket = createConnection(Number(port), hostname);
      const reply = text(socket);
      const body = JSON.stringify({ id: "nowhere", text: "words" });
      const head = `POST /api/text HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}`;
      const rest = `content-length: ${body.length}\r\nconnection: close`;
      socket.write(`${head}\r\n${rest}\r\n\r\n${body.slice(0, 1)}`);
      await until(async () => (await usedAt()) > before);
      await change(id);
      socket.write(body.slice(1));
      expect(await reply).toStartWith(`HTTP/1.1 ${status} `);
    },
  );

  test("the pairing codes of a grant end when it is no longer an owner", async () => {
    const owner = await letIn("own", "AgentStage");
    const pending = await codeFrom(owner.token);
    const less = await call("PATCH", `/api/grants/${owner.id}`, TOKEN, { scope: "look" });
    expect(less.status).toBe(200);
    expect((await signIn(pending)).status).toBe(401);
  });

  test("the log names the grant that acted or changed settings", async () => {
    const { token } = await letIn("type", "Pixel 9");
    const pane = await tmux.open(["sh", "-c", "sleep 600"]);
    await call("POST", "/api/text", token, { id: pane, text: "words of mine" });
    expect(service.log.join("")).toMatch(/action: text for .* by Pixel 9 at 127\.0\.0\.1: sent/);
    await call("PATCH", "/api/config", TOKEN, { capture_lines: 150 });
    expect(service.log.join("")).toContain(
      "access: settings (capture_lines) were changed by the token at 127.0.0.1",
    );
    expect(service.log.join("")).not.toContain("words of mine");
  });

  test("the log names who accepted an address and changed a scope, without any token", async () => {
    const { token } = await letIn("own", "AgentStage 2");
    expect((await call("POST", "/api/phone/token", token, { renew: true })).status).toBe(409);
    expect(
      (await call("POST", "/api/phone/addresses", token, { address: "https://x.example" })).status,
    ).toBe(200);
    const log = service.log.join("");
    expect(log).toContain("access: https://x.example was accepted by AgentStage 2 at 127.0.0.1");
    expect(log).toContain(
      "access: AgentStage 2 (type) is AgentStage 2 (own) by the token at 127.0.0.1",
    );
    for (const secret of [TOKEN, token]) expect(log).not.toContain(secret);
  });
});
