import { beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import { PHONE, type Viewport } from "../support/browser.ts";
import { calm, clickCalmly } from "../support/calm.ts";
import { DESK, openFixture } from "../support/fixture-page.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";

const lab = PageLab.ofFile();
let server: FixtureServer;
let page: Page;

beforeEach(() => {
  server = lab.server();
});

async function open(hash = "", viewport: Viewport = DESK): Promise<void> {
  ({ page } = await openFixture(lab, { server, viewport, hash }));
  await calm(page);
}

const sent = () => server.actions.map(({ path, body }) => [path, body["id"], body["key"]]);
const focused = () =>
  page.evaluate(() => document.activeElement?.closest("article")?.textContent ?? "");

test("by keyboard alone: next waiting pane, select, send and write", async () => {
  await open("#/pane/%2522");
  await page.keyboard.press("n");
  await page.getByRole("heading", { name: "session-rotation" }).waitFor();
  // What is asked names its answers.
  await page
    .getByRole("listbox", { name: "Do you want to make this edit to session.ts?" })
    .waitFor();
  expect(await page.getByRole("log", { name: "Terminal" }).getAttribute("aria-live")).toBe("off");
  await calm(page);
  const hint = page.getByText("press a number, then");
  expect(await hint.count()).toBe(1);
  await page.keyboard.press("2");
  await page.getByRole("option", { selected: true, name: /allow all edits/ }).waitFor();
  expect(sent()).toEqual([]);
  await page.keyboard.press("Enter");
  await page
    .getByText(/, sent/)
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
  await becomes(place, "Question");
  await page.keyboard.press("Tab");
  await page.waitForFunction(() => document.activeElement?.textContent.includes("list-endpoints"));

  await page.keyboard.press("i");
  await page.waitForFunction(() => document.activeElement?.hasAttribute("data-composer"));
  await page.keyboard.type("g l 1 n");
  await becomes(() => page.locator("[data-composer]").inputValue(), "g l 1 n");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.activeElement?.matches("input, textarea"));
  expect(sent()).toHaveLength(1);
  // Without options no key answers.
  server.change("%12", { status: "needs_input", question: "Name of the release:" });
  await page.getByRole("heading", { name: "Name of the release:" }).waitFor();
  expect(await page.getByText(/^press (a number|its letter)/).count()).toBe(0);
});

