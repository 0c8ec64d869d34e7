import { beforeEach, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import { type Viewport } from "../support/browser.ts";
import { calm, tapCalmly } from "../support/calm.ts";
import { changedFolder } from "../support/fixture-changes.ts";
import { DESK, openFixture } from "../support/fixture-page.ts";
import { option } from "../support/fixture-panes.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { until } from "../support/until.ts";
import { paneHash, SIZES } from "./scene.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it, sampled } from "../support/thorough.ts";

const lab = PageLab.ofFile();
let server: FixtureServer;

beforeEach(() => {
  server = lab.server();
  server.switchWorkspace(true);
});

const open = async (hash: string, viewport: Viewport = DESK): Promise<Page> =>
  (await openFixture(lab, { server, viewport, hash })).page;

const sent = (method: string, part: string) =>
  server.requests.filter((one) => one.method === method && one.path.endsWith(part));
const marks = () => sent("PUT", "/review");
const answers = () => sent("POST", "/select");
const idOf = (title: string) => server.agents.find(title).id;
const snapshotOf = (title: string) => server.agents.snapshotOf(title);
/** Of the card that stands beside the list. */
const cardName = (page: Page) => page.locator("main").getAttribute("aria-label");
const row = (page: Page, name: string) =>
  page.locator(".navigator, .master").getByRole("button", { name: new RegExp(name) });
const cardBeside = (page: Page) => page.getByRole("complementary", { name: "Answer" });
const bottomOf = (element: Locator) =>
  element.evaluate((one) => one.getBoundingClientRect().bottom);
/** Words for a screen reader alone are never visible. */
const ATTACHED = { state: "attached" } as const;
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? "");

test("the card beside the list follows keys and pointer, and nothing is marked or sent", async () => {
  const page = await open("#/queue");
  await becomes(() => cardName(page), "checkout-migration");
  await row(page, "checkout-migration").getByText("Urgent").waitFor();
  // A name is never cut in favour of what stands beside it.
  const missing = (name: Locator) =>
    name.evaluate((one) => {
      const text = document.createRange();
      text.selectNodeContents(one);
      return text.getBoundingClientRect().width - one.getBoundingClientRect().width;
    });
  expect(await missing(row(page, "checkout-migration").locator("b"))).toBeLessThan(2);
  await page.setViewportSize(SIZES.landscape);
  const title = page.locator(".card-page .name", { hasText: "checkout-migration" });
  await title.waitFor();
  expect(await missing(title)).toBeLessThan(2);
  await page.setViewportSize(DESK);
  await becomes(() => cardName(page), "checkout-migration");
  await page.keyboard.press("j");
  await becomes(() => cardName(page), "session-rotation");
  await page.keyboard.press("j");
  await becomes(() => cardName(page), "docs-site");
  await page.keyboard.press("k");
  await becomes(() => cardName(page), "session-rotation");
  // From the row that `n` has selected, though the focus is on the row before.
  await page.keyboard.press("n");
  await becomes(() => cardName(page), "docs-site");
  await page.keyboard.press("j");
  await becomes(() => cardName(page), "list-endpoints");
  await row(page, "css-audit").click();
  await becomes(() => cardName(page), "css-audit");
  await cardBeside(page).getByText("1,204 unused rules removed").waitFor();
  expect(await row(page, "css-audit").getAttribute("aria-current")).toBe("true");
  // Handled on another device: its card is gone from the server, and stays selected here.
  server.agents.remove("css-audit");
  server.agents.changeDecision("list-endpoints", { priority: "high" });
  await row(page, "Nothing is left here").waitFor();
  expect(await cardName(page)).toBe("css-audit");
  expect(await focused(page)).toContain("css-audit");
  await page.keyboard.press("k");
  await becomes(() => cardName(page), "query-planner");
  await page.keyboard.press("o");
  await page.waitForFunction(() => location.hash.startsWith("#/pane/%2514"));
  expect([marks(), answers()]).toEqual([[], []]);
});

