import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { jwtVerify } from "jose";
import { sendToApp } from "../../src/push/apns.ts";
import type { BadgedMessage } from "../../src/push/message.ts";
import { Http2Link } from "../../src/push/outgoing.ts";
import { ProviderToken } from "../../src/push/signing.ts";
import { ApnsServer } from "../support/apns-server.ts";
import { FakeClock } from "../support/clock.ts";
import { OwnAuthority, signingKey } from "../support/push-keys.ts";
import { until } from "../support/until.ts";
import { ALERT } from "./stage.ts";

const { pem, privateKey, publicKey } = signingKey();
const DEVICE = { token: "ab".repeat(32) };
function channel(url: string, clock = new FakeClock(), timeoutMs = 60_000) {
  const key = { key: privateKey, keyId: "KEY1234567", teamId: "TEAM123456" };
  const token = new ProviderToken(key, clock);
  const link = new Http2Link(url, timeoutMs);
  const deps = { link, topic: "com.example.app", token, instanceId: "server", clock };
  return {
    send: (device: { token: string }, message: BadgedMessage) => sendToApp(deps, device, message),
    close: () => link.close(),
  };
}

describe("the native channel", () => {
  let server: ApnsServer;
  let apns: ReturnType<typeof channel>;
  beforeEach(async () => {
    server = await ApnsServer.start();
    apns = channel(server.url);
  });
  afterEach(async () => {
    apns.close();
    await server.stop();
  });

  test("sends the documented headers and payload, signed with the configured key", async () => {
    const clock = new FakeClock();
    expect(await apns.send(DEVICE, ALERT)).toEqual({ is: "accepted", detail: "200" });
    const [request] = server.received;
    expect(request?.path).toBe(`/3/device/${DEVICE.token}`);
    expect(request?.headers).toMatchObject({
      ":method": "POST",
      "apns-topic": "com.example.app",
      "apns-push-type": "alert",
      "apns-priority": "10",
      "apns-expiration": String(clock.now() + 600),
      "apns-collapse-id": "pane-one",
    });
    const bearer = request?.headers["authorization"]?.replace("bearer ", "") ?? "";
    const { payload, protectedHeader } = await jwtVerify(bearer, publicKey);
    expect(protectedHeader).toMatchObject({ alg: "ES256", kid: "KEY1234567" });
    expect(payload).toEqual({ iss: "TEAM123456", iat: clock.now() });
    expect(request?.body).toEqual({
      aps: {
        alert: { title: "panewatch", body: "A pane needs your input." },
        sound: "default",
        badge: 2,
        "thread-id": "panewatch",
        category: "panewatch.generic",
        "interruption-level": "time-sensitive",
      },
      panewatch: { id: "%3" },
    });
  });

  test("sends over one connection, with one provider token for 40 minutes", async () => {
    const clock = new FakeClock();
    const mine = channel(server.url, clock);
    await Promise.all(Array.from({ length: 20 }, () => mine.send(DEVICE, ALERT)));
    clock.advance(39 * 60);
    await mine.send(DEVICE, ALERT);
    const tokens = () => new Set(server.received.map(({ headers }) => headers["authorization"]));
    expect(tokens().size).toBe(1);
    clock.advance(60);
    await mine.send(DEVICE, ALERT);
    expect(tokens().size).toBe(2);
    expect(server.connections).toBe(1);
    mine.close();
  });

  test.each([
    [410, "Unregistered", "gone"],
    [410, "ExpiredToken", "gone"],
    [400, "BadDeviceToken", "gone"],
    [400, "DeviceTokenNotForTopic", "gone"],
    [400, "BadTopic", "refused"],
    [400, "PayloadEmpty", "refused"],
    [403, "InvalidProviderToken", "refused"],
    [403, "BadCertificateEnvironment", "refused"],
    [404, "BadPath", "refused"],
    [405, "MethodNotAllowed", "refused"],
    [413, "PayloadTooLarge", "refused"],
    [429, "TooManyRequests", "later"],
    [429, "TooManyProviderTokenUpdates", "later"],
    [500, "InternalServerError", "later"],
    [503, "ServiceUnavailable", "later"],
    [503, "Shutdown", "later"],
  ] as const)("takes the reply %i %s as %s", async (status, reason, is) => {
    server.replies.push({ status, reason });
    expect(await apns.send(DEVICE, ALERT)).toMatchObject({ is, detail: `${status} ${reason}` });
  });

  test("renews an expired provider token once for a message", async () => {
    server.replies.push({ status: 403, reason: "ExpiredProviderToken" });
    expect((await apns.send(DEVICE, ALERT)).is).toBe("accepted");
    expect(server.received).toHaveLength(2);
    server.replies.push({ status: 403, reason: "ExpiredProviderToken" });
    server.replies.push({ status: 403, reason: "ExpiredProviderToken" });
    expect(await apns.send(DEVICE, ALERT)).toMatchObject({ is: "later" });
  });

  test("renews an expired provider token once for many messages at the same time", async () => {
    const refusal = { status: 403, reason: "ExpiredProviderToken" };
    server.replies.push(...Array.from({ length: 10 }, () => refusal));
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => apns.send(DEVICE, ALERT)));
    expect(outcomes.every(({ is }) => is === "accepted")).toBe(true);
    const tokens = new Set(server.received.map(({ headers }) => headers["authorization"]));
    expect(tokens.size).toBe(2);
  });

  test("signs a provider token again after a failed signature", async () => {
    // A public key cannot sign.
    const signing = { key: publicKey, keyId: "K", teamId: "T" };
    const token = new ProviderToken(signing, new FakeClock());
    await expect(token.current()).rejects.toThrow();
    signing.key = privateKey;
    expect((await jwtVerify(await token.current(), publicKey)).payload.iss).toBe("T");
  });

  test("reports a Retry-After, up to the lifetime of the alert", async () => {
    for (const [seconds, afterMs] of [
      ["7", 7000],
      ["180", 180_000],
      ["86400", 600_000],
      ["soon", 0],
    ] as const) {
      server.replies.push({
        status: 429,
        reason: "TooManyRequests",
        headers: { "retry-after": seconds },
      });
      expect(await apns.send(DEVICE, ALERT)).toMatchObject({ is: "later", afterMs });
    }
  });

  test("opens a new connection after GOAWAY", async () => {
    server.replies.push("goaway");
    expect((await apns.send(DEVICE, ALERT)).is).toBe("accepted");
    expect((await apns.send(DEVICE, ALERT)).is).toBe("accepted");
    expect(server.received.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  test("reports a refused stream and a cut connection as later, and sends the next message", async () => {
    server.replies.push("refuse");
    expect((await apns.send(DEVICE, ALERT)).is).toBe("later");
    expect((await apns.send(DEVICE, ALERT)).is).toBe("accepted");
    server.replies.push("drop");
    expect((await apns.send(DEVICE, ALERT)).is).toBe("later");
    await until(async () => (await apns.send(DEVICE, ALERT)).is === "accepted");
  });

  test("reports a server that hangs as later, and opens a new connection", async () => {
    const mine = channel(server.url, new FakeClock(), 100);
    server.reply = "hang";
    expect(await mine.send(DEVICE, ALERT)).toMatchObject({
      is: "later",
      detail: "no answer in time",
    });
    server.reply = { status: 200 };
    // A slow machine may time out again; the answer must not come over the first connection.
    await until(async () => (await mine.send(DEVICE, ALERT)).is === "accepted");
    expect(server.received.at(-1)?.connection).toBeGreaterThan(1);
    mine.close();
  });
});

test("the native channel reports a server that is not running as later", async () => {
  const server = await ApnsServer.start();
  await server.stop();
  const apns = channel(server.url);
  expect(await apns.send(DEVICE, ALERT)).toMatchObject({
    is: "later",
    detail: "no connection (ECONNREFUSED)",
  });
});

describe("the native channel over TLS", () => {
  let authority: OwnAuthority;
  beforeAll(async () => {
    authority = await OwnAuthority.open();
  });
  afterAll(() => authority.close());

  test("sends nothing to a server whose certificate cannot be verified, and says so", async () => {
    const server = await ApnsServer.start(authority);
    const apns = channel(server.url);
    expect(await apns.send(DEVICE, ALERT)).toMatchObject({
      is: "later",
      detail: "its certificate cannot be verified",
    });
    expect(server.received).toEqual([]);
    apns.close();
    await server.stop();
  });

  test("trusts an authority of NODE_EXTRA_CA_CERTS", async () => {
    const server = await ApnsServer.start(authority);
    const child = Bun.spawn([process.execPath, "--no-env-file", `${import.meta.dir}/send-one.ts`], {
      env: {
        ...process.env,
        NODE_EXTRA_CA_CERTS: authority.authorityFile,
        PUSH_URL: server.url,
        PUSH_KEY: pem,
      },
      stdout: "pipe",
    });
    expect(await new Response(child.stdout).text()).toBe("accepted 200\n");
    expect(server.received).toHaveLength(1);
    await server.stop();
  });
});
