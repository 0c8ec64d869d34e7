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
import { DESK, openFixture, type FixturePage } from "../support/fixture-page.ts";

setDefaultTimeout(120_000);

let lab: BrowserLab;
let fixture: FixturePage;
let page: Page;

beforeAll(async () => {
  lab = await BrowserLab.open();
});
afterAll(() => lab.close());
beforeEach(async () => {
  fixture = await openFixture(lab, { viewport: DESK });
  ({ page } = fixture);
});
afterEach(async () => {
  await fixture.close();
  expect(fixture.errors).toEqual([]);
});

const field = () => page.getByRole("combobox", { name: "Search panes and commands" });
const active = async () => {
  const id = await field().getAttribute("aria-activedescendant");
  return page.locator(`[id="${id}"]`).innerText();
};
const hash = () => page.evaluate(() => location.hash);

test("a pane is found and opened by the keyboard alone, and Back leads back", async () => {
  await page.keyboard.press("Control+k");
  await field().waitFor();
  await page.keyboard.type("mi");
  expect(await active()).toContain("checkout-migration");
  await page.keyboard.press("ArrowDown");
  expect(await active()).toContain("rate-limits");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.getByRole("main", { name: "checkout-migration" }).waitFor();
  expect(await hash()).toBe("#/pane/%2521");
  await page.goBack();
  await page.waitForFunction(() => location.hash === "#/queue");
  expect(await page.getByRole("dialog").count()).toBe(0);
});

test("a command is found by its name and run", async () => {
  await page.keyboard.press("Control+k");
  await page.keyboard.type(">stat");
  expect(await active()).toContain("Stats");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash === "#/stats");
});

test("find in output takes the focus once the palette is gone", async () => {
  await page.keyboard.press("Control+k");
  await page.keyboard.type("find in");
  await page.keyboard.press("Enter");
  const find = page.getByRole("searchbox", { name: "Find in output" });
  await find.waitFor();
  await page.waitForFunction(() => document.activeElement?.matches("input"));
  expect(await find.evaluate((element) => element === document.activeElement)).toBe(true);
});

test("the matches can be broadcast to, without those that wait", async () => {
  await page.keyboard.press("Control+k");
  await page.keyboard.type("mi");
  await page.getByRole("option", { name: /Broadcast to the matches/ }).click();
  await page.getByRole("dialog", { name: "Broadcast" }).waitFor();
  await page.getByRole("button", { name: "Send to 2 panes" }).waitFor();
});

test("nothing found is said, and Escape closes and gives the focus back", async () => {
  const opener = page.getByRole("button", { name: /Search or run/ });
  await opener.focus();
  await page.keyboard.press("Enter");
  await page.keyboard.type("zzzz");
  await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await opener.evaluate((element) => element === document.activeElement)).toBe(true);
});

test("every single key of the help works, and the switch there turns them off", async () => {
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard" });
  await help.waitFor();
  await help.getByRole("switch", { name: "Single keys" }).click();
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  await page.keyboard.press("b");
  await page.keyboard.press("g");
  await page.keyboard.press("s");
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(await hash()).toBe("#/queue");
  await page.keyboard.press("Control+,");
  await page.waitForFunction(() => history.state?.sheet?.name === "settings");
});
