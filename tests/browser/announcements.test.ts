import { beforeEach, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { audit } from "../support/audit.ts";
import { becomes } from "../support/becomes.ts";
import { type PageOptions, PHONE, type Viewport } from "../support/browser.ts";
import { calm } from "../support/calm.ts";
import { watchCopied } from "../support/copied.ts";
import { openFixture } from "../support/fixture-page.ts";
import { fixturePanes, option } from "../support/fixture-panes.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { hostilePanes, LONG_NAME } from "../support/hostile-panes.ts";
import { setHidden } from "../support/hidden.ts";
import { PageLab } from "../support/page-lab.ts";
import { PageTime, patient } from "../support/page-time.ts";
import { rare as it } from "../support/thorough.ts";
import { until } from "../support/until.ts";
import { SIZES } from "./scene.ts";

const lab = PageLab.ofFile();
let server: FixtureServer;
let page: Page;

beforeEach(() => {
  server = lab.server();
});

async function open(
  viewport: Viewport,
  hash = "#/queue",
  options: PageOptions = {},
): Promise<void> {
  ({ page } = await openFixture(lab, { server, viewport, hash, page: options }));
}

/** What live regions say from now on: one that comes with its words is not read out. */
async function announcements(regions: string): Promise<() => Promise<string[]>> {
  await page.evaluate((selector) => {
    const spoken: string[] = [];
    Object.assign(window, { spoken });
    for (const region of document.querySelectorAll(selector))
      new MutationObserver(() => {
        if (region.textContent !== "") spoken.push(region.textContent);
      }).observe(region, { childList: true, characterData: true, subtree: true });
  }, regions);
  return () => page.evaluate(() => Reflect.get(window, "spoken") as string[]);
}

test("waiting panes are announced at most every five seconds, several at once", async () => {
  ({ page } = await lab.page(PHONE, { isTimed: true }));
  patient(server);
  const time = await PageTime.of(page);
  await page.goto(`${server.url}#/all`);
  // What announces them sets the title.
  await becomes(() => page.title(), "(3) panewatch");
  await time.stop();
  const spoken = await announcements('p[aria-live="polite"]');
  const wait = async (...ids: string[]) => {
    // All in one pass.
    server.isSilent = true;
    for (const { id, status } of server.panes)
      if (ids.includes(id)) server.change(id, { status: "needs_input", question: "Go on?" });
      else if (["%14", "%16", "%22"].includes(id) && status === "needs_input")
        server.change(id, { status: "working", question: null });
    server.isSilent = false;
    server.pass();
    await until(async () => {
      if ((await page.title()).startsWith(`(${3 + ids.length})`)) return true;
      await time.pass(20);
      return null;
    });
  };
  const fiveSeconds = () => time.pass(5100);
  await wait("%14");
  await wait("%14", "%16", "%22");
  expect(await spoken()).toEqual(["query-planner waits"]);
  await fiveSeconds();
  await becomes(spoken, ["query-planner waits", "2 more agents wait"]);
  await wait();
  await fiveSeconds();
  await wait("%16", "%22");
  await fiveSeconds();
  await becomes(async () => (await spoken()).slice(2), ["2 more agents wait"]);
  const loud = await page.locator("[aria-live=assertive]:not(:empty), [role=timer]").count();
  expect(loud).toBe(0);
});

it("a pane that closes under its open menu leaves a usable page", async () => {
  await open(PHONE, "#/pane/%2514");
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("dialog").waitFor();
  server.panes = server.panes.filter(({ id }) => id !== "%14");
  server.pass();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.waitForFunction(() => document.querySelector(".app[inert]") === null);
});

it("reduced motion stops all animation; forced colours keep status shapes and edges of answers", async () => {
  await open(PHONE, "#/queue", { forcedColors: "active" });
  await page.getByRole("option").first().waitFor();
  const edges = await page
    .locator("[role=option]")
    .evaluateAll((all) =>
      all.map((option) => Number.parseFloat(getComputedStyle(option).borderTopWidth)),
    );
  expect(Math.min(...edges)).toBeGreaterThanOrEqual(1);
  const shapes = await page.locator("svg.status *").evaluateAll((all) =>
    all.map((shape) => {
      const { fill, stroke } = getComputedStyle(shape);
      return [fill, stroke].some((paint) => paint !== "none" && !/, 0\)$/.test(paint));
    }),
  );
  expect(shapes.length).toBeGreaterThan(3);
  expect(shapes).not.toContain(false);
  await calm(page);
  expect(
    await page.evaluate(() => document.getAnimations().map(({ playState }) => playState)),
  ).not.toContain("running");
});

const MIRRORED = [
  ["phone", "#/queue"],
  ["phone", "#/all"],
  ["desktop", "#/pane/%2512"],
  ["tablet", "#/pane/%2512"],
] as const;

