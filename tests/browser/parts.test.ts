import { expect, test } from "bun:test";
import { cp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import { PHONE } from "../support/browser.ts";
import { calm, clickCalmly, taps } from "../support/calm.ts";
import { DESK, openFixture } from "../support/fixture-page.ts";
import { fixturePanes, option } from "../support/fixture-panes.ts";
import { onThreeMachines } from "../support/fixture-hosts.ts";
import { parkFleet } from "../support/fixture-parked.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { usageReply } from "../support/fixture-usage.ts";
import { PageLab } from "../support/page-lab.ts";
import { PageTime, patient } from "../support/page-time.ts";
import { rare as it, sampled } from "../support/thorough.ts";
import { tellsInPassing } from "../support/told.ts";
import { until } from "../support/until.ts";

const lab = PageLab.ofFile();
let server: FixtureServer;
let page: Page;

async function open(options: Parameters<typeof openFixture>[1] = {}): Promise<void> {
  ({ page, server } = await openFixture(lab, options));
}
const sheet = (name: string) => page.getByRole("dialog", { name });

/** Keeps what is asked of these addresses from arriving until it is called. */
async function held(page: Page, addresses: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(addresses, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

/** Paths of the scripts and styles that the document itself names. */
async function firstPaths(): Promise<readonly string[]> {
  const page = await Bun.file(join(lab.folder, "index.html")).text();
  return [...page.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, path = ""]) => path);
}

test("less than 50 KB are loaded before something can be answered", async () => {
  const paths = await firstPaths();
  // One stylesheet, and one script without imports.
  expect(paths).toHaveLength(2);
  const sizes = ["/index.html", ...paths].map((path) => Bun.file(`${lab.folder}${path}.br`).size);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(50_000);
});

it("the icons are loaded again where that failed", async () => {
  const { page } = await lab.page(PHONE);
  let asked = 0;
  const isSeen = Promise.withResolvers<void>();
  await page.route("**/icons-*.svg", async (route) => {
    asked += 1;
    if (asked === 1) return route.abort();
    await isSeen.promise;
    await route.continue();
  });
  await page.goto(`${lab.server(fixturePanes()).url}#/queue`);
  const hasShapes = () =>
    page.evaluate(() => {
      const uses = [...document.querySelectorAll("use")];
      const shapeOf = (use: Element) => document.querySelector(`symbol${use.getAttribute("href")}`);
      return uses.length > 0 && uses.every((use) => shapeOf(use) !== null);
    });
  await page.locator("article use").first().waitFor({ state: "attached" });
  expect(await hasShapes()).toBe(false);
  isSeen.resolve();
  await becomes(hasShapes, true);
  expect(asked).toBe(2);
});

test("a key pressed before the commands are loaded waits for them, but not for two seconds", async () => {
  ({ page } = await lab.page(PHONE, { isTimed: true }));
  const own = lab.server();
  patient(own);
  const time = await PageTime.of(page);
  const first = await firstPaths();
  let held = Promise.withResolvers<void>();
  await page.route(/part-[^/]*\.js$/, async (route) => {
    if (!first.includes(new URL(route.request().url()).pathname)) await held.promise;
    await route.continue();
  });
  for (const [waitMs, opened] of [
    [0, 1],
    [2000, 0],
  ] as const) {
    held = Promise.withResolvers();
    await page.goto(`${own.url}?${waitMs}#/queue`);
    await page.getByText("Live", { exact: true }).first().waitFor();
    await time.stop();
    await page.keyboard.press("?");
    await page.clock.runFor(waitMs);
    expect(await page.getByRole("dialog").count()).toBe(0);
    held.resolve();
    // The help that the key opens names it as well.
    await time.shows(page.getByText("Collect answers").first());
    if (opened === 1) await time.shows(sheet("Keyboard"));
    else expect(await page.getByRole("dialog").count()).toBe(0);
    await time.goOn();
  }
});

test("later scripts and styles are loaded after the first panes, and answers do not move then, also on a phone on its side", async () => {
  const first = new Set(await firstPaths());
  const description = "Pages shift while rows are inserted, and a total count costs. ".repeat(6);
  const menu = [option("1", "Offset", { description }), option("2", "No")];
  const own = lab.server();
  own.change("%21", { menu });
  const { page } = await lab.page(PHONE);
  const later: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/\.(js|css)$/.test(pathname) && !first.has(pathname)) later.push(pathname);
  });
  for (const size of sampled([PHONE, { width: 812, height: 375 }], 2)) {
    later.length = 0;
    await page.setViewportSize(size);
    const releaseConfig = await held(page, "**/api/config");
    const releaseStyles = await held(page, "**/later-*.css");
    const isAsked = page.waitForRequest("**/api/config");
    await page.goto(`${own.url}?${size.width}#/queue`);
    await isAsked;
    await page.locator("main.scroll").waitFor();
    expect(later).toEqual([]);
    releaseConfig();
    const answer = page.locator('[data-options="%21"]').getByRole("option").last();
    const place = () => answer.evaluate((e) => e.getBoundingClientRect().top);
    await answer.waitFor();
    await until(() => later.some((path) => path.endsWith(".css")));
    const before = await place();
    const put = page.getByRole("button", { name: "Later" });
    expect(await put.count()).toBe(0);
    releaseStyles();
    await put.first().waitFor();
    await calm(page);
    expect(await place()).toBe(before);
    await page.unrouteAll();
  }
});

