import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import type { Viewport } from "../support/browser.ts";
import { calm } from "../support/calm.ts";
import { changedFolder } from "../support/fixture-changes.ts";
import { fixturePanes } from "../support/fixture-panes.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { withRecord } from "../support/fixture-record.ts";
import { PageLab } from "../support/page-lab.ts";
import { sampled } from "../support/thorough.ts";

const lab = PageLab.ofFile();
/** So low that every list is longer than the screen. */
const LOW: Viewport = { width: 390, height: 420, touch: true };
const ASIDE = "#/pane/%2524";

/** What a person reads first below the head, and how far below it stands; a card that fills the screen. */
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

async function scrollBy(page: Page, pixels: number): Promise<void> {
  await page
    .locator(".scroll")
    .first()
    .evaluate((list, by) => list.scrollBy(0, by), pixels);
  await calm(page);
}

const LISTS: readonly [string, string, number, (server: FixtureServer) => void][] = [
  ["the queue with its agents", "#/queue", 700, (server) => server.switchWorkspace(true)],
  ["the queue", "#/queue", 900, () => {}],
  ["All with its agents", "#/all", 500, (server) => server.switchWorkspace(true)],
  ["the record", "#/record", 150, (server) => void withRecord(server)],
  ["the files of a pane", "#/changes/%2512", 120, changedFolder],
  ["the lines of a file", "#/changes/%2512/src%2Fauth%2Fsession.ts", 300, changedFolder],
];

test.each(sampled(LISTS, 3))(
  "%s comes back where it was, after a pane and a reload",
  async (_, hash, by, prepare) => {
    const server = lab.server(fixturePanes());
    prepare(server);
    const page = await lab.open(server.url + hash, LOW);
    await page
      .locator(".scroll")
      .locator("article, li, [data-line]")
      .filter({ visible: true })
      .nth(3)
      .waitFor();
    await calm(page);
    const begin = await top(page);
    await scrollBy(page, by);
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

test("the queue keeps its place when it is left in the middle or turned; its tab leads to the top", async () => {
  const server = lab.server(fixturePanes());
  const page = await lab.open(`${server.url}#/queue`, LOW);
  await calm(page);
  const names = page.locator("article h2");
  const third = "checkout-migration";
  const isAtTop = () =>
    page.evaluate((name) => {
      const list = document.querySelector(".scroll")?.getBoundingClientRect().top ?? 0;
      const row = [...document.querySelectorAll("article, .scroll li")].find((one) =>
        one.textContent?.includes(name),
      );
      const at = (row?.getBoundingClientRect().top ?? -1) - list;
      return at >= 0 && at < 60;
    }, third);
  // The press follows the scrolling at once.
  await names.filter({ hasText: third }).evaluate((name) => {
    name.closest("article")?.scrollIntoView({ block: "start" });
    name.querySelector<HTMLElement>("a, button")?.click();
  });
  await page.locator("[data-composer]").waitFor();
  await page
    .getByRole("button", { name: /Back|waiting/ })
    .first()
    .click();
  await becomes(isAtTop, true);

  await page.setViewportSize({ width: 844, height: 300 });
  await page.locator(".master li").first().waitFor();
  // As far as the short list goes.
  const isAtEnd = () =>
    page
      .locator(".master .scroll")
      .evaluate(
        (list) => list.scrollTop > 0 && list.scrollTop === list.scrollHeight - list.clientHeight,
      );
  await becomes(isAtEnd, true);
  await page.setViewportSize(LOW);
  await page.locator("article").first().waitFor();
  await becomes(isAtTop, true);

  await page.getByRole("link", { name: /Queue$/ }).click();
  await becomes(
    () =>
      page
        .locator(".scroll")
        .first()
        .evaluate((list) => list.scrollTop),
    0,
  );
});
