import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { fixturePane, option } from "../support/fixture-panes.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { PHONE, type Viewport } from "../support/browser.ts";
import { DESK } from "../support/fixture-page.ts";
import { calm } from "../support/calm.ts";
import { becomes } from "../support/becomes.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";

const COUNT = 400;
const WAITING = 40;

const lab = PageLab.ofFile();
let server: FixtureServer;
let page: Page;

/** A page of so many panes, which differ from each other as they are told to. */
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
  page = await lab.open(`${server.url}${hash}`, viewport);
}

const toEnd = (list: string) => page.locator(list).evaluate((area) => area.scrollTo(0, 1e6));
const row = (number: number) => page.locator(`[data-row="%${number}"]`);

async function openRows(): Promise<void> {
  await open({ count: COUNT, viewport: DESK, hash: "#/all" }, (i) => ({
    session: i < 250 ? "first" : "second",
    lines: [`line of ${i + 1}`],
  }));
  await row(1).waitFor();
}

it("of many rows those near the screen are drawn, and all are walked through, searched and folded", async () => {
  await openRows();
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

test("a pane that prints draws its own row and nothing else, away from the screen not even that", async () => {
  await openRows();
  server.panes = server.panes.slice(0, 100);
  await page.locator(".navigator .row-item").nth(100).waitFor({ state: "detached" });
  await row(100).waitFor({ state: "attached" });
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

test("of many cards those far below are their place alone, are walked through in order, and are answered there", async () => {
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
  for (let i = 1; i <= 12; i++) {
    await page.keyboard.press("j");
    await becomes(at, `%${i}`);
  }
  await toEnd("main");
  await card(40).waitFor();
  await calm(page);
  await card(40).getByRole("option", { name: "Yes" }).tap();
  await becomes(
    () => server.actions.map(({ path, body }) => [path, body["id"]]),
    [["/api/select", "%40"]],
  );
});
