import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { AnswerPage } from "../support/answer-page.ts";
import { becomes } from "../support/becomes.ts";
import { PHONE, type Viewport } from "../support/browser.ts";
import { calm, clickCalmly, tapCalmly } from "../support/calm.ts";
import { changedFolder } from "../support/fixture-changes.ts";
import { DESK, openFixture } from "../support/fixture-page.ts";
import { fixturePane, fixturePanes, option } from "../support/fixture-panes.ts";
import { withRecord } from "../support/fixture-record.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { PageLab } from "../support/page-lab.ts";
import { PageTime } from "../support/page-time.ts";
import { rare as it } from "../support/thorough.ts";
import { SIZES } from "./scene.ts";

const lab = PageLab.ofFile();

it("All is searched without accents, filtered, folded and sorted, and keeps folding and order", async () => {
  const phone = await AnswerPage.open(lab);
  const { page, server } = phone;
  server.change("%14", { name: "requête-planner" });
  await page.getByRole("link", { name: "All" }).tap();
  const rows = () =>
    page.locator("[data-row]").evaluateAll((all) => all.map((row) => row.getAttribute("data-row")));
  await page.locator('[data-row="%14"]').waitFor();
  // No id of the multiplexer is shown.
  expect(await page.locator("body").innerText()).not.toMatch(/(^|[\s·›])%\d+/);
  const field = page.getByRole("searchbox");
  await field.fill("REQUETE planner");
  await becomes(rows, ["%14"]);
  const chip = page.getByRole("button", { name: /^Waiting/, pressed: false });
  await chip.tap();
  await page.getByText("No match").waitFor();
  await page.getByRole("button", { name: "Clear", exact: true }).tap();
  await becomes(() => field.inputValue(), "");

  const api = page.getByRole("button", { name: /^api/ });
  await api.tap();
  await becomes(() => api.getAttribute("aria-expanded"), "false");
  // A search shows matches in folded groups too.
  await field.fill("session-rotation");
  await becomes(rows, ["%12"]);
  await page.getByRole("button", { name: "Clear search" }).tap();
  await becomes(() => field.inputValue(), "");
  await becomes(() => field.evaluate((element) => element === document.activeElement), true);
  await page.getByRole("button", { name: "Sort: By session" }).tap();
  await page.getByRole("radio", { name: "By name" }).tap();
  await page.goBack();
  await page.getByRole("button", { name: "Sort: By name" }).waitFor();
  const kept = await page.evaluate(() => localStorage.getItem("panewatch.preferences") ?? "");
  expect(JSON.parse(kept)).toMatchObject({ sort: "name", collapsed: ["$api"] });
  await page.getByRole("button", { name: "Sort: By name" }).tap();
  await page.getByRole("radio", { name: "By name" }).press("ArrowDown");
  await page.getByRole("radio", { name: "By session", checked: true }).waitFor();
  await page.goBack();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Queue" }).tap();
  await page.getByRole("link", { name: "All" }).tap();
  await becomes(() => api.getAttribute("aria-expanded"), "false");
  await becomes(() => page.locator('[data-row="%12"]').count(), 0);
});

