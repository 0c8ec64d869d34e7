import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import type { Page } from "playwright-core";
import { BrowserLab } from "../support/browser.ts";
import { fixturePane } from "../support/fixture-panes.ts";
import { FixtureServer } from "../support/fixture-server.ts";

setDefaultTimeout(60_000);

const ID = "%70";
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `line ${from + i}`);

let lab: BrowserLab;
let server: FixtureServer;
let page: Page;
let errors: string[];
let close: () => Promise<void>;

beforeAll(async () => {
  lab = await BrowserLab.open();
});
afterAll(() => lab.close());
beforeEach(async () => {
  server = new FixtureServer(lab.folder);
  server.panes = [
    fixturePane({
      number: 70,
      session: "api",
      window: "log",
      name: "log",
      status: "working",
      ago: 60,
      lines: numbered(0, 200),
    }),
  ];
  const opened = await lab.page({ width: 1024, height: 768 });
  ({ page, errors } = opened);
  close = () => opened.context.close();
  await page.goto(`${server.url}#/pane/${encodeURIComponent(ID)}`);
  await line("line 199").waitFor();
});
afterEach(async () => {
  await close();
  await server.stop();
  expect(errors).toEqual([]);
});

const line = (text: string) => page.locator("[data-terminal]").getByText(text, { exact: true });
const rows = () => page.locator("[data-terminal] pre > .line");
const toEnd = () =>
  page.locator("[data-terminal]").evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight);

test("scrolled output touches only the rows that went and came", async () => {
  await page.evaluate(() => {
    const changes: number[] = [];
    Object.assign(window, { changes });
    const pre = document.querySelector("[data-terminal] pre");
    if (pre === null) throw new Error("no terminal");
    new MutationObserver((records) => {
      for (const { addedNodes, removedNodes } of records)
        changes.push(addedNodes.length, -removedNodes.length);
    }).observe(pre, { childList: true, subtree: true, characterData: true });
  });
  server.change(ID, { lines: numbered(3, 203), updated: Date.now() / 1000 });
  await line("line 202").waitFor();
  const changes = await page.evaluate(() => Reflect.get(window, "changes") as number[]);
  const added = changes.filter((n) => n > 0).reduce((a, b) => a + b, 0);
  const removed = changes.filter((n) => n < 0).reduce((a, b) => a + b, 0);
  expect([added, removed]).toEqual([3, -3]);
  expect(await rows().count()).toBe(200);
});

test("follows the tail until the reader scrolls up, then counts what comes", async () => {
  expect(await toEnd()).toBeLessThan(2);
  server.change(ID, { lines: numbered(0, 220), updated: Date.now() / 1000 });
  await line("line 219").waitFor();
  expect(await toEnd()).toBeLessThan(2);

  await page.locator("[data-terminal]").evaluate((e) => e.scrollBy(0, -600));
  await page.getByRole("button", { name: "To the end" }).waitFor();
  const before = await page.locator("[data-terminal]").evaluate((e) => e.scrollTop);
  server.change(ID, { lines: numbered(0, 234), updated: Date.now() / 1000 });
  await page.getByRole("button", { name: "14 new lines" }).waitFor();
  expect(await page.locator("[data-terminal]").evaluate((e) => e.scrollTop)).toBe(before);
  await page.getByRole("button", { name: "14 new lines" }).click();
  expect(await toEnd()).toBeLessThan(2);
});

test("while text is selected nothing moves; afterwards the newest is shown", async () => {
  await line("line 190").selectText();
  await page.getByText("Paused while you select").waitFor();
  server.change(ID, { lines: numbered(0, 201), updated: Date.now() / 1000 });
  await page.waitForTimeout(400);
  expect(await rows().count()).toBe(200);
  await page.evaluate(() => getSelection()?.removeAllRanges());
  await line("line 200").waitFor();
});

test("find marks matches without touching the text, newest first", async () => {
  await page.getByRole("button", { name: "Find in output" }).click();
  await page.getByRole("searchbox", { name: "Find in output" }).fill("line 19");
  await page.getByText("1 of 11").waitFor();
  const marked = await page.evaluate(() => {
    const [range] = CSS.highlights.get("find-current") ?? [];
    return [CSS.highlights.get("find")?.size, range instanceof Range ? range.toString() : null];
  });
  expect(marked).toEqual([11, "line 19"]);
  expect(await page.locator("[data-terminal] mark").count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => CSS.highlights.get("find")?.size === 0);
});

test("colours come as classes under a strict policy, markup of the terminal stays text", async () => {
  const hostile = '<img src=x onerror="document.title=1"> red';
  server.styles = new Map([
    [ID, [[{ start: hostile.length - 3, length: 3, style: "b f#ff0000" }]]],
  ]);
  server.change(ID, { lines: [hostile], updated: Date.now() / 1000 });
  const run = page.locator("[data-terminal] .line span");
  await run.waitFor();
  expect(await run.evaluate((e) => getComputedStyle(e).fontWeight)).toBe("600");
  expect(await page.locator("[data-terminal] .line").innerText()).toBe(hostile);
  expect(await page.locator("[data-terminal] img").count()).toBe(0);
  expect(await page.locator("[style]").evaluateAll((all) => all.map((e) => e.tagName))).toEqual(
    // Set through the style object, as the policy allows: the size of the text and of its field.
    expect.not.arrayContaining(["SPAN", "PRE"]),
  );

  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("switch", { name: "Terminal colours" }).click();
  await run.waitFor({ state: "detached" });
});

test("size and wrapping change without losing the end", async () => {
  await page.keyboard.press("+");
  await page.locator("[data-terminal]").and(page.locator('[style*="13px"]')).waitFor();
  expect(await toEnd()).toBeLessThan(2);
  await page.getByRole("button", { name: "Wrap lines" }).click();
  await page.locator("[data-terminal]:not(.wrapped)").waitFor();
  expect(await toEnd()).toBeLessThan(2);
});
