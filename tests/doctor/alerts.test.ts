import { expect, test } from "bun:test";
import { createServer } from "node:net";
import type { Config } from "../../src/config/fields.ts";
import { resolve } from "../../src/config/resolve.ts";
import { examineAlerts, pushServiceCheck } from "../../src/doctor/alerts.ts";
import { reach } from "../../src/push/outgoing.ts";
import { ApnsServer } from "../support/apns-server.ts";
import { PushStandIn } from "../support/push-stand-in.ts";
import { temporary } from "../support/temporary.ts";

test("the alerts' checks name devices, topic, service and contact", async () => {
  const web = new PushStandIn();
  const layers = {
    yaml: { "push.ntfy_url": `${web.origin}/topic`, "push.contact": "mailto:who@example.org" },
    overlay: {},
    flags: {},
  };
  const stateDir = await temporary("doctor-alerts");
  const context = { flags: {}, configPath: null, refusal: null, warnings: [], layers, stateDir };
  const examine = async (config: Config) => Array.fromAsync(examineAlerts({ ...context, config }));
  const texts = (await examine(resolve(layers))).map(({ level, text }) => `${level}: ${text}`);
  expect(texts).toEqual([
    "ok: native alerts: not set up",
    "ok: push services may reach mailto:who@example.org",
    "ok: 0 native and 0 web devices, and a topic",
    `ok: ${new URL(web.origin).host} answers`,
  ]);
  await web.stop();
  const none = { ...resolve({ yaml: {}, overlay: {}, flags: {} }) };
  const warned = (await examine(none)).filter(({ level }) => level === "warn");
  expect(warned.map(({ text }) => text)).toEqual([
    "browsers are alerted only where their page came over https: no contact is set",
  ]);
});

test("an unreachable push service or a clock off by 301 s is a warning", () => {
  expect(
    pushServiceCheck("a.example", { ok: false, why: "no connection (ECONNREFUSED)" }),
  ).toMatchObject({
    level: "warn",
    text: "a.example is not reached: no connection (ECONNREFUSED)",
  });
  expect(pushServiceCheck("b.example", { ok: true, skewSeconds: -301.4 })).toMatchObject({
    level: "warn",
    text: "the clock is 301 s behind b.example: what it signs is refused",
  });
  expect(pushServiceCheck("c.example", { ok: true, skewSeconds: 3 }).level).toBe("ok");
});

test("reach connects in cleartext and over HTTP/2, gives the clock skew, and reports a refused connection", async () => {
  const web = new PushStandIn();
  const apns = await ApnsServer.start();
  const found = await reach(web.origin, { isHttp2: false });
  expect(found).toMatchObject({ ok: true });
  if (found.ok) expect(Math.abs(found.skewSeconds ?? 0)).toBeLessThan(30);
  expect(await reach(apns.url, { isHttp2: true })).toMatchObject({ ok: true });
  await Promise.all([web.stop(), apns.stop()]);
  const away = { ok: false, why: "no connection (ECONNREFUSED)" } as const;
  expect(await reach(apns.url, { isHttp2: true })).toEqual(away);
  expect(await reach(web.origin, { isHttp2: false })).toEqual(away);
});

test("reach ends in time for a server that never answers", async () => {
  const silent = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  silent.listen(0, "127.0.0.1", resolve);
  await promise;
  const address = silent.address();
  const port = typeof address === "object" && address ? address.port : 0;
  expect(await reach(`https://127.0.0.1:${port}`, { isHttp2: false })).toEqual({
    ok: false,
    why: "no answer in time",
  });
  silent.close();
});
