import { beforeEach, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import { launchChromium, PHONE } from "../support/browser.ts";
import { taps } from "../support/calm.ts";
import type { LiveService } from "../support/live-service.ts";
import { send } from "../support/live-workspace.ts";
import { PushedPage, standInSubscription } from "../support/push-page.ts";
import { PushStandIn } from "../support/push-stand-in.ts";
import { Subscriber } from "../support/subscriber.ts";
import type { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";
import { tellsInPassing } from "../support/told.ts";

const lab = PageLab.ofFile(launchChromium);
let tmux: PrivateTmux;
let pushService: PushStandIn;
let service: LiveService;
let browser: Subscriber;
let page: Page;

beforeEach(async () => {
  tmux = await lab.tmux();
  pushService = new PushStandIn();
  lab.closes(() => pushService.stop());
  browser = new Subscriber();
  service = await lab.service({
    tmux,
    flags: {
      "push.web_push_hosts": [new URL(pushService.origin).host],
      "push.contact": "mailto:who@example.org",
      "push.dwell": 0,
    },
  });
  const opened = await lab.page(PHONE, { serviceWorkers: "allow" });
  ({ page } = opened);
  await opened.context.grantPermissions(["notifications"], { origin: service.url });
  await standInSubscription(page, browser, `${pushService.origin}/up`);
});

const shown = () =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const all = await registration.getNotifications();
    return all.map(({ title, body, silent }) => `${title}: ${body}${silent ? " (silent)" : ""}`);
  });

/** The next message that the server sends to this browser, as the browser would decrypt it. */
async function next(index: number): Promise<unknown> {
  const posted = await until(() => pushService.received[index] ?? null);
  return browser.read(posted.body);
}

async function openSettings(): Promise<void> {
  await page.goto(service.url);
  await page.getByText("Live", { exact: true }).waitFor();
  await page.evaluate(() => navigator.serviceWorker.ready);
  await taps(page, "Settings", /^Phone and alerts/);
}

const registered = async () =>
  (await (await fetch(`${service.url}/api/push/devices`)).json()).devices;

async function switchOn(): Promise<void> {
  await openSettings();
  await page.getByRole("button", { name: "Switch on" }).click();
  await page.getByText("ready", { exact: true }).waitFor();
}

async function openMute(pane: string): Promise<void> {
  await page.goto(`${service.url}/#/pane/${encodeURIComponent(pane)}`);
  await page.reload();
  await taps(page, "More", /^Mute alerts/);
}

test("alerts are switched on, stay so and are tested; a request without a reply is told at its control; switched off, the server deletes the device", async () => {
  const pane = await tmux.open(["sleep", "600"]);
  const subscription = new Subscriber().subscription(`${pushService.origin}/other`);
  await send(service.url, "POST", "/api/push/web/register", { subscription, name: "Pixel 9" });
  await switchOn();
  // Plain HTTP on this machine is a secure context without encryption.
  await page.getByText("Secure page (this machine)").waitFor();
  expect(await page.getByText("Encrypted page").count()).toBe(0);
  await openWhileChecking();
  const pushed = await PushedPage.attach(page);
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText(/^Handed over/).waitFor();
  await pushed.deliver(await next(0));
  await page.getByText(/^Shown on this device/).waitFor();
  expect(await shown()).toEqual(["panewatch: Alerts reach this device."]);

  await page.route("**/api/push/devices/*", (route) =>
    route.request().method() === "GET" ? route.fallback() : route.abort(),
  );
  const remove = page.getByRole("button", { name: "Remove Pixel 9" });
  await remove.click();
  await page.getByText("Not removed: the server did not answer.").waitFor();
  expect(await page.getByText(/^Not switched on/).count()).toBe(0);
  const words = page.getByText("Not changed: the server did not answer.");
  await page.getByRole("switch", { name: "An agent has finished" }).click();
  await words.waitFor();
  await page.getByRole("button", { name: /^Quiet hours/ }).click();
  await page.getByRole("switch", { name: "Quiet hours" }).click();
  await words.waitFor();
  await openMute(pane);
  const choice = page.getByRole("radio", { name: "Until I change it" });
  await choice.waitFor();
  expect(await words.count()).toBe(0);
  await choice.click();
  await words.waitFor();
  await page.unroute("**/api/push/devices/*");
  await openSettings();
  await remove.click();
  await remove.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Switch off" }).click();
  await page.getByRole("button", { name: "Switch on" }).waitFor();
  expect(await registered()).toEqual([]);
});

/** The push service answers that it has no such subscription. */
async function loseSubscription(): Promise<void> {
  await switchOn();
  pushService.replies.push(() => new Response("", { status: 410 }));
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText("The push service has dropped the subscription").waitFor();
}
/** A toast stands for two seconds: it is found later too. */
function noteToasts(): void {
  const toasts: string[] = [];
  Object.assign(globalThis, { toasts });
  new MutationObserver(() => {
    for (const toast of document.querySelectorAll(".toast")) toasts.push(toast.textContent);
  }).observe(document, { childList: true, subtree: true });
}