test("while no pane is known yet, nothing is said of the multiplexer", async () => {
  server.hold("/api/config");
  const page = await lab.open(`${server.url}#/queue`, DESK);
  await page.locator("main.beside").waitFor();
  await page.locator(".navigator .skeleton").first().waitFor();
  expect(await page.getByRole("heading", { name: "No tmux is running" }).count()).toBe(0);
});

test("beside the queue the last tab stays chosen, and keys move through the rows; the next waiting pane opens under it, by key, button and palette", async () => {
  changedFolder(server);
  const page = await open("#/queue");
  await becomes(() => cardName(page), "checkout-migration");
  const tab = () => page.locator('[aria-label="Page"] [aria-current]').textContent();
  const tellsTab = (name: string) => becomes(async () => (await tab())?.startsWith(name), true);
  const press = (keys: string) => Promise.all([...keys].map((key) => page.keyboard.press(key)));
  const hash = () => page.evaluate(() => location.hash);
  await tellsTab("Chat");
  for (const [key, name, next] of [
    ["v", "Changes", "session-rotation"],
    ["o", "Screen", "docs-site"],
    ["d", "Chat", "list-endpoints"],
  ] as const) {
    await press(key);
    await becomes(async () => (await hash()).startsWith("#/pane/"), true);
    await tellsTab(name);
    await press("gq");
    await becomes(hash, "#/queue");
    await tellsTab(name);
    await press("j");
    await becomes(() => cardName(page), next);
    await tellsTab(name);
    expect(await hash()).toBe("#/queue");
  }

  const filter = page.locator("[data-filter]");
  expect(await filter.count()).toBe(0);
  await press("gl");
  await filter.waitFor();
  await page.locator('[data-row="%12"]').click();
  await becomes(hash, `${paneHash("%12")}/chat`);
  await page.keyboard.press("n");
  await becomes(hash, `${paneHash("%15")}/chat`);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("session-rotation");
  await page
    .getByRole("option", { name: /session-rotation/ })
    .first()
    .waitFor();
  await page.keyboard.press("Enter");
  await becomes(hash, `${paneHash("%12")}/chat`);
  await page.setViewportSize(SIZES.phone);
  await page.getByRole("button", { name: "Next", exact: true }).click();
  await becomes(hash, `${paneHash("%15")}/chat`);
});

test("the queue by keyboard alone: select, send, mark as reviewed, put off, and leave", async () => {
  const page = await open("#/all");
  // Nothing is selected: there is no side column.
  const detail = page.locator(".column.detail");
  expect(await detail.evaluate((one) => innerWidth - one.getBoundingClientRect().right)).toBe(0);
  // At once: the second key of a pair counts for a little more than a second.
  await Promise.all(["g", "r"].map((key) => page.keyboard.press(key)));
  await becomes(() => cardName(page), "checkout-migration");
  for (let n = 0; n < 3; n++) await page.keyboard.press("j");
  await becomes(() => cardName(page), "list-endpoints");
  const answer = page.getByRole("complementary", { name: "Answer" });
  await answer.getByRole("option", { name: "Cursor" }).waitFor();
  await calm(page);
  await page.keyboard.press("2");
  await answer.getByRole("option", { selected: true, name: "Offset and limit" }).waitFor();
  expect(answers()).toEqual([]);
  const places = () =>
    page
      .locator("[data-row]")
      .evaluateAll((rows) => rows.map((one) => one.getBoundingClientRect().top));
  const before = await places();
  await page.keyboard.press("Enter");
  // The row shows the outcome in place; the next question has the focus.
  await row(page, "list-endpoints")
    .getByText(/^Offset and limit, (sent|confirmed)/)
    .waitFor();
  await becomes(() => cardName(page), "integration-tests");
  expect(await places()).toEqual(before);
  const voice = page.locator("[aria-live=polite]");
  await voice.filter({ hasText: "list-endpoints: Offset and limit, sent" }).waitFor(ATTACHED);
  await until(async () => (await focused(page)).startsWith("Warehouse 3") || null);

  expect(answers().map(({ body }) => body["key"])).toEqual(["2"]);
  await calm(page);
  await page.keyboard.press("m");
  await becomes(() => cardName(page), "invoice-export");
  expect(marks().map(({ path, body }) => [path.split("/")[3], body["snapshot_id"]])).toEqual([
    [idOf("stock-sync"), snapshotOf("stock-sync")],
  ]);
  await until(async () => (await focused(page)).startsWith("invoice-export") || null);
  await calm(page);
  await page.keyboard.press("l");
  await until(async () => (await focused(page)).startsWith("embed-batch") || null);
  await page.keyboard.press("j");
  // A card that was put off stands at the end of its section.
  await becomes(() => cardName(page), "invoice-export");
  expect(marks()).toHaveLength(1);
  expect(answers()).toHaveLength(1);
  await Promise.all(["g", "l"].map((key) => page.keyboard.press(key)));
  await page.waitForFunction(() => location.hash === "#/all");
  await becomes(() => page.evaluate(() => document.activeElement?.tagName), "MAIN");
});

