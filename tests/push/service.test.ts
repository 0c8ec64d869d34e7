import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Layer } from "../../src/config/resolve.ts";
import { ConfigReply } from "../../src/protocol/config.ts";
import { GrantState, PairingLink, PairReply } from "../../src/protocol/access.ts";
import {
  AlertLogReply,
  DevicesReply,
  PushDevice,
  TestReply,
  WebRegisterReply,
} from "../../src/protocol/push.ts";
import { ApnsServer } from "../support/apns-server.ts";
import { type LiveService, startLiveService } from "../support/live-service.ts";
import { signingKey } from "../support/push-keys.ts";
import { PushStandIn } from "../support/push-stand-in.ts";
import { Subscriber } from "../support/subscriber.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";
import { connect } from "../support/client.ts";

const OWNER = "the-token-of-the-owner";
const READ = "the-token-that-only-looks";
const TOKEN = "c0".repeat(32);
let tmux: PrivateTmux;
let apns: ApnsServer;
let web: PushStandIn;
let ntfy: PushStandIn;
let service: LiveService;
let flags: Layer;

beforeEach(async () => {
  tmux = await PrivateTmux.start();
  [apns, web, ntfy] = [await ApnsServer.start(), new PushStandIn(), new PushStandIn()];
  const key = join(tmux.folder, "key.p8");
  // In the form in which openssl exports it from a store.
  await writeFile(key, `Bag Attributes\n    localKeyID: 01\n${signingKey().pem}`);
  flags = {
    "server.token": OWNER,
    "server.read_token": READ,
    poll_interval: 0.2,
    "push.push_key_path": key,
    "push.push_key_id": "KEY",
    "push.push_team_id": "TEAM",
    "push.push_topic": "com.example.app",
    "push.apns_url": apns.url,
    "push.web_push_hosts": [new URL(web.origin).host],
    "push.contact": "mailto:who@example.org",
    "push.ntfy_url": `${ntfy.origin}/topic`,
    "push.dwell": 0,
  };
  service = await startLiveService({ tmux, flags });
});
afterEach(async () => {
  await service.stop();
  await Promise.all([apns.stop(), web.stop(), ntfy.stop(), tmux.stop()]);
});

const bearer = (token: string) => (token === "" ? {} : { authorization: `Bearer ${token}` });
const call = (method: string, path: string, body?: unknown, token = OWNER) =>
  service.call(method, path, body, { origin: service.url, ...bearer(token) });
const get = async (path: string) => (await call("GET", path)).body;

/** A pane with a program that asks, and goes on when it is answered. */
const openAskingPane = () =>
  tmux.open(["sh", "-c", "sleep 0.3; printf 'Overwrite? (y/n) '; read answer; clear; sleep 600"]);