it.each(MIRRORED)("the whole layout mirrors: %s %s", async (size, hash) => {
  await open(SIZES[size], hash);
  await page.evaluate(() => {
    document.documentElement.dir = "rtl";
  });
  await calm(page);
  expect(await audit(page, "touch" in SIZES[size])).toEqual([]);
  const terminal = page.locator("[data-terminal] pre");
  if (hash.includes("pane"))
    expect(await terminal.evaluate((pre) => getComputedStyle(pre).direction)).toBe("ltr");
});

test("hostile text is drawn as text and changes no direction around it", async () => {
  server.panes = hostilePanes();
  await open(PHONE);
  const cards = page.locator("article");
  await page.getByRole("article", { name: LONG_NAME.slice(0, 50) }).waitFor();
  await calm(page);
  expect(await page.title()).not.toBe("run");
  expect(await cards.locator("img, b, script").count()).toBe(0);
  expect(await page.getByRole("option", { name: /<img src=x/ }).count()).toBe(1);
  // The override is drawn as a mark, in the command as well as in the option.
  const marks = await cards.first().locator(".hidden-mark").allTextContents();
  expect(marks).toEqual(["RLO", "RLO"]);
  const text = await cards.first().innerText();
  expect(text).not.toContain("\u202e");
  const styles = await cards
    .locator(".untrusted")
    .evaluateAll((all) => all.map((one) => getComputedStyle(one).unicodeBidi));
  expect(new Set(styles)).toEqual(new Set(["isolate"]));
  const long = page.getByRole("article", { name: LONG_NAME.slice(0, 50) });
  expect((await long.boundingBox())?.height ?? 9999).toBeLessThan(600);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
});

it("a copy is announced each time in a live region that was there before; s stars", async () => {
  await open(SIZES.desktop, "#/pane/%2514");
  const spoken = await announcements("[aria-live]");
  const copied = await watchCopied(page);
  await page.keyboard.press("y");
  await becomes(spoken, ["Copied"]);
  expect(await copied()).toBe(server.find("%14").lines.join("\n"));
  await page.keyboard.press("y");
  await becomes(spoken, ["Copied", "Copied"]);
  await page.keyboard.press("s");
  await becomes(() => server.actions.map(({ body }) => body["starred"]), [true]);
});

/** Counts the sounds of a page without the focus. */
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

test("each pane that begins to wait makes a sound and counts in the title, other output does not", async () => {
  ({ page } = await lab.page(PHONE));
  await page.addInitScript(listen, { sound: true });
  await page.goto(server.url);
  await page.getByText("Live", { exact: true }).waitFor();
  await becomes(() => page.title(), "(3) panewatch");
  expect(await sounds(page)).toBe(0);

  const ask = () =>
    server.change("%14", {
      ...{ status: "needs_input", question: "Drop it?", menu: [option("1", "Yes")] },
    });
  ask();
  await becomes(() => page.title(), "(4) panewatch");
  await becomes(() => sounds(page), 1);
  server.change("%14", { updated: Date.now() / 1000, lines: ["more"] });
  server.change("%14", { status: "working", question: null, menu: [] });
  await becomes(() => page.title(), "(3) panewatch");
  // Errors make a sound only where that is switched on.
  server.change("%35", { status: "error" });
  ask();
  await becomes(() => page.title(), "(4) panewatch");
  await becomes(() => sounds(page), 2);
});

it("a hidden page with sound stays connected, and reports errors without an animation frame", async () => {
  server = lab.server(fixturePanes(), 15);
  ({ page } = await lab.page(PHONE, { isTimed: true }));
  await page.addInitScript(listen, { sound: true, notifyErrors: true });
  const time = await PageTime.of(page);
  await page.goto(server.url);
  await page.getByText("Live", { exact: true }).waitFor();
  // Until it has told of the first panes, later ones are no news to it.
  await becomes(() => page.title(), "(3) panewatch");
  // The browser stops frames before it says that the page is hidden.
  await page.evaluate(() => {
    globalThis.requestAnimationFrame = () => 0;
  });
  await setHidden(page, true);
  // A hidden page without a sound would have closed its socket by then.
  await page.clock.fastForward(31_000);
  server.change("%14", { status: "error", question: null, menu: [] });
  await becomes(async () => {
    await time.pass(100);
    return sounds(page);
  }, 1);
});

it("a pushed notification is closed when its pane no longer waits", async () => {
  ({ page } = await lab.page(PHONE));
  await page.addInitScript(() => {
    const closed: unknown[] = [];
    const open = ["%12", "%14", null];
    const notifications = open.map((paneId) => ({
      data: { paneId },
      close: () => void closed.push(paneId),
    }));
    const registration = { getNotifications: async () => notifications };
    Object.assign(globalThis, { closedPanes: closed });
    ServiceWorkerContainer.prototype.getRegistration = async () =>
      registration as unknown as ServiceWorkerRegistration;
  });
  await page.goto(server.url);
  await page.getByText("Live", { exact: true }).waitFor();
  const closed = () => page.evaluate(() => Reflect.get(globalThis, "closedPanes") as unknown[]);
  await becomes(closed, ["%14"]);
});