it("on a tablet the card stands beside the rows and survives a rotation", async () => {
  const page = await open("#/queue", SIZES.tablet);
  await row(page, "list-endpoints").tap();
  const card = page.getByRole("article", { name: "list-endpoints" });
  await card.waitFor();
  const option = page.getByRole("option", { name: "Cursor" });
  await option.waitFor();
  // On its side all answers fit on the screen, below 820 px beside the evidence.
  for (const width of [844, 740]) {
    await page.setViewportSize({ width, height: 360 });
    await card.getByRole("option").last().click({ trial: true });
    expect(await bottomOf(card.getByRole("option").last())).toBeLessThan(316);
  }
  await page.setViewportSize({ width: 768, height: 1024 });
  await card.waitFor();
  await page.setViewportSize(SIZES.tablet);
  await card.waitFor();
  await tapCalmly(option);
  await page
    .getByText(/, (sent|confirmed)/)
    .first()
    .waitFor();
  expect(answers()).toHaveLength(1);
  // The next card takes no tap within the shield.
  await page.getByRole("article", { name: "integration-tests" }).waitFor();
  await tapCalmly(page.getByRole("button", { name: "Reviewed" }));
  await page.getByRole("article", { name: "invoice-export" }).waitFor();
  expect(marks()).toHaveLength(1);
});

test("the evidence stands with the answers where the terminal is not beside them; with the side column closed a prompt is answered below the screen", async () => {
  const page = await open(paneHash("%21"));
  const beside = page.getByRole("complementary", { name: "Inspector" });
  const about = beside.getByText("pnpm prisma migrate deploy --schema packages/db/schema.prisma");
  await beside.getByRole("option", { name: "Yes, proceed" }).waitFor();
  expect(await about.count()).toBe(0);
  await page.getByRole("link", { name: /^Chat/ }).click();
  await about.first().waitFor();
  await beside.getByRole("option", { name: "Yes, proceed" }).waitFor();

  await page.goto(server.url + paneHash("%15"));
  const options = page.locator('[data-options="%15"]');
  const isBeside = () => options.evaluate((list) => list.closest("main") === null);
  await becomes(isBeside, true);
  await becomes(async () => {
    const card = await page.locator(".inspector .card").first().boundingBox();
    return [card?.y, DESK.width - (card?.x ?? 0) - (card?.width ?? 0)];
  }, [14, 14]);
  await page.keyboard.press("]");
  await becomes(isBeside, false);
  // In a window that is too low for that it stands beside the screen.
  await page.setViewportSize({ ...DESK, height: 400 });
  await options.getByRole("option").last().click({ trial: true });
  await page.setViewportSize(DESK);
  await calm(page);
  await page.keyboard.press("2");
  await options.getByRole("option", { selected: true }).getByText("Offset and limit").waitFor();
  await page.keyboard.press("Enter");
  await becomes(() => answers().map(({ body }) => body["key"]), ["2"]);
});