it("a pane counts the others that wait, folds its prompt, and keeps draft and place across breakpoints", async () => {
  const phone = await AnswerPage.open(lab);
  const { page, server } = phone;
  const lines = Array.from({ length: 300 }, (_, i) => `line number ${i}`);
  const about = { kind: "file", text: "Edit src/auth/session.ts", file: "src/auth/session.ts" };
  server.change("%12", { lines, about: { ...about, kind: "file", added: 2, removed: 1 } });
  await phone.openPane("%12");
  await page.getByRole("button", { name: "Back, 2 more waiting" }).waitFor();
  await page.getByRole("button", { name: "Hide prompt" }).tap();
  await becomes(() => page.getByRole("option").count(), 0);
  await page
    .getByRole("region", { name: "Question" })
    .getByText("Edit src/auth/session.ts")
    .waitFor();
  await page.locator("[data-composer]").fill("half a thought");
  await page.getByText("line number 100", { exact: true }).evaluate((row) => row.scrollIntoView());
  await page.getByRole("button", { name: "To the end" }).waitFor();
  for (const size of [SIZES.desktop, SIZES.tablet, SIZES.phone]) {
    await page.setViewportSize(size);
    await page.getByRole("heading", { name: "session-rotation", level: 1 }).waitFor();
    await becomes(() => page.locator("[data-composer]").inputValue(), "half a thought");
    const first = () =>
      page.locator("[data-terminal]").evaluate((area) => {
        const { top } = area.getBoundingClientRect();
        const rows = [...area.querySelectorAll(".line")];
        return rows.find((row) => row.getBoundingClientRect().bottom > top + 1)?.textContent;
      });
    await becomes(first, "line number 100");
  }
  await page.getByRole("button", { name: "Answer" }).tap();
  await page.getByRole("option").first().waitFor();
  // The next question is not folded.
  await page.getByRole("button", { name: "Hide prompt" }).tap();
  await becomes(() => page.getByRole("option").count(), 0);
  server.change("%12", { question: "Shall it go on with the rest?" });
  await page.getByRole("option").first().waitFor();
});

test("the ready reply to an error is sent with the guard of its card", async () => {
  const phone = await AnswerPage.open(lab);
  const { page, server } = phone;
  const reply = page.getByRole("button", { name: "Reply “continue”" });
  // Only for agents.
  await reply.waitFor();
  server.change("%41", { agent: null, kind: "generic" });
  await reply.waitFor({ state: "detached" });
  server.change("%41", { agent: { id: "agent_d", label: "OpenCode" }, kind: "agent_d" });
  await reply.waitFor();
  await phone.settle();
  await phone.pressOn(reply);
  const before = server.panes.find(({ id }) => id === "%41");
  const lines = [...(before?.preview ?? []).slice(0, -1), "Error: something else"];
  server.change("%41", { preview: lines, lines });
  const card = phone.card("%41");
  await card.getByText("something else").waitFor();
  await page.mouse.up();
  await card.getByText("This prompt just changed").waitFor();
  expect(phone.sent()).toEqual([]);
  await phone.settle();
  await reply.tap();
  await card.getByText(/, (sent|confirmed)/).waitFor();
  // The outcome replaces the button, below the error.
  expect([await card.getByText("something else").count(), await reply.count()]).toEqual([1, 0]);
  expect(server.actions.map(({ body }) => body)).toEqual([
    {
      id: "%41",
      text: "continue",
      enter: true,
      expected: { prompt_fingerprint: null, options_fingerprint: null },
      idempotency_key: expect.any(String),
    },
  ]);
});

it("a long question is cut at its end, also from right to left; a narrow pane keeps its whole name", async () => {
  const phone = await AnswerPage.open(lab);
  const { page, server } = phone;
  const question = "هل أتابع تنفيذ الترحيل على قاعدة البيانات الرئيسية الآن أم لاحقًا؟";
  server.change("%12", { question });
  // Beside a list a narrow pane keeps its name.
  await page.goto(`${server.url}#/pane/%2512`);
  const name = page.getByRole("heading", { name: "session-rotation", level: 1 });
  const isWhole = () =>
    name.evaluate((h1) => h1.clientWidth > 0 && h1.scrollWidth <= h1.clientWidth);
  for (const size of [{ width: 820, height: 1180 }, SIZES.tablet]) {
    await page.setViewportSize(size);
    await becomes(isWhole, true);
  }
  await page.goto(`${server.url}#/queue`);
  const text = page.locator('[data-row="pane:%12"]').getByText(question);
  await text.waitFor();
  const [first, last] = await text.evaluate((element) => {
    const row = element.parentElement?.getBoundingClientRect() ?? new DOMRect();
    const node = element.firstChild;
    if (node === null) return [];
    return [0, (node.textContent?.length ?? 0) - 1].map((at) => {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      const box = range.getBoundingClientRect();
      return box.left >= row.left - 1 && box.right <= row.right + 1;
    });
  });
  expect([first, last]).toEqual([true, false]);
});