test("a prompt alerts every kind of device, and its answer replaces the alert in the browser", async () => {
  const browser = new Subscriber();
  const registered = await call("POST", "/api/push/register", { token: TOKEN, name: "phone" });
  expect(registered.body).toEqual({
    ok: true,
    registered: true,
    new: true,
    configured: true,
    available: true,
    enabled: true,
    devices: 1,
  });
  const subscription = browser.subscription(`${web.origin}/up/secret`);
  const subscribed = await call("POST", "/api/push/web/register", {
    subscription,
    name: "Firefox",
  });
  const { id: webId } = WebRegisterReply.parse(subscribed.body);

  const pane = await openAskingPane();
  await until(
    () => (apns.received.length > 0 && web.received.length > 0 && ntfy.received.length > 0) || null,
  );
  expect(apns.received[0]?.body).toMatchObject({
    aps: { alert: { body: "A pane needs your input." }, badge: 1, category: "panewatch.confirm2" },
    panewatch: {
      id: pane,
      menu: [
        { i: 0, key: "y" },
        { i: 1, key: "n" },
      ],
    },
  });
  const readWeb = (index: number) => browser.read(web.received[index]?.body ?? Buffer.alloc(0));
  const navigate = `${service.url}/#/pane/${encodeURIComponent(pane)}/chat`;
  expect(readWeb(0)).toMatchObject({ notification: { navigate, app_badge: "1" } });
  expect(ntfy.received[0]?.body.toString()).toBe("A pane needs your input.");

  await call("POST", "/api/text", { id: pane, text: "y", enter: true });
  await until(() => web.received.length > 1);
  expect(readWeb(1)).toMatchObject({ notification: { body: "Answered.", app_badge: "0" } });
  expect(web.received[1]?.headers.get("topic")).toBe(web.received[0]?.headers.get("topic") ?? "");

  // What a push service answered is listed once it is saved.
  const listed = await until(async () => {
    const reply = DevicesReply.parse(await get("/api/push/devices"));
    return reply.devices.every(({ last }) => last !== null) && reply;
  });
  const log: unknown = await get("/api/push/log");
  const { devices } = listed;
  expect(devices.map(({ kind, last }) => [kind, last?.result])).toEqual([
    ["apns", "accepted"],
    ["web", "accepted"],
    ["ntfy", "accepted"],
  ]);
  expect(devices.find(({ id }) => id === webId)?.host).toBe(new URL(web.origin).host);
  const outcomes = AlertLogReply.parse(log).log.filter(({ pane: id }) => id === pane);
  // On a screen of plain text the echo of the answer is another prompt, in the cooldown.
  const results = outcomes.filter(({ why }) => why !== "cooldown").map(({ outcome }) => outcome);
  expect(results).toEqual(["sent", "sent", "sent"]);
  // No reply and no line of the log holds a token or an endpoint.
  const all = JSON.stringify([await get("/api/push/devices"), log, service.log]);
  for (const secret of [TOKEN, "/up/secret", subscription.keys.auth])
    expect(all).not.toContain(secret);
  // A native device wants no "Answered" by default, and a topic cannot replace an alert.
  expect([apns.received.length, ntfy.received.length]).toEqual([1, 1]);
});

test("a device is tested, changed and removed", async () => {
  await call("POST", "/api/push/register", { token: TOKEN, name: "phone" });
  const [device] = DevicesReply.parse(await get("/api/push/devices")).devices;
  const path = `/api/push/devices/${device?.id}`;
  apns.replies.push({ status: 403, reason: "InvalidProviderToken" });
  expect(TestReply.parse((await call("POST", `${path}/test`)).body)).toMatchObject({
    ok: false,
    result: "failed",
    detail: "403 InvalidProviderToken",
  });
  const tooSoon = await call("POST", `${path}/test`);
  expect(tooSoon.status).toBe(429);
  expect(Number(tooSoon.headers.get("retry-after"))).toBeWithin(1, 6);
  const quiet = { start: "22:00", end: "07:00", time_zone: "Europe/Berlin" };
  const preferences = { reasons: ["error"], quiet };
  const changed = await call("PATCH", path, { preferences });
  expect(PushDevice.parse(changed.body).preferences).toMatchObject({
    reasons: ["error"],
    quiet: { ...quiet, urgent: true },
    wait_minutes: 0,
  });
  for (const bad of [{ quiet: { ...quiet, time_zone: "Mars/Olympus" } }, { reasons: ["any"] }])
    expect((await call("PATCH", path, { preferences: bad })).status).toBe(422);
  await openAskingPane();
  await until(async () => {
    const { log } = AlertLogReply.parse(await get("/api/push/log"));
    return log.some((line) => line.device === device?.id && line.why === "reason_off") || null;
  });
  expect(apns.received).toHaveLength(1);
  expect((await call("DELETE", path)).body).toEqual({ ok: true, removed: true });
  expect((await call("PATCH", path, { preferences: {} })).status).toBe(404);
  expect((await call("DELETE", "/api/push/devices/ntfy")).status).toBe(409);
});

