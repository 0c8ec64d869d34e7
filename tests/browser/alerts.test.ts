import { expect, test } from "bun:test";
import { becomes } from "../support/becomes.ts";
import { PHONE } from "../support/browser.ts";
import { fixturePanes, guard, option } from "../support/fixture-panes.ts";
import { PageTime } from "../support/page-time.ts";
import { until } from "../support/until.ts";
import { PageLab } from "../support/page-lab.ts";

const lab = PageLab.ofFile();
/** Stands in for the browser's notifications and keeps what they were told. */
function record(preferences: Readonly<Record<string, unknown>>): void {
  const told: string[] = [];
  class Recorded {
    static permission = "granted";
    onclick: (() => void) | null = null;
    readonly #tag: string;
    constructor(title: string, options: { body: string; tag: string }) {
      this.#tag = options.tag;
      told.push(`show ${options.tag} ${title}: ${options.body}`);
      Object.assign(globalThis, { lastNotification: this });
    }
    close(): void {
      told.push(`close ${this.#tag}`);
    }
  }
  Object.assign(globalThis, { Notification: Recorded, told });
  document.hasFocus = () => false;
  localStorage.setItem("panewatch.preferences", JSON.stringify(preferences));
}

test("one generic notification per pane that begins to wait, closed when it is answered", async () => {
  const server = lab.server();
  const { page } = await lab.page(PHONE);
  await page.addInitScript(record, { notify: true });
  await page.goto(server.url);
  await page.getByText("Live", { exact: true }).waitFor();
  const told = () => page.evaluate(() => Reflect.get(globalThis, "told") as string[]);
  await becomes(() => page.title(), "(3) panewatch");
  expect(await told()).toEqual([]);

  const secret = "Drop table customers?";
  const asking = { status: "needs_input", question: secret, menu: [option("1", "Yes")] } as const;
  server.change("%14", { ...asking, menu: [...asking.menu], legacy_guard: guard() });
  await page.waitForFunction(() => document.title.startsWith("(4)"));
  await becomes(told, ["show panewatch-%14 panewatch: An agent waits for you"]);

  // Another output of the same waiting pane is no news.
  server.change("%14", { updated: Date.now() / 1000, lines: ["more"] });
  server.change("%14", { status: "working", question: null, menu: [] });
  await page.waitForFunction(() => document.title.startsWith("(3)"));
  await becomes(told, [
    "show panewatch-%14 panewatch: An agent waits for you",
    "close panewatch-%14",
  ]);

  server.change("%14", { ...asking, menu: [...asking.menu], legacy_guard: guard() });
  await page.waitForFunction(() => document.title.startsWith("(4)"));
  await becomes(async () => (await told()).length, 3);
  await page.evaluate(() => {
    const notification: unknown = Reflect.get(globalThis, "lastNotification");
    (notification as { onclick: () => void }).onclick();
  });
  await page.waitForURL(/#\/pane\/%2514$/);
});

test("a hidden page with alerts listens on, and tells of errors where that is wanted", async () => {
  const server = lab.server(fixturePanes(), 15);
  const { page } = await lab.page(PHONE);
  await page.addInitScript(record, { notify: true, notifyErrors: true, notifyNames: true });
  const time = await PageTime.of(page);
  await page.goto(server.url);
  await page.getByText("Live", { exact: true }).waitFor();
  await page.evaluate(() => {
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  // Long enough for a page that nobody waits for to have let go of the network.
  await page.clock.fastForward(31_000);
  const told = () => page.evaluate(() => Reflect.get(globalThis, "told") as string[]);
  const isTold = (...words: string[]) =>
    becomes(async () => {
      await time.pass(100);
      return told();
    }, words);
  const failed = "show panewatch-%14 panewatch: query-planner has failed";
  server.change("%14", { status: "error", question: null, menu: [] });
  await isTold(failed);
  server.change("%14", { status: "idle" });
  const closed = "close panewatch-%14";
  await isTold(failed, closed);
  // Of another machine its name stands beside the pane's.
  server.change("%14", { status: "error", host: "gpu-1" });
  await isTold(failed, closed, failed.replace("planner", "planner on gpu-1"));
});

test("a frame that never comes does not keep a hidden page from telling", async () => {
  const server = lab.server(fixturePanes(), 15);
  const { page } = await lab.page(PHONE);
  await page.addInitScript(record, { notify: true, notifyErrors: true, notifyNames: true });
  await page.goto(server.url);
  await page.getByText("Live", { exact: true }).waitFor();
  // The browser stops frames before it says that the page is hidden.
  await page.evaluate(() => {
    Reflect.set(window, "framesAsked", 0);
    globalThis.requestAnimationFrame = () => {
      Reflect.set(window, "framesAsked", 1);
      return 0;
    };
  });
  server.change("%35", { title: "asked for a frame" });
  await page.waitForFunction(() => Reflect.get(window, "framesAsked") === 1, null, { polling: 20 });
  await page.evaluate(() => {
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  server.change("%14", { status: "error", question: null, menu: [] });
  await becomes(
    () => page.evaluate(() => Reflect.get(globalThis, "told") as string[]),
    ["show panewatch-%14 panewatch: query-planner has failed"],
  );
});

test("a notification that an earlier page has left is closed when its pane no longer waits", async () => {
  const server = lab.server();
  const { page } = await lab.page(PHONE);
  await page.addInitScript(() => {
    const open = ["panewatch-%12", "panewatch-%14"];
    const closed: string[] = [];
    const notifications = open.map((tag) => ({ tag, close: () => void closed.push(tag) }));
    const registration = { getNotifications: async () => notifications };
    Object.assign(globalThis, { closedTags: closed });
    ServiceWorkerContainer.prototype.getRegistration = async () =>
      registration as unknown as ServiceWorkerRegistration;
  });
  await page.goto(server.url);
  await page.getByText("Live", { exact: true }).waitFor();
  const closed = () => page.evaluate(() => Reflect.get(globalThis, "closedTags") as string[]);
  expect(await until(async () => ((await closed()).length > 0 ? closed() : null))).toEqual([
    "panewatch-%14",
  ]);
});
