import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { download } from "../src/cli/install/upgrade.ts";
import { requestDirectly } from "../src/lib/direct-request.ts";
import { createLog } from "../src/lib/log.ts";
import { sendToApp } from "../src/push/apns.ts";
import { sendToTopic } from "../src/push/channels.ts";
import type { BadgedMessage } from "../src/push/message.ts";
import { Http2Link, reach } from "../src/push/outgoing.ts";
import { ProviderToken, Vapid } from "../src/push/signing.ts";
import { sendWebPush } from "../src/push/web-push.ts";
import { ApnsServer } from "./support/apns-server.ts";
import { FakeClock } from "./support/clock.ts";
import { signingKey } from "./support/push-keys.ts";
import { PushStandIn } from "./support/push-stand-in.ts";
import { Subscriber } from "./support/subscriber.ts";
import { temporary } from "./support/temporary.ts";

const NAMES = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
const MESSAGE: BadgedMessage = { kind: "test", tag: "t", badge: 0 };
const clock = new FakeClock();
const saved = new Map(NAMES.map((name) => [name, process.env[name]]));
let proxy: PushStandIn;
let service: PushStandIn;
let apns: ApnsServer;
let folder: string;

beforeEach(async () => {
  folder = await temporary("outgoing");
  [proxy, service, apns] = [new PushStandIn(), new PushStandIn(), await ApnsServer.start()];
  for (const name of NAMES) process.env[name] = proxy.origin;
});
afterEach(async () => {
  for (const [name, value] of saved)
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  await Promise.all([proxy.stop(), service.stop(), apns.stop()]);
});

/** Every way of the service to connect to another one, each to an address of this machine. */
const WAYS: Readonly<Record<string, () => Promise<unknown>>> = {
  "an ntfy topic": () =>
    sendToTopic({ url: `${service.origin}/topic`, token: "tk_secret", pageOrigin: null }, MESSAGE),
  "a push service of browsers": async () => {
    const vapid = await Vapid.open(folder, { clock, log: createLog(() => {}) });
    const subscription = new Subscriber().subscription(`${service.origin}/up`);
    const web = { vapid, contact: () => "mailto:who@example.org" };
    const device = { subscription, origin: "", preferences: { details: "none" } } as const;
    const outcome = await sendWebPush(web, device, MESSAGE);
    await vapid.saved();
    return outcome;
  },
  "a relay of native alerts": async () => {
    const key = { key: signingKey().privateKey, keyId: "K", teamId: "T" };
    const token = new ProviderToken(key, clock);
    const link = new Http2Link(apns.url);
    const native = { link, topic: "app", token, instanceId: "", clock };
    const outcome = await sendToApp(native, { token: "ab" }, MESSAGE);
    link.close();
    return outcome;
  },
  "a release": () => download(service.origin, 1000).catch(() => undefined),
  "a look whether a push service is reached": () => reach(service.origin, { isHttp2: false }),
  "a model, another panewatch, this one": () =>
    requestDirectly(service.origin, { method: "POST", timeoutMs: 60_000, maxBytes: 1000 }),
};

test.each(Object.entries(WAYS))("a request to %s on this machine uses no proxy", async (_, ask) => {
  await ask();
  expect(service.received.length + apns.received.length).toBe(1);
  expect(proxy.received).toEqual([]);
});

test("alerts and the reach check of a push service elsewhere use the proxy", async () => {
  const url = "http://push.invalid";
  const outcome = await sendToTopic({ url: `${url}/topic`, token: "", pageOrigin: null }, MESSAGE);
  expect(outcome.is).toBe("accepted");
  expect(await reach(url, { isHttp2: false })).toMatchObject({ ok: true });
  expect(proxy.received.length).toBe(2);
});

test("only the listed files of src open connections", async () => {
  const connects =
    /await fetch\(|\b(connect|request)\b.* from "node:(http|https|http2|net|tls)"|Bun\.connect\(/;
  const root = join(import.meta.dir, "..");
  const files: string[] = [];
  for (const file of new Bun.Glob("src/**/*.ts").scanSync({ cwd: root }))
    if (connects.test(await Bun.file(join(root, file)).text())) files.push(file);
  expect(files.sort()).toEqual([
    "src/cli/install/upgrade.ts",
    "src/lib/direct-request.ts",
    "src/push/outgoing.ts",
    // The multiplexer's own socket, a file of this machine.
    "src/terminal/wsp/socket.ts",
  ]);
});