test("arrows and letters select wherever the focus is; Escape, a changed prompt, a lost connection and a prompt that is asked anew clear it; Enter sends", async () => {
  await open("#/pane/%2512");
  const chosen = page.getByRole("option", { selected: true });
  const first = page.getByRole("option").first();
  await page.keyboard.press("1");
  await page.keyboard.press("ArrowDown");
  await page.getByRole("option", { selected: true, name: /allow all edits/ }).waitFor();
  await page.keyboard.press("Escape");
  await becomes(() => chosen.count(), 0);
  await page.keyboard.press("Enter");
  await page.keyboard.press("1");
  await chosen.waitFor();
  server.change("%12", { question: "Something else?" });
  await page.getByRole("heading", { name: "Something else?" }).waitFor();
  await becomes(() => chosen.count(), 0);
  await page.keyboard.press("Enter");
  await calm(page);
  await page.keyboard.press("1");
  await chosen.waitFor();
  server.isUnreachable = true;
  server.closeSockets();
  await page.locator('[role="listbox"][aria-disabled="true"]').first().waitFor();
  server.isUnreachable = false;
  await page.getByText("Live", { exact: true }).waitFor();
  await calm(page);
  expect(await chosen.count()).toBe(0);

  await page.keyboard.press("1");
  await chosen.waitFor();
  const { menu, question, evidence } = server.find("%12");
  server.change("%12", { status: "working", question: null, menu: [], evidence: [] });
  await first.waitFor({ state: "detached" });
  server.change("%12", { status: "needs_input", question, menu, evidence });
  await first.waitFor();
  await calm(page);
  expect(await chosen.count()).toBe(0);
  await page.keyboard.press("Enter");
  await page.goto(`${server.url}#/pane/%2521`);
  await page.getByRole("main", { name: "checkout-migration" }).waitFor();
  await calm(page);
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

test("a first press on Send counts only for the prompt it was made on; several lines go to a shell after a second one, which a double tap is not", async () => {
  await open("#/pane/%2512");
  const { question = "" } = server.find("%12");
  const warning = page.getByText("Tap again to send the text to its prompt.");
  const send = page.getByRole("button", { name: "Send", exact: true });
  const field = page.locator("[data-composer]");
  await field.fill("not that one");
  await send.click();
  await warning.waitFor();
  server.change("%12", { question: "Something else?" });
  await page.getByRole("heading", { name: "Something else?" }).waitFor();
  server.change("%12", { question });
  await page.getByRole("heading", { name: question ?? "" }).waitFor();
  await becomes(() => warning.count(), 0);
  await clickCalmly(send);
  await warning.waitFor();

  await page.goto(`${server.url}#/pane/%2517`);
  await page.locator('[data-composer="%17"]').fill("cd /tmp\nrm -rf x");
  await calm(page);
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

test("a snapshot does not move the focus; a card that leaves passes it to the next one", async () => {
  await open("", PHONE);
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

it("the skip link leads to the pane, F6 moves from column to column", async () => {
  await open("#/pane/%2512");
  const at = () => page.evaluate(() => document.activeElement?.className.split(" ").at(-1));
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const tag = () => page.evaluate(() => document.activeElement?.tagName);
  await becomes(tag, "MAIN");
  await page.keyboard.press("F6");
  await becomes(tag, "ASIDE");
  await page.keyboard.press("F6");
  await becomes(at, "navigator");
  await page.keyboard.press("F6");
  await becomes(at, "detail");
  await page.keyboard.press("Shift+F6");
  await becomes(at, "navigator");
});

it("r and a digit open the reply field, Escape leaves it and closes a sheet, which keeps the focus", async () => {
  await open("#/pane/%2512");
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

  // A sheet keeps the focus, and gives it back to what opened it.
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
});

/** The palette over the fleet at a desk. */
describe("the palette and the keys", () => {
  beforeEach(async () => {
    ({ page } = await openFixture(lab, { viewport: DESK, server }));
  });

  const field = () => page.getByRole("combobox", { name: "Search panes, agents and commands" });
  /** Until the active option has this name. */
  const isActive = (name: string) =>
    page.waitForFunction((wanted) => {
      const id = document.activeElement?.getAttribute("aria-activedescendant") ?? "";
      return document.getElementById(id)?.innerText.includes(wanted);
    }, name);
  async function search(text: string): Promise<void> {
    await page.keyboard.press("Control+k");
    await page.waitForFunction(() => document.activeElement?.matches("[role=combobox]"));
    await page.keyboard.type(text);
  }
  const hash = () => page.evaluate(() => location.hash);

  it("the palette finds panes, settings, a broadcast and commands by keyboard; Back returns", async () => {
    await search("mi");
    expect(await field().count()).toBe(1);
    await isActive("checkout-migration");
    // The same result stays chosen when another one comes above it.
    server.change("%12", { name: "mine" });
    await page.getByRole("option", { name: /mine/ }).waitFor();
    await isActive("checkout-migration");
    await page.keyboard.press("ArrowDown");
    await isActive("rate-limits");
    await page.keyboard.press("ArrowUp");
    await isActive("checkout-migration");
    await page.keyboard.press("Enter");
    await page.getByRole("main", { name: "checkout-migration" }).waitFor();
    expect(await hash()).toBe("#/pane/%2521");
    await page.goBack();
    await page.waitForFunction(() => location.hash === "#/queue");
    await becomes(() => page.getByRole("dialog").count(), 0);
    // Settings are found by title, and are not listed without a search.
    await search("");
    expect(await page.getByRole("group", { name: "Settings" }).count()).toBe(0);
    await page.keyboard.type("answering");
    await page.getByRole("group", { name: "Settings" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Settings" }).waitFor();
    await page.waitForFunction(() => history.state?.sheet?.name === "settings-answering");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await becomes(() => page.getByRole("dialog").count(), 0);
    // Broadcast to the matches leaves out those that wait.
    await search("mi");
    await page.getByRole("option", { name: /Broadcast to the matches/ }).click();
    await page.getByRole("dialog", { name: "Broadcast" }).waitFor();
    await page.getByRole("button", { name: "Send to 2 panes" }).waitFor();
    await page.keyboard.press("Escape");
    await becomes(() => page.getByRole("dialog").count(), 0);
    await search(">stat");
    await isActive("Stats");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => location.hash === "#/stats");
    // Find in output takes the focus once the palette has closed.
    await page.evaluate(() => location.assign("#/pane/%2512"));
    await page.getByRole("log").waitFor();
    await search("find in");
    await isActive("Find in output");
    await page.keyboard.press("Enter");
    const find = page.getByRole("searchbox", { name: "Find in output" });
    await find.waitFor();
    await becomes(() => find.evaluate((element) => element === document.activeElement), true);
    await search("zzzz");
    await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
  });

  it("the switch in the help turns single keys off", async () => {
    server.switchWorkspace(true);
    await page.goto(`${server.url}?again#/pane/%2516`);
    await page.getByRole("navigation", { name: "Page" }).waitFor();
    const hints = () => page.locator("kbd:visible").allInnerTexts();
    expect(await hints()).toContain("o");
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard" });
    await help.getByRole("switch", { name: "Single keys" }).click();
    // The help still lists single keys, struck through; no hint shows one.
    await help.locator(".help-line .dead").first().waitFor();
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    expect((await hints()).filter((text) => /^[a-z?]$/.test(text))).toEqual(["k"]);
    await page.keyboard.press("b");
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await calm(page);
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(await hash()).toBe("#/pane/%2516");
    await page.keyboard.press("Control+,");
    await page.waitForFunction(() => history.state?.sheet?.name === "settings");
  });

  it("a touch screen shows no key hints outside the help", async () => {
    const own = await openFixture(lab, { viewport: { width: 1366, height: 1024, touch: true } });
    await own.page.getByRole("button", { name: /Search or run/ }).waitFor();
    expect(await own.page.locator(".key-caps:visible, kbd:visible").count()).toBe(0);
    await own.page.getByRole("button", { name: "Shortcuts" }).tap();
    await own.page.locator(".help-line .key-caps").first().waitFor();
  });

  test("a key runs only what the selected card offers", async () => {
    await page.getByRole("option").first().waitFor();
    await page.evaluate(() => {
      const foot = document.createElement("footer");
      for (const name of ["putAway", "mark", "later"]) {
        const button = document.createElement("button");
        button.dataset[name] = "";
        button.addEventListener("click", () => foot.setAttribute("data-pressed", name));
        foot.append(button);
      }
      foot.dataset["acts"] = "";
      document.body.append(foot);
    });
    const failed = server.panes.find(({ status }) => status === "error")?.name ?? "";
    const row = page.locator(".navigator [data-row]").filter({ hasText: failed });
    // A waiting pane cannot be put away, and nothing is reviewed while the workspace is off.
    for (const key of ["x", "m"]) await page.keyboard.press(key);
    await row.waitFor();
    await row.click();
    await page.getByRole("button", { name: /^Put away/ }).waitFor();
    await calm(page);
    await page.keyboard.press("x");
    await row.waitFor({ state: "detached" });
    expect(await page.locator("[data-pressed]").count()).toBe(0);
  });
});