const COUNT = 400;
const WAITING = 40;

let server: FixtureServer;
let page: Page;

/** A page of so many panes; `of` gives what differs in each. */
async function open(
  { count, viewport, hash }: { count: number; viewport: Viewport; hash: string },
  of: (i: number) => Partial<Parameters<typeof fixturePane>[0]>,
): Promise<void> {
  const panes = Array.from({ length: count }, (_, i) => {
    const name = `work-${i + 1}`;
    const own = { number: i + 1, session: "first", window: name, name };
    return fixturePane({ ...own, status: "working", ago: 60, ...of(i) });
  });
  server = lab.server(panes);
  ({ page } = await openFixture(lab, { server, viewport, hash }));
}

const toEnd = (list: string) => page.locator(list).evaluate((area) => area.scrollTo(0, 1e6));
const row = (number: number) => page.locator(`[data-row="%${number}"]`);

async function openRows(count: number): Promise<void> {
  await open({ count, viewport: DESK, hash: "#/all" }, (i) => ({
    session: i < 250 ? "first" : "second",
    lines: [`line of ${i + 1}`],
  }));
  await row(1).waitFor();
}

it("of many rows only those near the screen are drawn, and all are reached by keys, search and folding", async () => {
  await openRows(COUNT);
  const rows = () => page.locator(".navigator .row-item").count();
  const drawn = () => page.locator(".navigator [data-row]").count();
  const areFewDrawn = () => becomes(async () => (await drawn()) < 60, true);
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-row"));
  await areFewDrawn();
  expect(await rows()).toBe(COUNT);
  await row(400).waitFor({ state: "detached" });
  for (let i = 1; i <= 40; i++) {
    await page.keyboard.press("j");
    await becomes(focused, `%${i}`);
  }
  await page.keyboard.press("k");
  await becomes(focused, "%39");
  // The focus stays on its row when the list is scrolled away from it, and goes on from there.
  await toEnd(".navigator .scroll");
  await row(400).waitFor();
  await row(1).waitFor({ state: "detached" });
  await areFewDrawn();
  expect(await focused()).toBe("%39");
  await page.keyboard.press("j");
  await becomes(focused, "%40");

  await page.getByRole("searchbox").fill("work-377");
  await row(377).waitFor();
  await becomes(drawn, 1);
  await page.getByRole("searchbox").fill("");
  await row(1).waitFor();
  await page.getByRole("button", { name: /^first/ }).click();
  await row(251).waitFor();
  await becomes(rows, 150);
});

test("new output draws its own row only, and none outside the screen", async () => {
  await openRows(100);
  await row(100).waitFor({ state: "attached" });
  await calm(page);
  await page.evaluate(() => {
    const touched: string[] = [];
    Object.assign(window, { touched });
    const list = document.querySelector(".navigator .scroll");
    if (list === null) throw new Error("no list");
    new MutationObserver((records) => {
      for (const { target } of records) {
        const element = target instanceof Element ? target : target.parentElement;
        // The time of a row moves on by itself.
        if (element?.closest(".row-time")) continue;
        touched.push(element?.closest("[data-row]")?.getAttribute("data-row") ?? "the list");
      }
    }).observe(list, { childList: true, subtree: true, characterData: true, attributes: true });
  });
  const print = (text: string) => {
    const says = { preview: [text], updated: Date.now() / 1000 };
    server.panes = server.panes.map((pane, i) =>
      i === 1 || i === 90 ? { ...pane, ...says } : pane,
    );
    server.pass();
  };
  for (const text of ["first words", "second words"]) {
    print(text);
    await row(2).getByText(text).waitFor();
  }
  const touched = () =>
    page.evaluate(() => [...new Set(Reflect.get(window, "touched") as string[])]);
  expect(await touched()).toEqual(["%2"]);
  expect(await row(91).getByText("second words").count()).toBe(0);
  await toEnd(".navigator .scroll");
  await row(91).getByText("second words").waitFor();
});