const PAGES = [
  ["a record above the dock", PHONE, "", "#/record", "[aria-label=Record]", [0]],
  ["a pane on a phone", PHONE, "", "#/pane/%2512", "[data-terminal]", []],
  ["a sign-in", PHONE, "a-token-of-this-test", "", "form", []],
  ["a desk", DESK, "", "#/pane/%2512", "[data-terminal]", []],
] as const;

test.each(sampled(PAGES, 2))(
  "the page of %s says so while its code is on its way",
  async (_, viewport, token, hash, shown, docks) => {
    const { page } = await lab.page(viewport);
    const release = await held(page, "**/later-*.css");
    const own = lab.server();
    own.token = token;
    await page.goto(`${own.url}${hash}`);
    const loading = page.getByRole("status", { name: "Loading" });
    await loading.waitFor();
    const belowDocks = () =>
      page
        .getByRole("navigation", { name: "Main" })
        .evaluateAll((all) => all.map((one) => innerHeight - one.getBoundingClientRect().bottom));
    // Until the server has refused it, a page without a token waits for its queue.
    await becomes(belowDocks, [...docks]);
    release();
    await page.locator(shown).waitFor();
    // What a page shows may be on its way longer than its code.
    await becomes(() => loading.count(), 0);
  },
);

it("styles that fail to load are loaded by Retry, or by themselves", async () => {
  await open({ server: lab.serverOf(lab.folder) });
  let isAway = true;
  // Each try has an address of its own.
  await page.route(/later-[^/]*\.css/, (route) => (isAway ? route.abort() : route.continue()));
  await page.reload();
  await page.getByRole("option").first().waitFor();
  // Each card that is drawn tries again.
  await calm(page);
  await page.getByRole("button", { name: "Settings" }).tap();
  await sheet("This part could not be shown").waitFor();
  isAway = false;
  await page.getByRole("button", { name: "Retry" }).tap();
  await sheet("Settings").waitFor();
  // The columns of a desk are such a part as a whole.
  await page.setViewportSize(DESK);
  isAway = true;
  await page.reload();
  await page.getByRole("option").first().waitFor();
  await page.getByRole("button", { name: "Retry" }).first().waitFor();
  isAway = false;
  // Another connection is a reason to try again, also for what has failed there.
  server.hasSockets = false;
  server.closeSockets();
  await page.locator(".navigator").waitFor();
});

