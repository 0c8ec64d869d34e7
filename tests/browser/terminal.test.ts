import { beforeEach, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { startAnew } from "../support/answer-page.ts";
import { calm } from "../support/calm.ts";
import { becomes } from "../support/becomes.ts";
import { fixturePane, option } from "../support/fixture-panes.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { PageLab } from "../support/page-lab.ts";
import { sampled, rare as it } from "../support/thorough.ts";

const ID = "%70";
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `line ${from + i}`);

const log = fixturePane({
  ...{ number: 70, session: "api", window: "log", name: "log", status: "working", ago: 60 },
  lines: numbered(0, 200),
});
const HASH = `#/pane/${encodeURIComponent(ID)}`;
const SIZE = { width: 1024, height: 768 };

const lab = PageLab.ofFile();
let server: FixtureServer;
let shared: Page;
let page: Page;

lab.shares(async () => {
  server = lab.server([log]);
  shared = await lab.open(`${server.url}${HASH}`, SIZE);
});
beforeEach(async () => {
  page = shared;
  server.styles = new Map();
  server.panes = [];
  server.pass();
  await page.setViewportSize(SIZE);
  await page.evaluate(startAnew, "{}");
  await page.locator("[data-terminal]").waitFor({ state: "detached" });
  // It has heard that the pane is gone: what opens is not the screen of the test before.
  await page.locator("[data-row]").first().waitFor({ state: "detached" });
  server.panes = [log];
  server.pass();
  await page.evaluate((hash) => (location.hash = hash), HASH);
  await line("line 199").waitFor();
});

const line = (text: string) => page.locator("[data-terminal]").getByText(text, { exact: true });
const rows = () => page.locator("[data-terminal] pre > .block > .line");
/** Pixels of the rows that stand below the terminal's lower edge. */
const toEnd = () =>
  page.locator("[data-terminal]").evaluate((area) => {
    const edge = area.getBoundingClientRect().top + area.clientHeight;
    return Math.abs((area.querySelector("pre")?.getBoundingClientRect().bottom ?? 1e6) - edge);
  });
const firstRow = () =>
  page.locator("[data-terminal]").evaluate((area) => {
    const top = area.getBoundingClientRect().top;
    const rows = [...area.querySelectorAll(".line")];
    const at = rows.findIndex((row) => row.getBoundingClientRect().bottom > top + 1);
    const row = rows[at];
    return { at, text: row?.textContent, top: Math.round(row?.getBoundingClientRect().top ?? 0) };
  });
const isAt = (text: string) => becomes(async () => (await firstRow()).text, text);
/** Scrolls up, as far as to that row. */
const readRow = async (at: number) => {
  await page.locator("[data-terminal]").evaluate((area, at) => {
    area.scrollBy(0, -1);
    area.querySelectorAll(".line")[at]?.scrollIntoView();
  }, at);
  await page.getByRole("button", { name: "To the end" }).waitFor();
};
const isAtEnd = () => becomes(async () => (await toEnd()) < 2, true);

test("a short screen stands at the lower end from its first frame", async () => {
  await page.evaluate(() => (location.hash = "#/stats"));
  await page.locator("[data-terminal]").waitFor({ state: "detached" });
  server.change(ID, { lines: numbered(0, 12), name: "short", updated: Date.now() / 1000 });
  await page.getByText("short", { exact: true }).waitFor();
  const tops = page.evaluate(async (hash) => {
    const seen = new Set<number>();
    location.hash = hash;
    for (let frames = 0; frames < 30;) {
      await new Promise(requestAnimationFrame);
      const first = document.querySelector("[data-terminal] .line");
      if (first?.textContent !== "line 0") continue;
      seen.add(Math.round(first.getBoundingClientRect().top));
      frames += 1;
    }
    return [...seen];
  }, HASH);
  expect(await tops).toHaveLength(1);
  await isAtEnd();
});

