import { expect, test } from "bun:test";
import { cp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { PHONE } from "../support/browser.ts";
import { fixturePanes } from "../support/fixture-panes.ts";
import { usageReply } from "../support/fixture-usage.ts";
import { openFixture, type FixturePage } from "../support/fixture-page.ts";
import { becomes } from "../support/becomes.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";

const lab = PageLab.ofFile();
let fixture: FixturePage;

const sheet = (name: string) => fixture.page.getByRole("dialog", { name });

/** Paths of what the page names: no part of it starts without them. */
async function firstPaths(): Promise<readonly string[]> {
  const page = await Bun.file(join(lab.folder, "index.html")).text();
  return [...page.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, path = ""]) => path);
}

test("until something can be answered less than 50 KB travel", async () => {
  const paths = await firstPaths();
  // A sheet, and a script that imports nothing.
  expect(paths).toHaveLength(2);
  const sizes = ["/index.html", ...paths].map((path) => Bun.file(`${lab.folder}${path}.br`).size);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(50_000);
});

test("the shapes of icons are brought into the page, again where that failed", async () => {
  const { page } = await lab.page(PHONE);
  let asked = 0;
  await page.route("**/icons-*.svg", async (route) => {
    asked += 1;
    await (asked === 1 ? route.abort() : route.continue());
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
  await becomes(hasShapes, true);
  expect(asked).toBe(2);
});

test("nothing that comes later is in the way of the first panes", async () => {
  const first = new Set(await firstPaths());
  const { page } = await lab.page(PHONE);
  const held = Promise.withResolvers<void>();
  await page.route("**/api/config", async (route) => {
    await held.promise;
    await route.continue();
  });
  const later: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/\.(js|css)$/.test(pathname) && !first.has(pathname)) later.push(pathname);
  });
  const isAsked = page.waitForRequest("**/api/config");
  await page.goto(`${lab.server(fixturePanes()).url}#/queue`);
  await isAsked;
  await page.locator("main.scroll").waitFor();
  expect(later).toEqual([]);
  held.resolve();
  await page.getByText("Collect answers").waitFor();
  expect(later).not.toEqual([]);
});

/** A page without what keys do, until the test lets it come. */
async function openWithoutKeys(): Promise<() => void> {
  fixture = await openFixture(lab);
  const { page } = fixture;
  const first = await firstPaths();
  const held = Promise.withResolvers<void>();
  await page.route(/part-[^/]*\.js$/, async (route) => {
    if (!first.includes(new URL(route.request().url()).pathname)) await held.promise;
    await route.continue();
  });
  await page.reload();
  await page.getByText("Live", { exact: true }).first().waitFor();
  return held.resolve;
}

it("a key that is pressed before the commands are there waits for them", async () => {
  const release = await openWithoutKeys();
  await fixture.page.keyboard.press("?");
  expect(await fixture.page.getByRole("dialog").count()).toBe(0);
  release();
  await sheet("Keyboard").waitFor();
});

test("a key of long ago does nothing any more once the commands are there", async () => {
  const release = await openWithoutKeys();
  const { page } = fixture;
  await page.keyboard.press("?");
  await page.waitForTimeout(2000);
  release();
  await page.getByText("Collect answers").waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  await page.keyboard.press("?");
  await sheet("Keyboard").waitFor();
});

test("looks that cannot be loaded are said to be missing, and Retry brings them", async () => {
  fixture = await openFixture(lab, { server: lab.serverOf(lab.folder) });
  const { page } = fixture;
  let asked = 0;
  await page.route("**/later-*.css", (route) => (asked++ === 0 ? route.abort() : route.continue()));
  await page.reload();
  await page.getByRole("button", { name: "Settings" }).tap();
  await sheet("This part could not be shown").waitFor();
  await page.getByRole("button", { name: "Retry" }).tap();
  await sheet("Settings").waitFor();
});

test("code that cannot be loaded is said to be missing, and the page loaded anew brings it", async () => {
  const bare = join(lab.scratch, "bare");
  await cp(lab.folder, bare, { recursive: true });
  const page = await Bun.file(join(bare, "index.html")).text();
  for (const name of await readdir(bare))
    if (name.startsWith("part-") && !page.includes(name.replace(/\.(br|gz)$/, "")))
      await rm(join(bare, name));
  fixture = await openFixture(lab, { server: lab.serverOf(bare) });
  await fixture.page.getByRole("button", { name: "Settings" }).tap();
  await sheet("This part could not be shown").waitFor();
  fixture.server.serve(lab.folder);
  // Chromium before 154 asks for a part that has failed in a new document alone.
  await fixture.page.getByRole("button", { name: "Reload the page" }).tap();
  await sheet("Settings").waitFor();
});

it("a screen that fails leaves the others as they are", async () => {
  fixture = await openFixture(lab, {
    prepare: (server) => {
      server.config = { ...server.config, usage_enabled: true };
      server.replies["/api/usage"] = () => ({ ...usageReply(), quotas: null });
    },
  });
  const { page } = fixture;
  await page.getByRole("link", { name: "Stats" }).tap();
  await page.getByRole("heading", { name: "This part could not be shown" }).waitFor();
  await page.getByRole("link", { name: "Queue" }).tap();
  await page.getByRole("option").first().waitFor();
});