test("a bad token, subscription key or endpoint is refused", async () => {
  const register = (body: unknown) => call("POST", "/api/push/register", body);
  expect((await register({ token: "xyz", name: "phone" })).status).toBe(400);
  expect((await register({ name: "phone" })).status).toBe(422);
  const { keys } = new Subscriber().subscription("");
  const subscribe = async (endpoint: string, withKeys = keys) => {
    const subscription = { endpoint, keys: withKeys };
    return (await call("POST", "/api/push/web/register", { subscription, name: "" })).status;
  };
  expect(await subscribe("https://internal.example/hook")).toBe(400);
  expect(await subscribe("http://169.254.169.254/latest")).toBe(400);
  expect(await subscribe(`${web.origin}/up`, { ...keys, p256dh: "AAAA" })).toBe(400);
  expect((await call("POST", "/api/push/unregister", { token: TOKEN })).status).toBe(200);
});

test("a device with a visible page is not alerted until that page is gone", async () => {
  await call("POST", "/api/push/register", { token: TOKEN, name: "phone" });
  const [device] = DevicesReply.parse(await get("/api/push/devices")).devices;
  const socket = connect(Number(new URL(service.url).port), `/ws?mode=delta&token=${OWNER}`);
  await socket.take(1);
  socket.send(JSON.stringify({ type: "presence", visible: true, device: device?.id }));
  await openAskingPane();
  await until(() => ntfy.received[0] ?? null);
  const { log } = AlertLogReply.parse(await get("/api/push/log"));
  expect(log.find((line) => line.device === device?.id)?.why).toBe("present");
  expect(apns.received).toEqual([]);
  socket.close();
  await until(() => apns.received[0] ?? null);
});

test("/api/config announces the channels of push and the key for subscriptions", async () => {
  const { _info } = ConfigReply.parse(await get("/api/config"));
  expect(_info.push).toEqual({ configured: true, available: true, enabled: true, devices: 0 });
  const { web_push_v1 } = _info.capabilities;
  expect(web_push_v1).toMatchObject({ version: 1, web_push: true, ntfy: true, reasons: [] });
  expect(Buffer.from(web_push_v1?.public_key ?? "", "base64url")).toHaveLength(65);
});

test("Web Push without a configured contact is announced as off with the reason, and with its key", async () => {
  await service.stop();
  const { "push.contact": _contact, ...others } = flags;
  service = await startLiveService({ tmux, flags: others });
  const announced = async () =>
    ConfigReply.parse(await get("/api/config"))._info.capabilities.web_push_v1;
  expect(await announced()).toMatchObject({ web_push: false, ntfy: true });
  expect((await announced())?.reasons).toEqual([expect.stringContaining("push.contact")]);
  // The origin of a page over https is a contact, so the key for subscribing is there.
  expect((await announced())?.public_key).not.toBe("");
});

test("the key of Web Push is not written before it is asked for, and a failed write is a warning", async () => {
  await openAskingPane();
  await until(() => ntfy.received[0] ?? null);
  const path = join(service.stateDir, "panewatch-vapid.json");
  expect(await Bun.file(path).exists()).toBe(false);
  await mkdir(join(path, "in the way"), { recursive: true });
  const reasons = async () =>
    ConfigReply.parse(await get("/api/config"))._info.capabilities.web_push_v1?.reasons;
  await until(async () => (await reasons())?.[0]?.includes("cannot be saved"));
  expect(service.log.join("")).toContain("warn the key of Web Push cannot be saved");
});

test("a push key that cannot be used makes native push unavailable, with the reason", async () => {
  await service.stop();
  await writeFile(String(flags["push.push_key_path"]), "no key");
  service = await startLiveService({ tmux, flags });
  const registered = await call("POST", "/api/push/register", { token: TOKEN, name: "phone" });
  expect(registered.body).toMatchObject({
    configured: true,
    available: false,
    new: true,
  });
  const problem = "the file of push.push_key_path is no P-256 key in PKCS#8";
  expect(service.log.join("")).toContain(problem);
  const { _info } = ConfigReply.parse(await get("/api/config"));
  expect(_info.capabilities.web_push_v1?.reasons).toEqual([problem]);
});