test("the terminal follows its end until the reader scrolls up, then counts new lines", async () => {
  await isAtEnd();
  server.change(ID, { lines: numbered(0, 220), updated: Date.now() / 1000 });
  await line("line 219").waitFor();
  await isAtEnd();

  await page.locator("[data-terminal]").evaluate((e) => e.scrollBy(0, -600));
  await page.getByRole("button", { name: "To the end" }).waitFor();
  const before = await firstRow();
  server.change(ID, { lines: numbered(0, 234), updated: Date.now() / 1000 });
  await page.getByRole("button", { name: "14 new lines" }).waitFor();
  expect(await firstRow()).toEqual(before);
  await page.getByRole("button", { name: "14 new lines" }).click();
  await isAtEnd();
});

test("with “Follow new output” off a terminal opens at its end and stays there", async () => {
  const area = page.locator("[data-terminal]");
  await page.evaluate(startAnew, '{"follow":false}');
  await area.waitFor({ state: "detached" });
  await page.evaluate((hash) => (location.hash = hash), HASH);
  await line("line 199").waitFor();
  await isAtEnd();
  const before = await firstRow();
  server.change(ID, { lines: numbered(0, 214), updated: Date.now() / 1000 });
  await page.getByRole("button", { name: "14 new lines" }).waitFor();
  expect(await firstRow()).toEqual(before);
  // Who scrolls to the end by hand has not asked to follow it.
  await area.evaluate((e) => e.scrollTo(0, e.scrollHeight));
  await isAtEnd();
  await calm(page);
  server.change(ID, { lines: numbered(0, 216), updated: Date.now() / 1000 });
  await page.getByRole("button", { name: "16 new lines" }).click();
  await isAtEnd();
  server.change(ID, { lines: numbered(0, 230), updated: Date.now() / 1000 });
  await line("line 229").waitFor();
  await isAtEnd();
});

test("the line in view is kept over a reload and Back; a new visit shows the end", async () => {
  await isAtEnd();
  const area = page.locator("[data-terminal]");
  await readRow(100);
  await isAt("line 100");
  await calm(page);
  expect(await page.evaluate(() => JSON.stringify(history.state))).not.toContain("line 100");
  await page.reload();
  await isAt("line 100");
  // Lines that were added and dropped meanwhile move nothing.
  await page.evaluate(() => (location.hash = "#/stats"));
  await area.waitFor({ state: "detached" });
  server.change(ID, { lines: numbered(20, 260), name: "longer", updated: Date.now() / 1000 });
  await page.getByText("longer", { exact: true }).waitFor();
  await page.goBack();
  await isAt("line 100");
  await page.evaluate(() => (location.hash = "#/stats"));
  await area.waitFor({ state: "detached" });
  await page.evaluate((hash) => (location.hash = hash), HASH);
  await line("line 259").waitFor();
  await isAtEnd();
});

test("the row in view is found again among rows of one text, else the end is shown", async () => {
  // A page that leaves has kept the first row of the shorter screen, or still the one that was read.
  for (const unheard of [["scroll"], ["scroll", "pagehide"]]) {
    server.change(ID, { lines: Array<string>(200).fill("."), updated: Date.now() / 1000 });
    await becomes(async () => (await firstRow()).text, ".");
    await readRow(100);
    await becomes(async () => (await firstRow()).at, 100);
    await calm(page);
    await page.reload();
    await becomes(async () => (await firstRow()).at, 100);
    await calm(page);
    await page.evaluate((types) => {
      for (const type of types)
        addEventListener(type, (event) => event.stopImmediatePropagation(), true);
    }, unheard);
    server.change(ID, { lines: numbered(900, 910), updated: Date.now() / 1000 });
    await line("line 909").waitFor();
    await page.evaluate(() => dispatchEvent(new Event("pagehide")));
    await page.reload();
    await line("line 909").waitFor();
    await calm(page);
    expect(await page.getByRole("button", { name: "To the end" }).count()).toBe(0);
  }
});