test("a subscription that the push service dropped is renewed once the server answers; one removed from another device is not", async () => {
  await page.addInitScript(noteToasts);
  await loseSubscription();
  await page.route("**/api/push/web/register", (route) => route.abort());
  await page.goto("about:blank");
  await openSettings();
  await page.getByRole("button", { name: "Subscribe again" }).click();
  await page.getByText("Not switched on: the server did not answer.").waitFor();
  const toasts = await page.evaluate(() => Reflect.get(globalThis, "toasts") as string[]);
  expect(toasts.filter((words) => words.includes("renewed"))).toEqual([]);
  await page.unroute("**/api/push/web/register");
  await page.goto(`${service.url}/#/queue`);
  const reload = () => page.reload();
  await tellsInPassing(page, "Notifications were renewed.", reload);
  const [{ id, ...device }] = await registered();
  expect(device).toMatchObject({ kind: "web", gone: null });
  await fetch(`${service.url}/api/push/devices/${id}`, { method: "DELETE" });
  const words = "Notifications on this device were switched off from another one.";
  await tellsInPassing(page, words, reload);
  expect(await registered()).toEqual([]);
  expect(await page.evaluate(() => localStorage.getItem("panewatch.device"))).toBeNull();
});

/** The settings open while the page itself checks its subscription. */
async function openWhileChecking(): Promise<void> {
  await page.goto(`${service.url}/#/queue`);
  const isAsked = Promise.withResolvers<void>();
  let asked = 0;
  // The page's own request has no reply yet when the settings ask the same.
  await page.route("**/api/push/devices", async (route) => {
    asked += 1;
    if (asked > 1) return route.continue();
    isAsked.resolve();
  });
  await page.reload();
  await isAsked.promise;
  await taps(page, "Settings", /^Phone and alerts/);
  await page.getByText("ready", { exact: true }).waitFor();
  expect(await page.evaluate(() => localStorage.getItem("panewatch.device"))).not.toBeNull();
}

/** The worker says when: asked for before, a notification was now and then never listed. */
const timesShown = () => page.evaluate(() => Number(Reflect.get(window, "timesShown")));

function countShown(): void {
  let times = 0;
  Reflect.set(window, "timesShown", times);
  navigator.serviceWorker.addEventListener("message", ({ data }) => {
    if (typeof Object(data).shown === "string") Reflect.set(window, "timesShown", ++times);
  });
}

test("an alert is shown, and silently replaced once its pane was answered", async () => {
  await switchOn();
  const pushed = await PushedPage.attach(page);
  await page.addInitScript(countShown);
  // Only the worker runs: a page would close the notification itself.
  await page.goto(`${service.url}/manifest.webmanifest`);
  const pane = await tmux.open([
    "sh",
    "-c",
    "printf 'Overwrite? (y/n) '; read answer; clear; sleep 600",
  ]);
  const alert = await next(0);
  expect(alert).toMatchObject({
    notification: { body: "A pane needs your input.", app_badge: "1" },
  });
  await pushed.deliver(alert);
  await becomes(timesShown, 1);
  await becomes(shown, ["panewatch: A pane needs your input."]);
  const leads = await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    return (await registration.getNotifications()).map(({ data }) => data.hash);
  });
  expect(leads).toEqual([`#/pane/${encodeURIComponent(pane)}/chat`]);

  await tmux.command("send-keys", "-t", pane, "y", "Enter");
  const answered = await next(1);
  await pushed.deliver(answered);
  await becomes(timesShown, 2);
  await becomes(shown, ["panewatch: Answered. (silent)"]);
  // An alert that was dismissed is not replaced.
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    for (const notification of await registration.getNotifications()) notification.close();
  });
  await becomes(shown, []);
  await pushed.deliver(answered);
  expect(await shown()).toEqual([]);
});

it("preferences belong to the device, and a pane is muted from its menu", async () => {
  const pane = await tmux.open(["sh", "-c", "printf 'Overwrite? (y/n) '; read answer"]);
  await switchOn();
  const preferences = async () => (await registered())[0].preferences;
  await page.getByRole("switch", { name: "An agent has finished" }).click();
  await page.getByRole("radio", { name: "5 min", exact: true }).click();
  await page.getByRole("button", { name: /^Quiet hours/ }).click();
  await page.getByRole("switch", { name: "Quiet hours" }).click();
  await page.getByLabel("From", { exact: true }).fill("23:30");
  await becomes(async () => (await preferences()).quiet?.start, "23:30");
  expect(await preferences()).toMatchObject({
    reasons: expect.arrayContaining(["finished", "needs_input"]),
    wait_minutes: 5,
    quiet: { start: "23:30", end: "07:00", time_zone: "UTC", urgent: true },
  });

  await openMute(pane);
  await page.getByRole("radio", { name: "Until I change it" }).click();
  await becomes(async () => (await preferences()).muted.length, 1);
  expect((await preferences()).muted[0].until).toBeNull();

  // Each press starts the hour again, also of the chosen option.
  const hour = page.getByRole("radio", { name: "For one hour" });
  const until = async (): Promise<number> => (await preferences()).muted[0].until ?? 0;
  await hour.click();
  await becomes(async () => (await until()) > 0, true);
  const first = await until();
  await becomes(async () => {
    await hour.click();
    return (await until()) > first;
  }, true);

  // The radios are one tab stop, and the sheet keeps the focus.
  await hour.focus();
  const dialog = page.getByRole("dialog");
  for (let i = 0; i < 6; i++) {
    await page.keyboard.press("Tab");
    expect(await dialog.evaluate((box) => box.contains(document.activeElement))).toBe(true);
  }
});

it("a browser that refuses to subscribe gets a possible reason", async () => {
  await page.addInitScript(() => {
    PushManager.prototype.subscribe = async () => {
      throw new DOMException("Registration failed - permission denied", "NotAllowedError");
    };
  });
  await openSettings();
  await page.getByRole("button", { name: "Switch on" }).click();
  await page.getByText("A private window cannot be alerted").waitFor();
});
