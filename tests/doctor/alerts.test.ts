import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { alertChecks, type AlertFindings } from "../../src/doctor/alerts.ts";
import { reach } from "../../src/push/outgoing.ts";
import { ApnsServer } from "../support/apns-server.ts";
import { OwnAuthority } from "../support/push-keys.ts";
import { PushStandIn } from "../support/push-stand-in.ts";

const FACTS: AlertFindings = {
  native: { isConfigured: true, problem: "" },
  contact: "mailto:who@example.org",
  devices: { native: 1, web: 2, hasTopic: true },
  topicWarning: "",
  services: [{ host: "push.example", reach: { ok: true, skewSeconds: 3 } }],
};
const texts = (facts: Partial<AlertFindings>) =>
  alertChecks({ ...FACTS, ...facts }).map(({ level, text }) => `${level}: ${text}`);

test("all is well", () => {
  expect(texts({})).toEqual([
    "ok: native alerts can be signed",
    "ok: push services may reach mailto:who@example.org",
    "ok: 1 native and 2 web devices, and a topic",
    "ok: push.example answers",
  ]);
});

test("what keeps alerts from arriving is told with its remedy, and fails nothing else", () => {
  const checks = alertChecks({
    native: { isConfigured: true, problem: "the file of push.push_key_path cannot be read" },
    contact: null,
    devices: { native: 0, web: 0, hasTopic: true },
    topicWarning: "push.ntfy_url is http",
    services: [
      { host: "a.example", reach: { ok: false, why: "connection refused" } },
      { host: "b.example", reach: { ok: true, skewSeconds: -301.4 } },
    ],
  });
  expect(checks.filter(({ level }) => level === "fail")).toEqual([]);
  const warnings = checks.filter(({ level }) => level === "warn");
  expect(warnings.map(({ text }) => text)).toEqual([
    "the file of push.push_key_path cannot be read",
    "browsers are alerted only where their page came over https: no contact is set",
    "push.ntfy_url is http",
    "a.example is not reached: connection refused",
    "the clock is 301 s behind b.example: what it signs is refused",
  ]);
  expect(warnings.every(({ remedy }) => remedy !== undefined && remedy !== "")).toBe(true);
});

test("a service is reached in cleartext and over HTTP/2, and its time is read where it tells it", async () => {
  const web = new PushStandIn();
  const apns = await ApnsServer.start();
  const found = await reach(web.origin);
  expect(found).toMatchObject({ ok: true });
  if (found.ok) expect(Math.abs(found.skewSeconds ?? 0)).toBeLessThan(30);
  expect(await reach(apns.url)).toMatchObject({ ok: true });
  await Promise.all([web.stop(), apns.stop()]);
});

test("a service that is away, and one whose certificate does not verify", async () => {
  const authority = await OwnAuthority.open();
  const apns = await ApnsServer.start(authority);
  expect(await reach(apns.url)).toEqual({
    ok: false,
    why: "its certificate cannot be verified",
  });
  const { url } = apns;
  await apns.stop();
  expect(await reach(url)).toEqual({ ok: false, why: "connection refused" });
  await authority.close();
});

test("one that accepts and says nothing is waited for no longer than the bound", async () => {
  const silent = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  silent.listen(0, "127.0.0.1", resolve);
  await promise;
  const address = silent.address();
  const port = typeof address === "object" && address ? address.port : 0;
  expect(await reach(`https://127.0.0.1:${port}`)).toEqual({ ok: false, why: "no answer in time" });
  silent.close();
});