test("a pane that waits keeps the line in view over Back, and shows what it asks over a reload", async () => {
  const asking = {
    question: "Do you want to proceed?",
    menu: [option("1", "Yes"), option("2", "No")],
  };
  const lines = [...numbered(0, 200), "rm -rf build", asking.question, "1. Yes", "2. No"];
  server.change(ID, { ...asking, lines, status: "needs_input", updated: Date.now() / 1000 });
  await page.getByRole("option", { name: "Yes" }).waitFor();
  const evidence = page.getByRole("region", { name: "Question" }).locator(".excerpt");
  expect(await evidence.count()).toBe(0);
  await readRow(100);
  await calm(page);
  await page.evaluate(() => (location.hash = "#/stats"));
  await page.locator("[data-terminal]").waitFor({ state: "detached" });
  await page.goBack();
  await isAt("line 100");
  await page.reload();
  await isAt("line 100");
  await evidence.waitFor();
});

test("output is paused while text is selected", async () => {
  await line("line 190").selectText();
  await page.getByText("Paused while you select").waitFor();
  server.change(ID, { lines: numbered(0, 201), updated: Date.now() / 1000 });
  await calm(page);
  expect(await rows().count()).toBe(200);
  await page.evaluate(() => getSelection()?.removeAllRanges());
  await line("line 200").waitFor();
});

test("find highlights matches without changing the text, newest first", async () => {
  await page.keyboard.press("ControlOrMeta+f");
  await page.getByRole("searchbox", { name: "Find in output" }).fill("line 19");
  await page.getByText("1 of 11").waitFor();
  const marked = () =>
    page.evaluate(() => {
      const [range] = CSS.highlights.get("find-current") ?? [];
      return [CSS.highlights.get("find")?.size, range instanceof Range ? range.toString() : null];
    });
  await becomes(marked, [11, "line 19"]);
  expect(await page.locator("[data-terminal] mark").count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => CSS.highlights.get("find")?.size === 0);
  await page.keyboard.press("+");
  await page.locator("[data-terminal]").and(page.locator('[style*="13px"]')).waitFor();
  await page.keyboard.press("w");
  await page.locator("[data-terminal]:not(.wrapped)").waitFor();
});

test("colours need no inline style, and markup of the terminal stays text", async () => {
  const hostile = '<img src=x onerror="document.title=1"> red';
  server.styles = new Map([
    [ID, [[{ start: hostile.length - 3, length: 3, style: "b f#ff0000" }]]],
  ]);
  server.change(ID, { lines: [hostile], updated: Date.now() / 1000 });
  const run = page.locator("[data-terminal] .line span");
  await run.waitFor();
  await becomes(() => run.evaluate((e) => getComputedStyle(e).fontWeight), "600");
  await becomes(() => page.locator("[data-terminal] .line").allInnerTexts(), [hostile]);
  expect(await page.locator("[data-terminal] img").count()).toBe(0);
  expect(await page.locator("[style]").evaluateAll((all) => all.map((e) => e.tagName))).toEqual(
    // The policy allows the style object, which sets the size of the text and of the composer.
    expect.not.arrayContaining(["SPAN", "PRE"]),
  );

  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("switch", { name: "Terminal colours" }).click();
  await run.waitFor({ state: "detached" });
});

test("the rows of a box have no gaps, also where they are wrapped", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  const box = (text: string) => `│ ${text.padEnd(80)} │`;
  const lines = ["before it", box("one"), box("two"), box(""), box("three"), "behind it"];
  server.change(ID, { lines, updated: Date.now() / 1000 });
  await line("behind it").waitFor();
  const places = await rows().evaluateAll((all) =>
    all.map((row) => {
      const { left, top, height } = row.getBoundingClientRect();
      return {
        left,
        gap: top - (row.previousElementSibling?.getBoundingClientRect().bottom ?? top),
        height,
      };
    }),
  );
  const [first] = places;
  expect(places).toEqual(lines.map(() => first ?? { left: 0, gap: 0, height: 0 }));
});

/** Rows of very different heights once they are wrapped, as many as a server sends. */
const uneven = (from: number, to: number) =>
  Array.from(
    { length: to - from },
    (_, i) => `row ${from + i} ${"x".repeat(((from + i) % 7) * 40)}`,
  );
const rowOf = (number: number) => rows().filter({ hasText: new RegExp(`^row ${number} `) });
const screenTop = (number: number) =>
  rowOf(number).evaluate((row) => row.getBoundingClientRect().top);