test("of many cards only those near the screen are drawn, and all are reached and answered", async () => {
  await open({ count: WAITING, viewport: PHONE, hash: "#/queue" }, (i) => ({
    status: "needs_input",
    question: `Question ${i + 1}?`,
    menu: [option("1", "Yes", { selected: true }), option("2", "No")],
    ago: 4000 - i * 60,
  }));
  const card = (number: number) => page.locator(`article[data-pane="%${number}"]`);
  await card(1).waitFor();
  expect(await page.locator("article").count()).toBe(WAITING);
  expect(await page.locator("article[data-pane]").count()).toBeLessThan(6);
  const at = () =>
    page.evaluate(() => document.activeElement?.closest("article")?.getAttribute("data-pane"));
  for (let i = 1; i <= 7; i++) {
    await page.keyboard.press("j");
    await becomes(at, `%${i}`);
  }
  await toEnd("main");
  await card(40).waitFor();
  await tapCalmly(card(40).getByRole("option", { name: "Yes" }));
  await becomes(
    () => server.actions.map(({ path, body }) => [path, body["id"]]),
    [["/api/select", "%40"]],
  );
});

/** So low that every list is longer than the screen. */
const LOW: Viewport = { width: 390, height: 420, touch: true };
const ASIDE = "#/pane/%2524";

/** The first row below the header and its distance to it; a card that fills the screen is that row. */
const top = (page: Page) =>
  page.evaluate(() => {
    const list = document.querySelector(".scroll");
    const edge = list?.getBoundingClientRect().top ?? 0;
    const rows = [...(list?.querySelectorAll("article, li, [data-line]") ?? [])].filter(
      (row) => row.parentElement?.closest("article") === null,
    );
    const topOf = (row?: Element) => (row?.getBoundingClientRect().top ?? Infinity) - edge;
    const at = rows.findIndex((row) => topOf(row) >= 0);
    const isInSight = at >= 0 && topOf(rows[at]) < (list?.clientHeight ?? 0);
    const first = isInSight ? rows[at] : rows.at(at < 0 ? -1 : at - 1);
    const says = (first?.querySelector("h2, b, .event-title") ?? first)?.textContent;
    return [says, Math.round(topOf(first))];
  });

const listOf = (page: Page) => page.locator(".scroll").first();

const LISTS: readonly [string, string, number, (server: FixtureServer) => void][] = [
  ["the queue without the browser's scroll anchoring", "#/queue", 800, () => {}],
  ["the queue with its agents", "#/queue", 700, (server) => server.switchWorkspace(true)],
  ["the queue", "#/queue", 900, () => {}],
  ["All with its agents", "#/all", 500, (server) => server.switchWorkspace(true)],
  ["the record", "#/record", 150, (server) => void withRecord(server)],
  ["the files of a pane", "#/pane/%2512/changes", 120, changedFolder],
  ["the lines of a file", "#/pane/%2512/changes/src%2Fauth%2Fsession.ts", 300, changedFolder],
];

/** As a browser does that has no scroll anchoring. */
const anchorNothing = (page: Page) =>
  page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("* { overflow-anchor: none !important }");
    document.adoptedStyleSheets = [sheet];
  });

