import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { serviceUrl } from "../../src/cli/ask-service.ts";
import { phoneState, requestLink } from "../../src/cli/phone/run.ts";
import { MAX_WRONG_TOKENS } from "../../src/http/auth.ts";
import { MAX_GUESSES } from "../../src/pairing/pairing.ts";
import { createLog } from "../../src/lib/log.ts";
import { PairingLink } from "../../src/protocol/access.ts";
import { StateLock } from "../../src/store/state-lock.ts";
import { service } from "../support/service.ts";
import { temporary } from "../support/temporary.ts";

const TOKEN = "s3cret-token";
const asOwner = { method: "POST", headers: { authorization: `Bearer ${TOKEN}` } };
const exchange = (code: unknown) => ({ method: "POST", body: JSON.stringify({ code }) });

async function codeOf(app: ReturnType<typeof service>): Promise<string> {
  const reply = await app.request("/api/pair/codes", asOwner);
  const link = PairingLink.strict().parse(await reply.json());
  return new URL(link.url).hash.replace("#pair=", "");
}

describe("a pairing code", () => {
  test("is issued only with the token, and exchanged once without it", async () => {
    const app = service({ token: TOKEN });
    expect((await app.request("/api/pair/codes", { method: "POST" })).status).toBe(401);
    const code = await codeOf(app);
    const reply = await app.request("/api/pair", exchange(code));
    expect(reply.status).toBe(200);
    expect(reply.headers.get("cache-control")).toBe("no-store");
    const { token } = await reply.json();
    expect(token).not.toBe(TOKEN);
    const signedIn = { headers: { authorization: `Bearer ${token}` } };
    expect((await app.request("/api/state", signedIn)).status).toBe(200);
    const again = await app.request("/api/pair", exchange(code));
    expect(again.status).toBe(401);
    expect(await again.json()).toEqual({ detail: "the code is wrong, used or too old" });
    expect(app.log.join("")).not.toContain(code);
  });

  test("is refused to an address that has guessed too often, and is still valid for another", async () => {
    const app = service({ token: TOKEN });
    const reply = await app.request("/api/pair/codes", asOwner);
    const { short_code } = PairingLink.parse(await reply.json());
    for (let guess = 0; guess < MAX_WRONG_TOKENS; guess += 1)
      expect((await app.request("/api/pair", exchange("guess"))).status).toBe(401);
    for (let guess = 0; guess < MAX_GUESSES; guess += 1)
      expect((await app.request("/api/pair", exchange("guess"))).status).toBe(429);
    const refused = await app.request("/api/pair", exchange("guess"));
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).not.toBeNull();
    expect((await app.request("/api/pair", exchange(short_code))).status).toBe(429);
    expect((await app.request("/api/pair", exchange("guess"), "192.0.2.1")).status).toBe(401);
    expect((await app.request("/api/pair", exchange(short_code), "192.0.2.1")).status).toBe(200);
  });

  test("is not exchanged for a page of another site", async () => {
    const app = service({ token: TOKEN });
    const request = { ...exchange(await codeOf(app)), headers: { origin: "https://evil.example" } };
    expect((await app.request("/api/pair", request)).status).toBe(403);
  });

  test.each<[unknown]>([[{}], [{ code: 1 }], [[]]])(
    "is not exchanged for a body of %j",
    async (body) => {
      const app = service({ token: TOKEN });
      const reply = await app.request("/api/pair", { method: "POST", body: JSON.stringify(body) });
      expect(reply.status).toBe(422);
    },
  );
});

describe("panewatch pair", () => {
  let stateDir = "";
  const flags = () => ({ config: join(stateDir, "panewatch.yaml") });
  const locks: StateLock[] = [];
  beforeEach(async () => {
    stateDir = await temporary("pair");
  });
  afterEach(async () => {
    for (const lock of locks.splice(0)) await lock.release();
  });

  /** Takes the lock of the state directory, as a service at this port. */
  async function hold(port: number): Promise<void> {
    const lock = await StateLock.take(stateDir, { log: createLog(() => {}) });
    await lock.tell({ host: "127.0.0.1", port }, TOKEN);
    locks.push(lock);
  }

  const failure = () =>
    requestLink(flags()).then(
      () => "paired",
      (error: Error) => error.message,
    );

  /** A server that is no panewatch, and records its requests. */
  function stranger() {
    const requests: string[] = [];
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => {
        requests.push(request.url);
        return new Response("hi");
      },
    });
    return { requests, server, port: new URL(server.url).port };
  }

  test("asks the service of this machine, and not a proxy of the environment", async () => {
    const server = service({ token: TOKEN }).listen();
    await hold(server.port);
    const proxy = stranger();
    const before = process.env.HTTP_PROXY;
    process.env.HTTP_PROXY = proxy.server.url.href;
    try {
      const link = await requestLink(flags());
      expect(link.url).toContain("#pair=");
      expect(proxy.requests).toEqual([]);
    } finally {
      if (before === undefined) delete process.env.HTTP_PROXY;
      else process.env.HTTP_PROXY = before;
      await server.stop();
      await proxy.server.stop(true);
    }
  });

  test("sends nothing to another program at the port of a service that has ended", async () => {
    const { server, requests, port } = stranger();
    const none = `no panewatch runs with ${stateDir}: start it, or give its --config`;
    expect(await failure()).toBe(none);
    // A crashed service leaves its note; its lock is gone, and another program has its port.
    await hold(Number(port));
    const note = join(stateDir, "panewatch.lock.json");
    const left = await readFile(note, "utf8");
    await locks.pop()?.release();
    await writeFile(note, left, { mode: 0o600 });
    expect(await failure()).toBe(none);
    expect(requests).toEqual([]);
    await server.stop(true);
  });

  test("says to start again a service that does not answer", async () => {
    const server = service({ token: TOKEN }).listen();
    const url = `http://127.0.0.1:${server.port}`;
    await hold(server.port);
    await server.stop();
    expect(await failure()).toBe(`the panewatch at ${url} does not answer: start it again`);
  });

  test.each([
    [404, { detail: "not found" }],
    [200, { is: "of a later release" }],
  ])(
    "panewatch phone recognises a service of another release by its reply: %d %j",
    async (status, body) => {
      const server = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: () => Response.json(body, { status }),
      });
      await hold(Number(server.url.port));
      expect(phoneState(flags())).rejects.toThrow(
        `the panewatch at ${server.url.origin} is of another release: start it again`,
      );
      await phoneState(flags()).catch(() => undefined);
      await server.stop(true);
    },
  );

  test("is refused by a service without a token", async () => {
    const server = service({ token: "" }).listen();
    await hold(server.port);
    expect(await failure()).toBe("pairing needs a token: panewatch phone makes one");
    await server.stop();
  });

  test("reaches a service on a wildcard bind by loopback, any other by its address", () => {
    expect(serviceUrl("0.0.0.0", 1)).toBe("http://127.0.0.1:1");
    expect(serviceUrl("::", 1)).toBe("http://[::1]:1");
    expect(serviceUrl("fd00::1", 1)).toBe("http://[fd00::1]:1");
    expect(serviceUrl("192.168.1.5", 1)).toBe("http://192.168.1.5:1");
  });
});
