import { beforeEach, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import { PHONE } from "../support/browser.ts";
import { calm, taps } from "../support/calm.ts";
import { fixturePane, option } from "../support/fixture-panes.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { setHidden } from "../support/hidden.ts";
import { PageLab } from "../support/page-lab.ts";
import { PageTime, patient } from "../support/page-time.ts";
import { rare as it } from "../support/thorough.ts";
import { tellsInPassing } from "../support/told.ts";

const lab = PageLab.ofFile();
let server: FixtureServer;
let page: Page;

beforeEach(async () => {
  server = lab.server();
  ({ page } = await lab.page(PHONE));
});

async function open(hash: string): Promise<void> {
  await page.goto(`${server.url}${hash}`);
  await page.locator("article, [data-row], [data-terminal]").first().waitFor();
}

const touch = { bubbles: true, isPrimary: true, pointerId: 5, pointerType: "touch", button: 0 };

/** A finger goes down and moves right, in one task: on a busy machine a pause would be a long press. */
async function drag(target: Locator, ...distances: number[]): Promise<void> {
  const down = { ...touch, clientX: 150, clientY: 200 };
  const moves = distances.map((dx) => ({ ...touch, clientX: 150 + dx, clientY: 202 }));
  await target.evaluate(
    (element, { down, moves }) => {
      element.dispatchEvent(new PointerEvent("pointerdown", down));
      for (const move of moves) element.dispatchEvent(new PointerEvent("pointermove", move));
    },
    { down, moves },
  );
}

async function swipe(target: Locator, dx: number): Promise<void> {
  await drag(target, dx / 2, dx);
  await target.dispatchEvent("pointerup", { ...touch, clientX: 150 + dx, clientY: 202 });
}

it("a swipe stars a row, a refusal reverts it; a row follows the finger, a long press shows its last lines", async () => {
  await open("#/all");
  const row = page.locator('[data-row="%14"]');
  await swipe(row, 90);
  await row.getByText("Starred").waitFor({ state: "attached" });
  await becomes(
    () => server.actions.map(({ path, body }) => [path, body]),
    [["/api/star", { target: "api:14.1", starred: true }]],
  );
  server.refuse("/api/star", "disk full", 500);
  const other = page.locator('[data-row="%16"]');
  await tellsInPassing(page, "The star could not be saved.", () => swipe(other, 90));
  await other.getByText("Starred").waitFor({ state: "detached" });

  // The hint is visible only during a swipe.
  const item = page.locator(".peekable", { has: page.locator('[data-row="%24"]') });
  const third = item.locator('[data-row="%24"]');
  const hint = item.locator(".swipe-hint");
  await third.scrollIntoViewIfNeeded();
  const left = async () => (await third.boundingBox())?.x ?? Number.NaN;
  const atRest = await left();
  expect(await hint.isVisible()).toBe(false);
  await drag(third, 40);
  await hint.waitFor();
  expect(await left()).toBe(atRest + 40);
  await third.dispatchEvent("pointerup", { ...touch, clientX: 190, clientY: 202 });
  await hint.waitFor({ state: "hidden" });
  expect(await left()).toBe(atRest);
  expect(server.actions).toHaveLength(2);
  // A long press does not open the pane.
  await row.scrollIntoViewIfNeeded();
  await row.dispatchEvent("pointerdown", { ...touch, clientX: 150, clientY: 200 });
  await page.getByRole("group", { name: "Last lines of query-planner" }).waitFor();
  await row.dispatchEvent("pointerup", { ...touch, clientX: 150, clientY: 200 });
  await row.dispatchEvent("click");
  expect(page.url()).toContain("#/all");
  // No click follows a swipe: the next one is of a key.
  await swipe(row, -90);
  await row.press("Enter");
  await page.locator('[data-terminal="%14"]').waitFor();
});

it("a list scrolls in a page that does not, nor do its excerpts", async () => {
  await open("#/queue");
  await page.locator("article").last().waitFor();
  const tops = await page.evaluate(() => {
    const hidden = [...document.querySelectorAll("article .visually-hidden")];
    for (const element of [document.querySelector("article:last-of-type"), ...hidden])
      element?.scrollIntoView();
    return [document.querySelector(".app"), document.documentElement].map((e) => e?.scrollTop);
  });
  expect(tops).toEqual([0, 0]);
  // A finger on a few lines of evidence scrolls the page, not them.
  const scrolled = await page.locator(".excerpt pre").evaluateAll((all) =>
    all.map((pre) => {
      pre.scrollTop = 99;
      return pre.scrollTop;
    }),
  );
  expect(scrolled).toEqual([0, 0, 0]);
});

it("a rename is shown at once and reverted when it fails", async () => {
  await open("#/pane/%2514");
  const rename = async (name: string) => {
    await taps(page, "More", "Rename");
    // The field has the focus and its text is selected: what is typed is the name.
    const field = page.getByRole("textbox", { name: "Name" });
    await becomes(() => field.evaluate((element) => element === document.activeElement), true);
    await page.keyboard.type(name);
    await page.getByRole("button", { name: "Save" }).tap();
  };
  server.refuse("PATCH /api/config", "no", 500);
  await tellsInPassing(page, "The name could not be saved.", () => rename("planner"));
  await page.getByRole("heading", { name: "query-planner" }).waitFor();
  server.takes();
  await rename("planner");
  await page.waitForFunction(() => document.querySelector("[role=dialog]") === null);
  await becomes(
    () => server.config.overrides,
    [{ target: "api:14.1", name: "planner", kind: null, star: false }],
  );
});

test("the click of a tap that changes the page reaches nothing else", async () => {
  await open("#/queue");
  await calm(page);
  // As when a card shrinks and the next one moves under the finger.
  await page.evaluate(() => {
    const clicks: string[] = [];
    Object.assign(globalThis, { clicks });
    const cover = () => {
      const button = document.createElement("button");
      button.style.cssText = "position:fixed;inset:0;z-index:99";
      button.addEventListener("click", () => clicks.push("cover"));
      document.body.append(button);
    };
    document.addEventListener("pointerup", cover, { once: true });
  });
  const place = await page.locator('[data-pane="%12"] [role="option"]').last().boundingBox();
  const { x, y, width, height } = place ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.touchscreen.tap(x + width / 2, y + height / 2);
  await page.getByRole("textbox", { name: "Reply" }).waitFor();
  const clicks = () => page.evaluate(() => Reflect.get(globalThis, "clicks") as string[]);
  expect(await clicks()).toEqual([]);
  // A later tap, which cannot be the second of a double tap, is taken.
  await calm(page);
  await page.touchscreen.tap(x + width / 2, y + height / 2);
  await becomes(clicks, ["cover"]);
});

/** Real touches of the browser, as many fingers as points. */
async function hand(page: Page) {
  const session = await page.context().newCDPSession(page);
  return (type: "Start" | "Move" | "End", points: [number, number][]) =>
    session.send("Input.dispatchTouchEvent", {
      type: `touch${type}`,
      touchPoints: points.map(([x, y], id) => ({ x, y, id })),
    });
}

test("a hidden page closes its socket and reconnects when it is visible", async () => {
  let sockets = 0;
  page.on("websocket", () => sockets++);
  patient(server);
  const time = await PageTime.of(page);
  const live = page.locator(".connection", { hasText: "Live" });
  await page.goto(server.url);
  await live.waitFor();
  await time.stop();
  await setHidden(page, true);
  await time.pass(31_000, 1000);
  // A sleeping page opens no socket and sends no request.
  const counts = () => [sockets, server.requests.length] as const;
  const before = counts();
  await time.pass(30_000, 1000);
  expect(counts()).toEqual(before);
  await setHidden(page, false);
  await time.shows(live);
  expect(sockets).toBeGreaterThan(before[0]);
});

it("the button for new cards leads to one, which stands first once the queue is pulled down", async () => {
  await open("#/queue");
  await calm(page);
  const oldest = fixturePane({
    number: 60,
    session: "late",
    window: "late",
    name: "late-comer",
    status: "needs_input",
    ago: 7200,
    question: "Older than all others?",
    menu: [option("1", "Yes")],
  });
  server.panes = [...server.panes, oldest];
  server.pass();
  await page.getByRole("button", { name: "1 new" }).waitFor();
  const first = () => page.locator("article .name").first().innerText();
  expect(await first()).toBe("session-rotation");
  await page.getByRole("button", { name: "1 new" }).tap();
  const isInSight = async () =>
    ((await page.locator('article[data-pane="%60"]').boundingBox())?.y ?? 844) < 844;
  await becomes(isInSight, true);
  await page.locator("main.scroll").evaluate((area) => area.scrollTo(0, 0));
  await calm(page);
  const touch = await hand(page);
  await touch("Start", [[200, 150]]);
  for (const y of [170, 200, 230, 260]) await touch("Move", [[200, y]]);
  await page.getByText("Let go to order again").waitFor();
  await touch("End", []);
  await page.waitForFunction(
    () => document.querySelector("article .name")?.textContent === "late-comer",
  );
  expect(server.actions).toEqual([]);
});

it("a pinch on the terminal sizes its text within bounds, and the size is stored", async () => {
  await open("#/pane/%2514");
  await calm(page);
  const size = () =>
    page
      .locator("[data-terminal]")
      .evaluate((area) => getComputedStyle(area).getPropertyValue("--term-size"));
  const touch = await hand(page);
  const pinch = async (to: number) => {
    await touch("Start", [
      [150, 300],
      [250, 300],
    ]);
    for (const half of [(50 + to) / 2, to])
      await touch("Move", [
        [200 - half, 300],
        [200 + half, 300],
      ]);
    await touch("End", []);
  };
  expect(await size()).toBe("12px");
  await pinch(75);
  await becomes(size, "18px");
  await pinch(150);
  await becomes(size, "20px");
  await pinch(5);
  await becomes(size, "9px");
  await page.waitForFunction(() =>
    localStorage.getItem("panewatch.preferences")?.includes('"terminalSize":9'),
  );
});

it("an on-screen keyboard that covers the page leaves the composer above it", async () => {
  await open("#/pane/%2514");
  await calm(page);
  const cover = (pixels: number, scale: number) =>
    page.evaluate(
      ([covered, zoom]) => {
        const viewport = window.visualViewport;
        if (viewport === null) throw new Error("no visual viewport");
        const height = innerHeight - (covered ?? 0);
        Object.defineProperty(viewport, "height", { value: height, configurable: true });
        Object.defineProperty(viewport, "scale", { value: zoom, configurable: true });
        viewport.dispatchEvent(new Event("resize"));
      },
      [pixels, scale],
    );
  const bottom = async () => {
    const box = await page.locator("[data-composer]").boundingBox();
    return (box?.y ?? 0) + (box?.height ?? 0);
  };
  await cover(300, 1);
  await becomes(async () => (await bottom()) <= 844 - 300, true);
  // Zoomed in, the viewport is small without a keyboard.
  await cover(300, 2);
  await becomes(async () => (await bottom()) > 844 - 300, true);
});
