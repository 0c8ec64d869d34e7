import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createPublicKey } from "node:crypto";
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { jwtVerify } from "jose";
import { hostPortFault } from "../../src/config/checks.ts";
import { createLog } from "../../src/lib/log.ts";
import type { BadgedMessage } from "../../src/push/message.ts";
import { canReplace } from "../../src/push/channels.ts";
import { Vapid } from "../../src/push/signing.ts";
import {
  areReceiverKeys,
  encryptFor,
  isPushEndpoint,
  sendWebPush,
} from "../../src/push/web-push.ts";
import { FakeClock } from "../support/clock.ts";
import { signingKey } from "../support/push-keys.ts";
import { PushStandIn } from "../support/push-stand-in.ts";
import { Subscriber } from "../support/subscriber.ts";
import { temporary } from "../support/temporary.ts";
import { ALERT } from "./stage.ts";
import { forAll } from "../support/laws.ts";

type Jwk = Record<string, unknown>;

test("encryption gives the example of RFC 8291, byte by byte", () => {
  const sealed = encryptFor(
    {
      p256dh:
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
      auth: "BTBZMqHH6r4Tts7J_aSIgg",
    },
    "When I grow up, I want to be a watermelon",
    {
      privateKey: Buffer.from("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw", "base64url"),
      salt: Buffer.from("DGv6ra1nlYgDCS1FRnbzlw", "base64url"),
    },
  );
  expect(sealed.toString("base64url")).toBe(
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
  );
});

test("law: any encrypted value is read by another implementation", () => {
  const browser = new Subscriber();
  const { keys } = browser.subscription("https://push.example");
  forAll([fc.jsonValue()], 120, (value) => {
    const text = JSON.stringify({ value });
    expect(browser.read(encryptFor(keys, text))).toEqual(JSON.parse(text));
  });
});

test("receiver keys of a wrong length or off the curve are refused", () => {
  const { keys } = new Subscriber().subscription("");
  expect(areReceiverKeys(keys)).toBe(true);
  expect(areReceiverKeys({ ...keys, auth: "short" })).toBe(false);
  expect(areReceiverKeys({ ...keys, p256dh: "" })).toBe(false);
  const off = Buffer.alloc(65, 7);
  off[0] = 4;
  expect(areReceiverKeys({ ...keys, p256dh: off.toString("base64url") })).toBe(false);
});

test.each([
  ["https://web.push.apple.com/abc", true],
  ["https://fcm.googleapis.com/fcm/send/abc", true],
  ["https://updates.push.services.mozilla.com/wpush/v2/abc", true],
  ["https://wns2-am3p.notify.windows.com/w/?token=abc", true],
  ["https://push.example:8443/up", true],
  ["http://127.0.0.1:9000/up", true],
  ["https://example.com/", false],
  ["http://fcm.googleapis.com/fcm/send/abc", false],
  ["https://fcm.googleapis.com:444/fcm/send/abc", false],
  ["https://fcm.googleapis.com.example.com/", false],
  ["https://evilpush.apple.com/", false],
  ["https://user@fcm.googleapis.com/", false],
  ["http://push.example:8443/up", false],
  ["http://169.254.169.254/latest", false],
  ["file:///etc/passwd", false],
  ["not an address", false],
])("the endpoint %s is allowed: %p", (endpoint, isAllowed) => {
  expect(isPushEndpoint(endpoint, ["push.example:8443", "127.0.0.1:9000"])).toBe(isAllowed);
});

test.each([
  ["Push.Example", "https://push.example/up"],
  ["push.example:443", "https://push.example/up"],
  ["push.example", "https://push.example:443/up"],
  ["PUSH.example:8443", "https://push.EXAMPLE:8443/up"],
  ["127.0.0.1:80", "http://127.0.0.1/up"],
])("the configured host %s allows the endpoint %s", (host, endpoint) => {
  expect(hostPortFault(host)).toBeNull();
  expect(isPushEndpoint(endpoint, [host])).toBe(true);
  expect(isPushEndpoint("https://other.example/up", [host])).toBe(false);
});