/** A build without its later script. */
async function bareFolder(): Promise<string> {
  const bare = join(lab.scratch, "bare");
  await cp(lab.folder, bare, { recursive: true });
  const html = await Bun.file(join(bare, "index.html")).text();
  for (const name of await readdir(bare))
    if (name.startsWith("part-") && !html.includes(name.replace(/\.(br|gz)$/, "")))
      await rm(join(bare, name));
  return bare;
}

const WIDTHS = [
  ["a phone", PHONE],
  ["a phone on its side", { ...PHONE, width: 860, height: 400 }],
  ["a desk", DESK],
] as const;

test.each(sampled(WIDTHS, 3))(
  "without the later script every question on %s can be answered, one that comes after it has failed is drawn, and Retry loads it",
  async (_, viewport) => {
    await open({
      server: lab.serverOf(await bareFolder()),
      viewport,
      prepare(server) {
        onThreeMachines(server, null);
        parkFleet(server);
        server.change("%12", { evidence: Array.from({ length: 40 }, (_, n) => `line ${n}`) });
        // An agent that asks, parked and finished ones: all that a card can hold is there.
        server.switchWorkspace(true);
      },
    });
    const { panes } = server;
    const asking = panes.filter(({ status }) => status === "needs_input");
    expect(asking.length).toBeGreaterThan(2);
    for (const { id } of asking) {
      const answer = page.locator(`[data-options="${id}"]`).getByRole("option").first();
      await answer.scrollIntoViewIfNeeded();
      await calm(page);
      await answer.click();
      await becomes(() => server.sent.some((sent) => sent.id === id), true);
      // What it shows in place of the options moves the next card.
      const card = page.locator(`article[data-pane="${id}"]`);
      await card.getByText(/, (sent|confirmed)|Not confirmed yet/).waitFor();
    }
    if (viewport === PHONE) {
      const missing = page.locator("#content").getByText("This part could not be shown");
      // In the place of the agents that wait for a limit stands that they are missing.
      await becomes(() => missing.count(), 1);
      // So it does in the place of an empty queue, until something asks.
      server.switchWorkspace(false);
      server.panes = [];
      server.pass();
      await page.locator("#content section").first().waitFor({ state: "detached" });
      await missing.waitFor();
      server.panes = panes;
      server.edition += 1;
      server.pass();
      await page.locator('[data-options="%12"]').getByRole("option").first().waitFor();
      // Right after an answer a tap elsewhere does nothing.
      await page.getByRole("button", { name: "Settings" }).press("Enter");
      await sheet("This part could not be shown").waitFor();
    }
    server.serve(lab.folder);
    await clickCalmly(page.getByRole("button", { name: "Retry" }).first());
    await (viewport === PHONE ? sheet("Settings") : page.locator(".columns")).waitFor();
  },
);

test("a later script that hangs is loaded by another request, without a reload", async () => {
  const { page } = await lab.page(PHONE, { isTimed: true });
  const own = lab.server();
  patient(own);
  const time = await PageTime.of(page);
  const asked: string[] = [];
  await page.route(/part-[^/]*\.js/, async (route) => {
    asked.push(route.request().url());
    // The first one is never answered.
    if (asked.length > 1) await route.continue();
  });
  await page.goto(`${own.url}#/queue`);
  await page.getByText("Live", { exact: true }).first().waitFor();
  await becomes(() => asked.length, 1);
  await time.stop();
  // Less than 30 s since it was asked for, however long that took until here.
  const passedMs = await page.evaluate(() => performance.now());
  await page.clock.runFor(Math.max(0, 29_000 - passedMs));
  expect(asked).toHaveLength(1);
  // No further than to the second request, which would be given up in its turn.
  await until(async () => {
    if (asked.length > 1) return true;
    await page.clock.runFor(1000);
    return null;
  });
  await time.goOn();
  await page.getByText("Collect answers").waitFor();
  await page.getByRole("button", { name: "Later" }).first().waitFor();
});

