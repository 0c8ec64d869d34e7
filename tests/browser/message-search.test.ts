import { beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { HOMES, SessionFile } from "../../src/demo/session-file.ts";
import { MessageSearch } from "../../src/protocol/agent-replies.ts";
import { becomes } from "../support/becomes.ts";
import { send } from "../support/live-workspace.ts";
import { PageLab } from "../support/page-lab.ts";
import { until } from "../support/until.ts";
import { rare as it } from "../support/thorough.ts";

const lab = PageLab.ofFile();
/** More than a chat shows at once, and more than a page on each side of the middle. */
const TURNS = 300;
const FOUND = TURNS / 2;
const HOUR_MS = 3_600_000;

let url: string;
let page: Page;
let agentId: string;

async function agentsOf(q: string): Promise<MessageSearch["agents"]> {
  const reply = await fetch(`${url}/api/messages?${new URLSearchParams({ q })}`);
  return reply.ok ? MessageSearch.parse(await reply.json()).agents : [];
}

/** A long session that ended days ago: no pane shows it. */
function writeSession(home: string): void {
  let at = Date.now() - 60 * HOUR_MS;
  const session = { id: crypto.randomUUID(), home };
  const file = new SessionFile("agent_a", session, { cwd: home, nowMs: () => at });
  for (let turn = 1; turn <= TURNS; turn++) {
    at += 60_000;
    file.write([{ kind: "prompt", text: `Question ${turn}.` }]);
    at += 1000;
    const text = turn === FOUND ? "The zebra crossing is drawn." : `Answer ${turn}.`;
    file.write([{ kind: "says", text }, { kind: "rests" }]);
  }
  file.close();
}

beforeEach(async () => {
  const home = await mkdtemp(join(tmpdir(), "panewatch-said-"));
  lab.closes(() => rm(home, { recursive: true, force: true }));
  writeSession(home);
  const flags = {
    "agents.agent_a_home": join(home, HOMES.agent_a),
    "agents.agent_b_home": join(home, HOMES.agent_b),
  };
  ({ url } = await lab.service({ tmux: await lab.tmux(), flags }));
  await send(url, "PATCH", "/api/config", { experimental_agent_workspace_enabled: true });
  // The whole log is read; on a busy machine a search may answer in parts.
  agentId = await until(async () => {
    const [last, found] = [await agentsOf(`Answer ${TURNS}.`), await agentsOf("zebra")];
    return (last.length > 0 && found[0]?.id) || null;
  });
  page = await lab.open(`${url}/#/all`);
  await page.getByRole("searchbox").waitFor();
});

const edgesOf = (text: string) =>
  page.getByText(text, { exact: true }).evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return { top: Math.round(top), below: window.innerHeight - bottom };
  });
const inView = async (text: string) => {
  const { top, below } = await edgesOf(text);
  return top > 0 && below > 0;
};

test("All finds an old message of an ended session, and opens the chat around it", async () => {
  await page.getByRole("searchbox").fill("ZEBRA");
  const find = page.getByRole("link", { name: /The zebra crossing is drawn/ });
  await find.waitFor();
  await page.getByText(", ended").waitFor();
  // On a busy machine a search answers in parts, and this stands below the last one.
  const findOlder = page.getByRole("button", { name: "Find older" });
  await becomes(async () => {
    if (await findOlder.isVisible()) await findOlder.tap();
    return page.getByText(/^Kept since /).isVisible();
  }, true);
  await page.getByRole("button", { name: "You", exact: true }).tap();
  await page.getByRole("heading", { name: "Nothing said “ZEBRA”" }).waitFor();
  await page.getByRole("button", { name: "Agents", exact: true }).tap();
  await find.tap();
  await becomes(() => inView("The zebra crossing is drawn."), true);
  expect(await page.locator("[aria-current=location]").innerText()).toContain("zebra");

  // Older and newer messages load, and the one in view does not move.
  const body = page.getByRole("region", { name: "Chat" });
  const scroll = (by: number) => body.evaluate((box, pixels) => box.scrollBy(0, pixels), by);
  const isThere = (text: string) => page.getByText(text, { exact: true }).isVisible();
  expect(await page.getByText("Question 2.", { exact: true }).count()).toBe(0);
  const older = `Question ${FOUND - 20}.`;
  await becomes(async () => {
    await scroll(-400);
    return isThere(older);
  }, true);
  const before = await edgesOf(older);
  await until(async () => (await page.locator(".message-block").count()) > 9);
  expect(Math.abs((await edgesOf(older)).top - before.top)).toBeLessThanOrEqual(2);
  for (const [by, last] of [
    [-6000, "Question 1."],
    [6000, `Answer ${TURNS}.`],
  ] as const)
    await becomes(async () => {
      await scroll(by);
      return isThere(last);
    }, true);
  // However far it is scrolled, a bounded part is kept.
  expect(await page.locator(".messages > li:has(.message-text)").count()).toBeLessThanOrEqual(300);

  // Back leads to the search results.
  await page.goBack();
  await find.waitFor();
  expect(await page.getByRole("searchbox").inputValue()).toBe("ZEBRA");
  await find.tap();
  await page.getByRole("button", { name: "To the newest" }).tap();
  await becomes(() => inView(`Answer ${TURNS}.`), true);
});

it("the palette finds messages; one that was deleted says so, and with the workspace off All offers to switch it on", async () => {
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox");
  await field.fill("zebra");
  await page.getByRole("option", { name: /, ended.*The zebra crossing/ }).tap();
  await becomes(() => inView("The zebra crossing is drawn."), true);
  await page.goto(`${url}/#/all`);
  await page.keyboard.press("Control+k");
  await field.fill(">zebra");
  await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
  await field.fill('"question 29');
  await becomes(() => page.getByRole("option").count(), 9);
  expect(await page.getByRole("dialog").getByRole("group").count()).toBe(1);
  await page.getByRole("option", { name: "All that was said" }).tap();
  await becomes(() => page.getByRole("searchbox").inputValue(), "question 29");
  // The newest three of an agent, the others on a tap.
  const rest = page.getByRole("button", { name: "8 more in this agent" });
  const older = page.getByRole("button", { name: "Find older" });
  // A busy machine answers a long search in parts.
  await becomes(async () => {
    if (await older.isVisible()) await older.tap({ timeout: 1000 }).catch(() => undefined);
    return rest.isVisible();
  }, true);
  await rest.tap();
  await page.getByRole("link", { name: /Question 290\./ }).waitFor();
  await page.getByRole("combobox", { name: "Time" }).selectOption("Today");
  await page.getByRole("heading", { name: "Nothing said “question 29”" }).waitFor();

  await page.goto(`${url}/#/agent/${agentId}/chat/none`);
  await page.getByRole("heading", { name: "This message is no longer kept" }).waitFor();
  await page.getByRole("button", { name: "To the newest" }).tap();
  await becomes(() => inView(`Answer ${TURNS}.`), true);
  await send(url, "PATCH", "/api/config", { experimental_agent_workspace_enabled: false });
  await page.goto(`${url}/#/all`);
  await page.getByRole("searchbox").fill("zebra");
  await page.getByText("Agent workspace finds what was said.").waitFor();
  await page.getByRole("button", { name: "Switch on" }).tap();
  await page.getByRole("dialog").waitFor();
});