test("a replacement is quiet at Google's push service, and not at Apple's", () => {
  const replaces = (endpoint: string) =>
    canReplace({ kind: "web", subscription: new Subscriber().subscription(endpoint) });
  expect(replaces("https://web.push.apple.com/abc")).toBe(false);
  expect(replaces("https://fcm.googleapis.com/fcm/send/abc")).toBe(true);
});

describe("the Web Push channel", () => {
  let folder: string;
  let service: PushStandIn;
  let vapid: Vapid;
  const clock = new FakeClock();
  const log = createLog(() => {});
  const browser = new Subscriber();
  const origin = "https://panes.example";
  beforeEach(async () => {
    folder = await temporary("vapid");
    service = new PushStandIn();
    vapid = await Vapid.open(folder, { clock, log });
  });
  afterEach(async () => {
    await service.stop();
    await vapid.saved();
  });

  const send = (
    to: Parameters<typeof sendWebPush>[1],
    message: BadgedMessage,
    contact: string | null = "mailto:who@example.org",
    timeoutMs = 60_000,
  ) => sendWebPush({ vapid, contact: () => contact, timeoutMs }, to, message);
  const device = (withNames = false) => ({
    subscription: browser.subscription(`${service.origin}/up/secret`),
    origin,
    preferences: { details: withNames ? "name" : "none" } as const,
  });

  test("sends a message in the declarative form, with its headers", async () => {
    expect(await send(device(), ALERT)).toEqual({ is: "accepted", detail: "201" });
    const [request] = service.received;
    expect(request?.path).toBe("/up/secret");
    expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
      "content-encoding": "aes128gcm",
      ttl: "600",
      urgency: "high",
      topic: "pane-one",
    });
    expect(browser.read(request?.body ?? Buffer.alloc(0))).toEqual({
      web_push: 8030,
      notification: {
        title: "panewatch",
        body: "A pane needs your input.",
        navigate: "https://panes.example/#/pane/%253/chat",
        tag: "pane-one",
        app_badge: "2",
      },
      panewatch: { kind: "pane" },
    });
  });

  test("leads from a digest to the queue, and names the pane where the device wants names", async () => {
    const notification = async (index: number) =>
      browser.read(service.received[index]?.body ?? Buffer.alloc(0));
    await send(device(), { kind: "digest", tag: "review", badge: 0 });
    expect(await notification(0)).toMatchObject({
      notification: { navigate: "https://panes.example/#/queue" },
    });
    await send(device(true), ALERT);
    expect(await notification(1)).toMatchObject({
      notification: { body: "api needs your input." },
    });
  });

  test("signs with the key that pages subscribe with, for exactly the origin of the push service", async () => {
    await send(device(), ALERT);
    const header = service.received[0]?.headers.get("authorization") ?? "";
    const [, token = "", key = ""] = /^vapid t=([^,]+), k=(.+)$/.exec(header) ?? [];
    expect(key).toBe(vapid.publicKey);
    const point = Buffer.from(key, "base64url");
    expect(point).toHaveLength(65);
    const x = point.subarray(1, 33).toString("base64url");
    const y = point.subarray(33).toString("base64url");
    const publicKey = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
    const { payload } = await jwtVerify(token, publicKey, {
      audience: service.origin,
      currentDate: new Date(clock.now() * 1000),
    });
    expect(payload.sub).toBe("mailto:who@example.org");
    expect((payload.exp ?? 0) - clock.now()).toBeLessThanOrEqual(24 * 3600);
  });

  test("keeps its key over a restart, in a file that only the user can read", async () => {
    const { publicKey } = vapid;
    await vapid.saved();
    const again = await Vapid.open(folder, { clock, log });
    expect(again.publicKey).toBe(publicKey);
    const { mode } = await stat(join(folder, "panewatch-vapid.json"));
    expect(mode & 0o777).toBe(0o600);
  });

  test("makes its key when it is asked for, not at the start", async () => {
    expect(await readdir(folder)).toEqual([]);
    expect(vapid.publicKey).toBe(vapid.publicKey);
    await vapid.saved();
    expect(await readdir(folder)).toEqual(["panewatch-vapid.json"]);
  });

  test("uses a key that cannot be saved from memory, and saves it when that is possible", async () => {
    const path = join(folder, "panewatch-vapid.json");
    await mkdir(join(path, "in the way"), { recursive: true });
    const logLines: string[] = [];
    await rm(path, { recursive: true });
    const mine = await Vapid.open(folder, { clock, log: createLog((line) => logLines.push(line)) });
    await mkdir(join(path, "in the way"), { recursive: true });
    const { publicKey } = mine;
    await mine.saved();
    expect(mine.problem).toContain("cannot be saved");
    expect(mine.publicKey).toBe(publicKey);
    await mine.saved();
    // Logged once per change of state.
    expect(logLines.filter((line) => line.includes("cannot be saved"))).toHaveLength(1);
    await rm(path, { recursive: true });
    expect(mine.publicKey).toBe(publicKey);
    await mine.saved();
    expect(mine.problem).toBe("");
    expect((await Vapid.open(folder, { clock, log })).publicKey).toBe(publicKey);
  });

  test.each([
    ["whose parts are of two keys", (key: Jwk, other: Jwk) => ({ ...key, d: other["d"] })],
    ["that is no point", (key: Jwk) => ({ ...key, x: "AAAA" })],
    ["that is cut off", (key: Jwk) => ({ ...key, d: "" })],
  ])("sets aside a saved key %s, and sends with a new key", async (_, spoil) => {
    const [key, other] = [0, 1].map(() => signingKey().privateKey.export({ format: "jwk" }));
    const path = join(folder, "panewatch-vapid.json");
    await writeFile(path, JSON.stringify({ version: 1, ...spoil({ ...key }, { ...other }) }));
    vapid = await Vapid.open(folder, { clock, log });
    expect((await readdir(folder)).filter((name) => name.includes(".corrupt-"))).toHaveLength(1);
    expect(await send(device(), ALERT)).toMatchObject({ is: "accepted" });
    await vapid.saved();
  });

  test.each([
    [404, "gone"],
    [410, "gone"],
    [400, "refused"],
    [403, "refused"],
    [413, "refused"],
    [429, "later"],
    [500, "later"],
    [503, "later"],
  ] as const)("takes the status %i as %s", async (status, is) => {
    service.replies.push(() => new Response("told why", { status }));
    expect(await send(device(), ALERT)).toMatchObject({
      is,
      detail: `${status} told why`,
    });
  });

  test("reads no more of a refusal than a sentence takes", async () => {
    const cut = Promise.withResolvers<void>();
    const chunk = new Uint8Array(64 * 1024).fill(65);
    service.replies.push(() => {
      const body = new ReadableStream({
        pull: (stream) => stream.enqueue(chunk),
        cancel: () => cut.resolve(),
      });
      return new Response(body, { status: 500 });
    });
    // It ends by itself, long before its time is over.
    expect(await send(device(), ALERT, undefined, 600_000)).toMatchObject({
      is: "later",
      detail: "500",
    });
    await cut.promise;
  });

  test("does not follow a redirect", async () => {
    const other = new PushStandIn();
    service.replies.push(() => Response.redirect(`${other.origin}/elsewhere`, 307));
    expect(await send(device(), ALERT)).toMatchObject({ is: "refused" });
    expect(other.received).toEqual([]);
    await other.stop();
  });

  test("reports a push service that hangs or is away as later", async () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    service.replies.push(() => promise);
    expect(await send(device(), ALERT, undefined, 50)).toMatchObject({
      is: "later",
      detail: "no answer in time",
    });
    resolve(new Response());
    const away = device();
    await service.stop();
    expect(await send(away, ALERT)).toMatchObject({ is: "later" });
    service = new PushStandIn();
  });

  test("sends nothing without a contact", async () => {
    expect(await send(device(), ALERT, null)).toMatchObject({ is: "refused" });
    expect(service.received).toEqual([]);
  });
});