async function letIn(name: string) {
  const link = PairingLink.parse((await call("POST", "/api/pair/codes", { name }, OWNER)).body);
  const code = new URL(link.url).hash.replace("#pair=", "");
  const { token } = PairReply.parse((await call("POST", "/api/pair", { code }, "")).body);
  const self = (await call("GET", "/api/grants/self", undefined, token)).body;
  return { token, id: GrantState.parse(self).id };
}

const browser = new Subscriber();
async function register(token: string, path: string, replaces?: string) {
  const subscription = browser.subscription(`${web.origin}${path}`);
  const body = { subscription, name: path, ...(replaces === undefined ? {} : { replaces }) };
  return WebRegisterReply.parse((await call("POST", "/api/push/web/register", body, token)).body);
}
/** Devices that are browsers, as listed for this token. */
const browsers = async (token = OWNER) =>
  DevicesReply.parse(
    (await call("GET", "/api/push/devices", undefined, token)).body,
  ).devices.filter(({ kind }) => kind === "web");
const sentTo = (path: string) => web.received.filter((one) => one.path === path);

test("a removed device gets no alerts, the others still do", async () => {
  const [stolen, mine] = [await letIn("Stolen"), await letIn("Mine")];
  await register(stolen.token, "/stolen");
  await register(mine.token, "/mine");
  await call("DELETE", `/api/grants/${stolen.id}`);
  await until(async () => (await browsers()).length === 1);
  await openAskingPane();
  await until(() => sentTo("/mine").length > 0);
  expect(sentTo("/stolen")).toEqual([]);
});

test("a newly paired device is announced to the devices with alerts", async () => {
  const mine = await letIn("Mine");
  await register(mine.token, "/mine");
  await letIn("Pixel 9");
  const [alert] = await until(() => (sentTo("/mine").length > 0 ? sentTo("/mine") : null));
  expect(browser.read(alert?.body ?? Buffer.alloc(0))).toMatchObject({
    notification: {
      body: "Pixel 9 was let in by the token.",
      navigate: expect.stringMatching(/#\/phone$/),
    },
  });
});

test("presence of a device counts only from the grant that registered it", async () => {
  const [mine, other] = [await letIn("Mine"), await letIn("Other")];
  const { id } = await register(mine.token, "/mine");
  const frame = JSON.stringify({ type: "presence", visible: true, device: id });
  const port = Number(new URL(service.url).port);
  for (const token of [other.token, READ, OWNER]) {
    const socket = connect(port, `/ws?mode=delta&token=${token}`);
    await socket.take(1);
    socket.send(frame);
  }
  await openAskingPane();
  await until(() => sentTo("/mine").length > 0);
});

test("a device is changed only by its own grant or an owner, and not replaced by another grant", async () => {
  const [mine, other] = [await letIn("Mine"), await letIn("Other")];
  const { id } = await register(mine.token, "/mine");
  const path = `/api/push/devices/${id}`;
  const preferences = { reasons: [] };
  for (const [method, where, body] of [
    ["PATCH", path, { preferences }],
    ["POST", `${path}/test`, {}],
    ["DELETE", path, undefined],
  ] as const)
    expect((await call(method, where, body, other.token)).status).toBe(403);
  const taken = await register(other.token, "/other", id);
  expect(taken.id).not.toBe(id);
  expect((await browsers(mine.token)).map((device) => [device.name, device.mine])).toEqual([
    ["/mine", true],
    ["/other", false],
  ]);
  expect((await call("PATCH", path, { preferences }, mine.token)).status).toBe(200);
  expect((await call("DELETE", path)).status).toBe(200);
});