it("a view that throws leaves the others working", async () => {
  await open({
    prepare: (server) => {
      server.config = { ...server.config, usage_enabled: true };
      server.replies["/api/usage"] = () => ({ ...usageReply(), quotas: null });
    },
  });
  await page.getByRole("link", { name: "Stats" }).tap();
  await page.getByRole("heading", { name: "This part could not be shown" }).waitFor();
  await page.getByRole("link", { name: "Queue" }).tap();
  await page.getByRole("option").first().waitFor();
});

test("a browser that blocks storage shows the queue, and says that nothing is kept", async () => {
  const { page } = await lab.page(PHONE);
  await page.addInitScript(() => {
    for (const name of ["localStorage", "sessionStorage"])
      Object.defineProperty(window, name, {
        get: () => {
          throw new DOMException("The operation is insecure.", "SecurityError");
        },
      });
  });
  const { url } = lab.server();
  await tellsInPassing(page, "This browser keeps nothing now", () => page.goto(url));
  await page.getByRole("option").first().waitFor();
});

it("a configuration of an unexpected shape does not stop the queue", async () => {
  await open({
    prepare: (server) => {
      const { _info } = server.config;
      const broken = { ..._info, labels: 7, allowed_keys: "all", capabilities: null };
      const config = { ...server.config, poll_interval: "fast", _info: broken };
      server.replies["/api/config"] = () => config;
    },
  });
  await page.getByRole("option").first().waitFor();
  await page.evaluate(() => (location.hash = `#/pane/${encodeURIComponent("%14")}`));
  await page.locator("[data-terminal]").waitFor();
});

test("a pairing link in an open tab signs in and leaves no code in the address; signing out leaves only the preferences", async () => {
  await open();
  server.replies["/api/pair"] = () => ({ token: "fresh" });
  server.token = "fresh";
  server.closeSockets(1008);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.evaluate(() => (location.hash = "#pair=abcd-1234"));
  await page.getByRole("button", { name: /^Open the queue/ }).tap();
  await page.getByText("Live", { exact: true }).first().waitFor();
  expect(await page.evaluate(() => localStorage.getItem("panewatch.token"))).toBe("fresh");
  expect(page.url()).not.toContain("abcd-1234");
  await page.goBack();
  expect(page.url()).not.toContain("abcd-1234");

  await page.evaluate(() => (location.hash = `#/pane/${encodeURIComponent("%14")}`));
  await page.locator("[data-composer]").fill("words for later");
  await page.waitForFunction(() => Object.values(localStorage).join().includes("words for later"));
  await page.evaluate(() => (location.hash = "#/queue"));
  await taps(page, "Settings", /^Sign out/);
  await page.getByRole("button", { name: "Sign out" }).first().tap();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  const kept = () =>
    page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)].sort());
  await becomes(async () => (await kept()).filter((key) => key !== "panewatch.preferences"), []);
});

const POISON = "poison that no view can draw";

const SIZES = [
  ["phone", PHONE, "article.card"],
  ["desk", DESK, ".rows .row-item"],
] as const;

test.each(sampled(SIZES, 2))(
  "on a %s a card that cannot be drawn is replaced alone, until it changes",
  async (_, size, place) => {
    const server = lab.server();
    const waiting = server.panes.filter(({ status }) => status === "needs_input").length;
    server.change("%12", { question: POISON });
    const { page } = await lab.page(size);
    await page.addInitScript((poison) => {
      const draw = Document.prototype.createTextNode;
      Document.prototype.createTextNode = function (text) {
        if (String(text).includes(poison)) throw new Error("this view has a fault");
        return draw.call(this, text);
      };
    }, POISON);
    await page.goto(`${server.url}#/queue`);
    const broken = page.locator(place).filter({ hasText: "This part could not be shown" }).first();
    await broken.getByText("session-rotation").waitFor();
    expect(await page.locator(place).count()).toBeGreaterThanOrEqual(waiting);
    // It links to its pane, and is drawn again when that changes.
    expect(await broken.getByRole("link").getAttribute("href")).toBe("#/pane/%2512");
    server.change("%12", { question: "Shall it go on?" });
    await page.getByText("Shall it go on?").first().waitFor();
    await becomes(() => broken.count(), 0);
  },
);
