import { beforeEach, expect, test } from "bun:test";
import { cp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { sealShell } from "../../build.ts";
import { becomes } from "../support/becomes.ts";
import { PHONE } from "../support/browser.ts";
import { tapCalmly, taps } from "../support/calm.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";
import { ofOtherProtocol } from "./terminal-scenes.ts";

const lab = PageLab.ofFile();
let server: FixtureServer;
let page: Page;

beforeEach(async () => {
  server = lab.server();
  ({ page } = await lab.page(PHONE, { serviceWorkers: "allow" }));
});

const live = () => page.getByText("Live", { exact: true }).waitFor();
const newVersion = () => page.getByText("A new version is ready");

/** Which of the two builds a page has loaded. */
const buildOf = (of: Page) => of.evaluate(() => document.documentElement.dataset.build ?? "first");

/** Loads the page as on a second visit: from the cache of the worker. */
async function install(): Promise<void> {
  await page.goto(server.url);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.reload();
  await live();
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
}

const cachedPaths = () =>
  page.evaluate(async () => {
    const caught: string[] = [];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) caught.push(new URL(request.url).pathname);
    }
    return caught.sort();
  });

let second: Promise<string> | null = null;
/**
 * The same client with a mark and other script names, built after the first. The title cannot be the
 * mark: it counts who waits.
 */
const secondBuild = () => (second ??= makeSecond(join(lab.scratch, "second")));

async function makeSecond(folder: string): Promise<string> {
  await cp(lab.folder, folder, { recursive: true });
  for (const name of await readdir(folder, { recursive: true }))
    if (/\.(br|gz)$|^sw\.js$/.test(name)) await rm(join(folder, name));
  const other = (text: string) =>
    text.replace(/\b(main|part)-(\w{8})\.js/g, (_, kind: string, hash: string) => {
      return `${kind}-${[...hash].toReversed().join("")}.js`;
    });
  for (const name of await readdir(folder)) {
    if (!/\.(js|html)$/.test(name)) continue;
    const text = await Bun.file(join(folder, name)).text();
    await rm(join(folder, name));
    await Bun.write(join(folder, other(name)), other(text));
  }
  const html = await Bun.file(join(folder, "index.html")).text();
  await Bun.write(join(folder, "index.html"), html.replace("<html ", `<html data-build="second" `));
  await sealShell(folder);
  return folder;
}

const isSecond = (of: Page) =>
  of.waitForFunction(() => document.documentElement.dataset.build === "second");

it("Chromium finds the page installable", async () => {
  // A profile on disk: nothing can be installed from a private window.
  const context = await lab.profile();
  const page = context.pages()[0] ?? (await context.newPage());
  await page.goto(server.url);
  await page.getByText("Live", { exact: true }).waitFor();
  const devtools = await page.context().newCDPSession(page);
  const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
  expect(installabilityErrors).toEqual([]);
  const { errors: faults } = await devtools.send("Page.getAppManifest");
  expect(faults).toEqual([]);
  const { appId } = await devtools.send("Page.getAppId");
  expect(appId).toBe(server.url);
});

test("the worker caches the shell alone: offline there are banner and drafts, and no old panes", async () => {
  await install();
  await page.getByRole("link", { name: "All" }).tap();
  await page.getByText("docs-site").waitFor();
  const paths = await cachedPaths();
  expect(paths).toContain("/");
  expect(paths).toContain("/manifest.webmanifest");
  expect(paths.filter((path) => path.startsWith("/api") || path.startsWith("/ws"))).toEqual([]);
  const shell =
    /^\/($|manifest\.webmanifest$|icons\/[\w.-]+$|(main|part|later|icons)-\w+\.(js|css|svg)$)/;
  expect(paths.filter((path) => !shell.test(path))).toEqual([]);

  await page.goto(`${server.url}#/pane/${encodeURIComponent("%14")}`);
  await page.locator("[data-composer]").fill("words for later");
  // Drafts are written 300 ms after the last key.
  await page.waitForFunction(() => Object.values(localStorage).join().includes("words for later"));
  await page.clock.install();
  server.isUnreachable = true;
  await page.context().setOffline(true);
  await page.goto(`${server.url}#/all`);
  await page.reload();
  await page.getByRole("heading", { name: "All" }).waitFor();
  await page.clock.runFor(12_000);
  await page.getByText("No connection to the server").waitFor();
  await page.getByText("words for later").waitFor();
  expect(await page.getByText("session-rotation").count()).toBe(0);
});

/** The page goes out of sight and comes back. */
const lookAgain = () =>
  page.evaluate(() => {
    for (const hidden of [true, false]) {
      Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
      document.dispatchEvent(new Event("visibilitychange"));
    }
  });

test("a new version waits for a tap; another tab keeps the whole earlier one until it reloads", async () => {
  await install();
  const other = await page.context().newPage();
  await other.goto(server.url);
  await other.getByText("Live", { exact: true }).waitFor();
  server.serve(await secondBuild());
  await lookAgain();
  await newVersion().waitFor();
  expect(await buildOf(page)).toBe("first");
  await page.getByRole("button", { name: "Reload" }).tap();
  await isSecond(page);
  await live();
  await becomes(() => newVersion().count(), 0);
  // It still loads its own parts; the message covers the header until it is closed.
  await other.getByText("A new version is ready").waitFor();
  await taps(other, "Close", "Settings");
  await other.getByRole("dialog", { name: "Settings" }).waitFor();
  expect(await buildOf(other)).toBe("first");
  await other.reload();
  await isSecond(other);
  // No page runs the earlier build any more: the next start deletes its cache.
  await other.close();
  await page.reload();
  await becomes(() => page.evaluate(async () => (await caches.keys()).length), 1);
});

test("an incompatible page reloads from the server, also while its worker hangs", async () => {
  await install();
  await page.addInitScript(() => {
    navigator.serviceWorker.register = () => new Promise(() => {});
  });
  server.serve(await secondBuild());
  ofOtherProtocol(server);
  await page.reload();
  await page.getByText("This page and the server do not fit").waitFor();
  await page.getByRole("button", { name: "Reload" }).tap();
  await isSecond(page);
});

it("the hint to install comes once, after the third answer", async () => {
  await page.goto(server.url);
  await live();
  await page.evaluate(() => {
    const event = Object.assign(new Event("beforeinstallprompt", { cancelable: true }), {
      prompt: async () => void (document.documentElement.dataset.asked = "yes"),
    });
    window.dispatchEvent(event);
  });
  const hint = page.getByText("panewatch can stand on your home screen");
  const waiting = server.panes.filter(({ status }) => status === "needs_input");
  for (const [i, pane] of waiting.entries()) {
    server.panes = [pane];
    server.pass();
    const card = page.locator(`article[data-pane="${pane.id}"]`);
    await card.getByRole("option").first().waitFor();
    await page.locator("article").nth(1).waitFor({ state: "detached" });
    await tapCalmly(card.getByRole("option").first());
    await card.getByText(/, (sent|confirmed)/).waitFor();
    await becomes(() => hint.count(), i < 2 ? 0 : 1);
  }
  await tapCalmly(page.getByRole("button", { name: "Install" }));
  await page.waitForFunction(() => document.documentElement.dataset.asked === "yes");
  await becomes(() => hint.count(), 0);
});

it("the shortcut New opens its sheet over All", async () => {
  await page.goto(`${server.url}#/new`);
  await live();
  await page.waitForFunction(() => location.hash === "#/all");
  const sheet = () => page.evaluate(() => Reflect.get(history.state ?? {}, "sheet"));
  await becomes(sheet, { name: "create", paneId: null });
});