/** The number of the row in the middle of the terminal. */
const rowInSight = () =>
  page.evaluate(() => {
    const { x, y, width, height } =
      document.querySelector("[data-terminal]")?.getBoundingClientRect() ?? new DOMRect();
    const row = document.elementFromPoint(x + width / 3, y + height / 2)?.closest(".line");
    return Number(/^row (\d+) /.exec(row?.textContent ?? "")?.[1]);
  });

/** A wheel scrolls over several frames, which a busy machine draws at long intervals. */
const scrolled = () =>
  page.locator("[data-terminal]").evaluate(async (area) => {
    for (let still = 0, top = area.scrollTop; still < 10; top = area.scrollTop) {
      await new Promise(requestAnimationFrame);
      still = area.scrollTop === top ? still + 1 : 0;
    }
  });

async function openLong() {
  await page.setViewportSize({ width: 390, height: 844 });
  server.change(ID, { lines: uneven(0, 2000), updated: Date.now() / 1000 });
  await rowOf(1999).waitFor();
}

it("a long terminal draws only what is near the screen, and keeps its end", async () => {
  await openLong();
  await isAtEnd();
  const isDrawn = (number: number) =>
    rowOf(number).evaluate((row) => row.checkVisibility({ contentVisibilityAuto: true }));
  await becomes(async () => [await isDrawn(0), await isDrawn(1999)], [false, true]);
  for (let from = 30; from <= 300; from += 30) {
    server.change(ID, { lines: uneven(from, from + 2000), updated: Date.now() / 1000 });
    await rowOf(from + 1999).waitFor();
    await isAtEnd();
  }
  expect(await page.getByRole("button", { name: "To the end" }).count()).toBe(0);
});

/** As a browser does that has no scroll anchoring. */
async function holdNothing(): Promise<void> {
  ({ page } = await lab.page(SIZE));
  await page.goto(`${server.url}${HASH}`);
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      "* { overflow-anchor: none !important; content-visibility: visible !important }",
    );
    document.adoptedStyleSheets.push(sheet);
  });
}

const HOLDERS: readonly (readonly [string, () => Promise<void>])[] = [
  ["the line in view stays while a long terminal scrolls and grows", async () => {}],
  ["the line in view stays without the browser's scroll anchoring", holdNothing],
];

test.each(sampled(HOLDERS, 2))("%s", async (_, prepare) => {
  await prepare();
  await openLong();
  await page.locator("[data-terminal]").hover();
  await page.mouse.wheel(0, -9000);
  await page.getByRole("button", { name: "To the end" }).waitFor();
  await scrolled();
  const read = await rowInSight();
  expect(read).toBeLessThan(1999);
  const before = await screenTop(read);
  for (const from of [70, 140]) {
    server.change(ID, { lines: uneven(from, from + 2000), updated: Date.now() / 1000 });
    await page.getByRole("button", { name: `${from} new lines` }).waitFor();
    await becomes(async () => Math.abs((await screenTop(read)) - before) < 2, true);
  }
});

it("find reaches a row that was not drawn, and a long terminal is copied whole", async () => {
  await openLong();
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: "Find in output" }).click();
  await page.getByRole("searchbox", { name: "Find in output" }).fill("row 12 ");
  await page.getByText("1 of 1").waitFor();
  await page.getByRole("searchbox").press("Enter");
  await page.waitForFunction(() => {
    const found = [...document.querySelectorAll("[data-terminal] .line")].find((each) =>
      each.textContent.startsWith("row 12 "),
    );
    return found?.checkVisibility({ contentVisibilityAuto: true });
  });
  await becomes(async () => Math.abs((await screenTop(12)) - 422) < 250, true);
  const copied = await page.evaluate(() => {
    const pre = document.querySelector("[data-terminal] pre");
    if (pre !== null) getSelection()?.selectAllChildren(pre);
    return getSelection()?.toString();
  });
  expect(copied?.trimEnd()).toBe(uneven(0, 2000).join("\n"));
});