it("a phone on its side folds a diff to one line, and all answers fit", async () => {
  server.switchWorkspace(false);
  const about = { kind: "file", text: "Edit src/auth/session.ts", file: "src/auth/session.ts" };
  server.change("%12", { about: { ...about, kind: "file", added: 2, removed: 1 } });
  const page = await open("#/queue", SIZES.landscape);
  await row(page, "session-rotation").tap();
  const card = page.getByRole("article", { name: "session-rotation" });
  const line = card.locator("summary", { hasText: "Edit src/auth/session.ts" });
  await line.waitFor();
  const diff = card.getByText("s.expires = now() + DAY;");
  expect(await diff.isVisible()).toBe(false);
  expect(await bottomOf(card.getByRole("option").last())).toBeLessThan(346);
  await line.tap();
  await becomes(() => diff.isVisible(), true);
  // The list has two rows above it.
  const first = await page.getByRole("heading", { name: /^Waiting/ }).boundingBox();
  expect(first?.y).toBeLessThan(130);
  // The bars of Go through are one finger high.
  await page.goto(`${server.url}#/queue/one`);
  for (const bar of [".pass-header", ".pass-footer"])
    expect((await page.locator(bar).boundingBox())?.height).toBeLessThan(47);
  // So do four with descriptions.
  const of = (key: string, label: string) =>
    option(key, label, { description: "Stable while rows are added, and no total." });
  const names = ["Cursor (Recommended)", "Offset", "Keyset", "None of these"];
  const menu = names.map((name, i) => of(String(i + 1), name));
  const evidence = ["The list can be read in several ways; each has its price."];
  server.change("%21", { about: null, evidence, question: "How is the list to be read?", menu });
  await page.goto(`${server.url}#/queue`);
  await row(page, "checkout-migration").tap();
  const other = page.getByRole("article", { name: "checkout-migration" });
  await other.getByText("The agent suggests this one.").waitFor();
  expect(await bottomOf(other.getByRole("option", { name: "None of these" }))).toBeLessThan(346);
  await page.getByRole("button", { name: "Write a message" }).tap();
  await page.locator('[data-composer="%21"]').waitFor();
});

test.each(sampled(["", "/chat", "/changes"], 3))(
  "on a low narrow screen all answers fit beside the pane's page%s",
  async (tab) => {
    const about = { kind: "file", text: "Edit src/auth/session.ts", file: "src/auth/session.ts" };
    server.change("%12", { about: { ...about, kind: "file", added: 2, removed: 1 } });
    changedFolder(server);
    const page = await open("#/queue", { width: 700, height: 390, touch: true });
    for (const [id, words] of [
      ["%12", "Edit src/auth/session.ts"],
      ["%21", "pnpm prisma migrate deploy"],
    ] as const) {
      await page.goto(server.url + paneHash(id) + tab);
      const prompt = page.getByRole("region", { name: "Question" });
      const last = prompt.getByRole("option").last();
      await last.waitFor();
      if (tab !== "") await prompt.getByText(words).first().waitFor();
      else expect(await prompt.getByText(words).count()).toBe(0);
      await calm(page);
      expect(await bottomOf(last)).toBeLessThan(390);
      // The composer stands below the page, not below the answers.
      const left = await prompt.evaluate((card) => card.getBoundingClientRect().left);
      const foot = page.locator(tab === "" ? ".low-tools" : ".pane-foot");
      expect(await foot.evaluate((one) => one.getBoundingClientRect().right)).toBeLessThan(left);
    }
    await page.goto(server.url + paneHash("%52"));
    const terminal = page.locator('[data-terminal="%52"]');
    await becomes(async () => (await terminal.boundingBox())?.width, 700);
  },
);
