import { beforeEach, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { DESK, openFixture, type FixturePage } from "../support/fixture-page.ts";
import { becomes } from "../support/becomes.ts";
import { calm } from "../support/calm.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";

const lab = PageLab.ofFile();
let fixture: FixturePage;
let page: Page;

beforeEach(async () => {
  fixture = await openFixture(lab, { viewport: DESK });
  ({ page } = fixture);
});

const field = () => page.getByRole("combobox", { name: "Search panes, agents and commands" });
/** Until the row that Enter would take has this name. */
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

test("a pane, a page of the settings, a broadcast and a command are found by the keyboard alone; Back leads back", async () => {
  await search("mi");
  expect(await field().count()).toBe(1);
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
  // A page of the settings is found by its title, and only when it is looked for.
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
  // The matches can be broadcast to, without those that wait.
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
});

it("the focus goes to find in output once the palette is gone, or back to what opened it", async () => {
  await page.evaluate(() => location.assign("#/pane/%2512"));
  await page.getByRole("log").waitFor();
  await search("find in");
  await isActive("Find in output");
  await page.keyboard.press("Enter");
  const find = page.getByRole("searchbox", { name: "Find in output" });
  await find.waitFor();
  await becomes(() => find.evaluate((element) => element === document.activeElement), true);
  // Nothing found is said, and Escape closes it and gives the focus back.
  const opener = page.getByRole("button", { name: /Search or run/ });
  await opener.focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.matches("[role=combobox]"));
  await page.keyboard.type("zzzz");
  await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await becomes(() => opener.evaluate((element) => element === document.activeElement), true);
});

it("every single key of the help works, and the switch there turns them off", async () => {
  fixture.server.switchWorkspace(true);
  await page.goto(`${fixture.server.url}?again#/pane/%2516`);
  await page.getByRole("navigation", { name: "Page" }).waitFor();
  const hints = () => page.locator("kbd:visible").allInnerTexts();
  expect(await hints()).toContain("o");
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard" });
  await help.getByRole("switch", { name: "Single keys" }).click();
  // The list of all keys goes on telling them, struck through; no hint names one.
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

it("a finger is told no keys", async () => {
  const own = await openFixture(lab, { viewport: { width: 1366, height: 1024, touch: true } });
  await own.page.getByRole("button", { name: /Search or run/ }).waitFor();
  expect(await own.page.locator(".key-caps:visible, kbd:visible").count()).toBe(0);
  await own.page.getByRole("button", { name: "Shortcuts" }).tap();
  await own.page.locator(".help-line .key-caps").first().waitFor();
});

test("a key does what the selected card offers, and presses no button of the page", async () => {
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
  const failed = fixture.server.panes.find(({ status }) => status === "error")?.name ?? "";
  const row = page.locator(".navigator [data-row]").filter({ hasText: failed });
  // What waits is not put away, and nothing is reviewed while the agent workspace is off.
  for (const key of ["x", "m"]) await page.keyboard.press(key);
  await row.waitFor();
  await row.click();
  await page.getByRole("button", { name: /^Put away/ }).waitFor();
  await calm(page);
  await page.keyboard.press("x");
  await row.waitFor({ state: "detached" });
  expect(await page.locator("[data-pressed]").count()).toBe(0);
});

it("what was said is found last, also by agents that have ended, and leads to its message", async () => {
  const own = await openFixture(lab, {
    viewport: DESK,
    prepare: (server) => {
      server.switchWorkspace(true);
      const { capabilities } = server.config._info;
      server.config._info.capabilities = { ...capabilities, search_v1: { version: 1 } };
    },
  });
  ({ page } = own);
  const none = { association: "unavailable", pane_id: null } as const;
  own.server.agents.changeAgent("css-audit", none);
  const { agent } = own.server.agents.find("css-audit").work;
  const find = { agent_id: agent.id, role: "assistant", created_at: 1, before: "uses " };
  own.server.hook = ({ path }) =>
    path.startsWith("/api/messages")
      ? Response.json({
          finds: [{ ...find, id: "m/1", match: "calc()", after: " nowhere" }],
          agents: [{ ...agent, pane_id: null, lifecycle: "offline", title: "CSS <i>audit</i>" }],
          next_cursor: "more",
          retained_from: 1,
        })
      : undefined;
  const asked = () => own.server.requests.filter(({ path }) => path === "/api/messages");
  await search("c");
  await page.keyboard.type("alc");
  const row = page.getByRole("option", {
    name: /CSS <i>audit<\/i>.*, ended.*uses calc\(\) nowhere/,
  });
  await row.waitFor();
  expect(await page.getByRole("group").last().getByRole("option").count()).toBe(2);
  // Not each letter on its way was asked for.
  const asks = asked().length;
  expect(asks).toBeLessThan("calc".length);
  await row.click();
  await page.waitForFunction(() => location.hash.endsWith("/chat/m%2F1"));
  await search(">calc");
  await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
  expect(asked()).toHaveLength(asks);
  await page.keyboard.press("Escape");
  await page.getByRole("combobox").waitFor({ state: "detached" });
  await search("calc");
  await page.getByRole("option", { name: "All that was said" }).click();
  await page.waitForFunction(() => location.hash === "#/all");
  await becomes(() => page.getByRole("searchbox").inputValue(), "calc");
  await page.getByRole("link", { name: /uses calc\(\) nowhere/ }).waitFor();
});