it.each(LISTS)(
  "%s keeps its scroll position over a pane and a reload",
  async (name, hash, by, prepare) => {
    const server = lab.server(fixturePanes());
    prepare(server);
    const page = await lab.open(server.url + hash, LOW);
    const rows = listOf(page).locator("article, li, [data-line]").filter({ visible: true });
    await rows.nth(3).waitFor();
    if (name.includes("without")) await anchorNothing(page);
    await calm(page);
    const begin = await top(page);
    await listOf(page).evaluate((list, pixels) => list.scrollBy(0, pixels), by);
    await calm(page);
    const left = await top(page);
    expect(left).not.toEqual(begin);

    await page.evaluate((aside) => (location.hash = aside), ASIDE);
    await page.locator("[data-composer]").waitFor();
    await page.goBack();
    await becomes(() => top(page), left);
    await page.reload();
    await becomes(() => top(page), left);
  },
);

test("a list is found again after a reload, also where its last rows come first", async () => {
  const server = lab.server(fixturePanes());
  server.switchWorkspace(true);
  const { page } = await lab.page(LOW, { isTimed: true });
  const time = await PageTime.of(page);
  await page.goto(`${server.url}#/all`);
  const last = page.getByText("invoice-export").first();
  await last.waitFor();
  await calm(page);
  await listOf(page).evaluate((list) => list.scrollBy(0, 500));
  await calm(page);
  const left = await top(page);

  // Sessions without a pane come by themselves, and panes on a slow line behind them.
  server.hasSockets = false;
  const goesOn = Promise.withResolvers<void>();
  await page.route("**/api/state?*", async (route) => {
    await goesOn.promise;
    await route.continue();
  });
  await page.reload();
  await last.waitFor();
  await time.stop();
  goesOn.resolve();
  await time.goOn();
  await becomes(() => top(page), left);
});

test("the queue keeps its position over Back and a rotation without the browser's scroll anchoring; its tab leads to the top", async () => {
  const server = lab.server(fixturePanes());
  const page = await lab.open(`${server.url}#/queue`, LOW);
  await page.locator("article").first().waitFor();
  await anchorNothing(page);
  await calm(page);
  const names = page.locator("article h2");
  const third = "checkout-migration";
  const isAtTop = async () => {
    const [says, below] = await top(page);
    return String(says).includes(third) && Number(below) < 60;
  };
  // In the same task as the scrolling.
  await names.filter({ hasText: third }).evaluate((name) => {
    name.closest("article")?.scrollIntoView({ block: "start" });
    name.querySelector<HTMLElement>("a, button")?.click();
  });
  await page.locator("[data-composer]").waitFor();
  await page.getByRole("button", { name: /^Back/ }).click();
  await becomes(isAtTop, true);

  await page.setViewportSize({ width: 844, height: 300 });
  await page.locator(".master li").first().waitFor();
  // As far as the short list goes.
  const isAtEnd = () =>
    listOf(page).evaluate(
      (list) => list.scrollTop > 0 && list.scrollTop === list.scrollHeight - list.clientHeight,
    );
  await becomes(isAtEnd, true);
  await page.setViewportSize(LOW);
  await page.locator("article").first().waitFor();
  await becomes(isAtTop, true);

  await page.getByRole("link", { name: /Queue$/ }).click();
  await becomes(() => listOf(page).evaluate((list) => list.scrollTop), 0);
});

test("a list that Back leaves as soon as it has scrolled is found there again by Forward", async () => {
  const server = lab.server(fixturePanes());
  const { page } = await lab.page(LOW, { isTimed: true });
  const time = await PageTime.of(page);
  await page.goto(`${server.url}#/queue`);
  await clickCalmly(page.getByRole("link", { name: "All" }));
  await listOf(page).locator("li").nth(3).waitFor();
  await calm(page);
  // No timer ends from here on.
  await time.stop();
  await listOf(page).evaluate(async (list) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    list.addEventListener("scrollend", resolve, { once: true });
    list.scrollBy(0, 500);
    await promise;
  });
  const left = await top(page);
  await page.goBack();
  await time.goOn();
  await page.locator("article").first().waitFor();
  await page.goForward();
  await becomes(() => top(page), left);
});
