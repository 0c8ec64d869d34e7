import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import { PHONE } from "../support/browser.ts";
import { fixturePanes, option } from "../support/fixture-panes.ts";
import { PageTime } from "../support/page-time.ts";
import { until } from "../support/until.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";

const lab = PageLab.ofFile();

/** Counts the sounds of a page that nobody looks at. */
function listen(preferences: Readonly<Record<string, unknown>>): void {
  Object.assign(globalThis, { sounds: 0 });
  OscillatorNode.prototype.start = () => {
    Reflect.set(globalThis, "sounds", Number(Reflect.get(globalThis, "sounds")) + 1);
  };
  OscillatorNode.prototype.stop = () => undefined;
  document.hasFocus = () => false;
  localStorage.setItem("panewatch.preferences", JSON.stringify(preferences));
}

const sounds = (page: Page) => page.evaluate(() => Reflect.get(globalThis, "sounds") as number);
const hide = (page: Page) =>
  page.evaluate(() => {
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });

test("a sound for each pane that begins to wait, and its number in the title; other output is no news", async () => {
  const server = lab.server();
  const { page } = await lab.page(PHONE);
  await page.addInitScript(listen, { sound: true });
  await page.goto(server.url);
  await page.getByText("Live", { exact: true }).waitFor();
  await becomes(() => page.title(), "(3) panewatch");
  expect(await sounds(page)).toBe(0);

  const asking = {
    status: "needs_input",
    question: "Drop it?",
    menu: [option("1", "Yes")],
  } as const;
  server.change("%14", { ...asking, menu: [...asking.menu] });
  await becomes(() => page.title(), "(4) panewatch");
  await becomes(() => sounds(page), 1);
  server.change("%14", { updated: Date.now() / 1000, lines: ["more"] });
  server.change("%14", { status: "working", question: null, menu: [] });
  await becomes(() => page.title(), "(3) panewatch");
  // An error is none that was asked for.
  server.change("%35", { status: "error" });
  server.change("%14", { ...asking, menu: [...asking.menu] });
  await becomes(() => page.title(), "(4) panewatch");
  await becomes(() => sounds(page), 2);
});

it("a hidden page with a sound listens on, tells of errors where that is wanted, and waits for no frame", async () => {
  const server = lab.server(fixturePanes(), 15);
  const { page } = await lab.page(PHONE);
  await page.addInitScript(listen, { sound: true, notifyErrors: true });
  const time = await PageTime.of(page);
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
  await becomes(async () => {
    await time.pass(20);
    return page.evaluate(() => Reflect.get(window, "framesAsked"));
  }, 1);
  await hide(page);
  // Long enough for a page that nobody waits for to have let go of the network.
  await page.clock.fastForward(31_000);
  server.change("%14", { status: "error", question: null, menu: [] });
  await becomes(async () => {
    await time.pass(100);
    return sounds(page);
  }, 1);
});

it("a notification that was pushed is closed when its pane no longer waits", async () => {
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
