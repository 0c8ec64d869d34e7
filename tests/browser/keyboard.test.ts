import { beforeEach, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import { type Viewport, PHONE } from "../support/browser.ts";
import { calm } from "../support/calm.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";

const lab = PageLab.ofFile();
let server: FixtureServer;
let page: Page;

beforeEach(() => {
  server = lab.server();
});

async function open(viewport: Viewport, hash = ""): Promise<void> {
  page = await lab.open(`${server.url}${hash}`, viewport);
  await page.getByText("Live", { exact: true }).waitFor();
  await calm(page);
}

const sent = () => server.actions.map(({ path, body }) => [path, body["id"], body["key"]]);
const focused = () =>
  page.evaluate(() => document.activeElement?.closest("article")?.textContent ?? "");

test("a whole answer by keyboard: next waiting, a digit arms, Enter sends", async () => {
  await open({ width: 1440, height: 900 }, "#/pane/%2522");
  await page.keyboard.press("n");
  await page.getByRole("heading", { name: "session-rotation" }).waitFor();
  await calm(page);
  await page.keyboard.press("2");
  await page.getByRole("option", { selected: true, name: /allow all edits/ }).waitFor();
  expect(sent()).toEqual([]);
  await page.keyboard.press("Enter");
  await page
    .getByText(/, sent$/)
    .first()
    .waitFor();
  expect(sent()).toEqual([["/api/select", "%12", "2"]]);
  // It works on, and stands once in the list: where it stood, not among those that work as well.
  server.change("%12", { status: "working", question: null, menu: [], evidence: [] });
  await page.locator('[data-row="pane:%12"] .status-working').waitFor();
  expect(await page.locator('[data-row="pane:%12"]').count()).toBe(1);
  // The focus stays where the answers were; Tab goes on to the next.
  await page.getByRole("button", { name: /Next: list-endpoints/ }).waitFor();
  const place = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
  await becomes(place, "Prompt");
  await page.keyboard.press("Tab");
  await page.waitForFunction(() => document.activeElement?.textContent.includes("list-endpoints"));
});

test("arrows move what is armed, Escape disarms, and a changed prompt is never armed", async () => {
  await open({ width: 1440, height: 900 }, "#/pane/%2512");
  await page.keyboard.press("1");
  await page.keyboard.press("ArrowDown");
  await page.getByRole("option", { selected: true, name: /allow all edits/ }).waitFor();
  await page.keyboard.press("Escape");
  await becomes(() => page.getByRole("option", { selected: true }).count(), 0);
  await page.keyboard.press("Enter");

  await page.keyboard.press("1");
  await page.getByRole("option", { selected: true }).waitFor();
  server.change("%12", { question: "Something else?" });
  await page.getByRole("heading", { name: "Something else?" }).waitFor();
  await becomes(() => page.getByRole("option", { selected: true }).count(), 0);
  await page.keyboard.press("Enter");
  await calm(page);
  expect(sent()).toEqual([]);
});

test("the letters of a prompt pick its answers, wherever the focus is, and Enter sends", async () => {
  await open({ width: 1440, height: 900 }, "#/pane/%2521");
  const chosen = page.getByRole("option", { selected: true });
  for (const letter of ["p", "y"]) {
    await page.keyboard.press(letter);
    await becomes(() => chosen.getAttribute("data-key"), letter);
  }
  expect(await page.evaluate(() => location.hash)).toBe("#/pane/%2521");
  expect(await page.getByText("Copied", { exact: true }).count()).toBe(0);
  expect(sent()).toEqual([]);
  await page.keyboard.press("Enter");
  await becomes(sent, [["/api/select", "%21", "y"]]);
});

test("a shell gets several lines, and a prompt gets a text, only after a second tap", async () => {
  await open({ width: 1440, height: 900 }, "#/pane/%2517");
  const field = page.locator("[data-composer]");
  await field.fill("cd /tmp\nrm -rf x");
  const send = page.getByRole("button", { name: "Send", exact: true });
  // A double tap has read nothing.
  await send.evaluate(async (button: HTMLElement) => {
    button.click();
    await new Promise((drawn) => setTimeout(drawn));
    button.click();
  });
  await page.getByText("A shell runs each line. Tap again to send 2 lines.").waitFor();
  await calm(page);
  expect(server.actions).toEqual([]);
  await send.click();
  await page.waitForFunction(() => document.querySelector("textarea")?.value === "");
  expect(server.actions.map(({ body }) => body["text"])).toEqual(["cd /tmp\nrm -rf x"]);
});

test("a snapshot never moves the focus; a card that goes passes it to the next one", async () => {
  await open(PHONE);
  const first = page.locator('article[data-pane="%12"] .card-title');
  await first.focus();
  server.change("%15", { question: "Changed elsewhere?" });
  await page.getByText("Changed elsewhere?").waitFor();
  await becomes(async () => (await focused()).includes("session-rotation"), true);
  server.panes = server.panes.filter(({ id }) => id !== "%12");
  server.pass();
  await page.locator('article[data-pane="%12"]').waitFor({ state: "detached" });
  await becomes(async () => (await focused()).includes("list-endpoints"), true);
});

it("n and p go through those that wait, and Back leads to the list", async () => {
  await open({ width: 1440, height: 900 }, "#/active");
  const at = async (id: string) =>
    page.waitForFunction((hash) => location.hash === hash, `#/pane/${encodeURIComponent(id)}`);
  await page.evaluate(() => {
    location.hash = "#/pane/%2512";
  });
  await at("%12");
  await page.keyboard.press("n");
  await at("%15");
  await page.keyboard.press("p");
  await at("%12");
  await page.goBack();
  await page.waitForFunction(() => location.hash === "#/active");
});

it("the skip link leads past the lists to the pane, F6 from column to column", async () => {
  await open({ width: 1440, height: 900 }, "#/pane/%2512");
  const at = () => page.evaluate(() => document.activeElement?.className.split(" ").at(-1));
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const tag = () => page.evaluate(() => document.activeElement?.tagName);
  await becomes(tag, "MAIN");
  await page.keyboard.press("F6");
  await becomes(at, "scroll");
  await becomes(tag, "ASIDE");
  await page.keyboard.press("F6");
  await becomes(at, "navigator");
  await page.keyboard.press("F6");
  await becomes(at, "detail");
  await page.keyboard.press("Shift+F6");
  await becomes(at, "navigator");
});

it("r and a digit open the reply field, Escape leads back to the answers, and out of a sheet", async () => {
  await open({ width: 1440, height: 900 }, "#/pane/%2512");
  const reply = page.getByRole("textbox", { name: "Reply", exact: true });
  for (let times = 0; times < 2; times++) {
    await page.keyboard.press("r");
    await becomes(() => reply.evaluate((element) => element === document.activeElement), true);
    expect(await reply.inputValue()).toBe("");
    await reply.blur();
  }
  await reply.focus();
  await page.keyboard.type("not lost");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.activeElement?.hasAttribute("data-options"));
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  });
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("3");
  await page.keyboard.press("Enter");
  await becomes(() => reply.inputValue(), "not lost");
  expect(sent()).toEqual([]);

  // A sheet gives the focus back to what opened it; Back closes it too.
  await reply.press("Escape");
  const more = page.getByRole("button", { name: "More", exact: true });
  await more.focus();
  await page.keyboard.press("Enter");
  const menu = page.getByRole("dialog", { name: "More" });
  await menu.waitFor();
  const isInside = () => menu.evaluate((box) => box.contains(document.activeElement));
  await becomes(isInside, true);
  for (let i = 0; i < 30; i++) {
    await page.keyboard.press("Tab");
    expect(await isInside()).toBe(true);
  }
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await becomes(() => more.evaluate((e) => e === document.activeElement), true);
  await more.click();
  await page.getByRole("dialog", { name: "More" }).waitFor();
  await page.goBack();
  await page.getByRole("dialog").waitFor({ state: "detached" });
});
