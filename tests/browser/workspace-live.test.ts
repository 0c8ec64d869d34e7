import { beforeEach, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import { PHONE } from "../support/browser.ts";
import { calm } from "../support/calm.ts";
import { hasDone, LiveWorkspace, WorkspaceTraffic } from "../support/live-workspace.ts";
import { PageLab } from "../support/page-lab.ts";
import { PageTime } from "../support/page-time.ts";
import { type RecordedAgent, screensOf } from "../support/recorded-stage.ts";
import { rare as it } from "../support/thorough.ts";

const lab = PageLab.ofFile();
let workspace: LiveWorkspace;
beforeEach(async () => {
  workspace = await LiveWorkspace.open(lab);
});

const blank = async (): Promise<Page> => (await lab.page(PHONE)).page;
async function open(hash: string): Promise<Page> {
  const page = await blank();
  await page.goto(`${workspace.url}/${hash}`);
  return page;
}

const cardOf = (page: Page, name: string) => page.locator("article", { hasText: name });
const arrivals = () => workspace.stage.arrivals;

/** The keys that take an answer in the recorded dialogs, as the programs take them: at once. */
const TAKES_POSTGRES = { question: { "2": "answered" } };

test("a question comes up in the queue, is answered there once, and its log ends it", async () => {
  const page = await open("#/queue");
  await page.getByText(/Nothing needs you|No tmux is running/).waitFor();
  const agent = await workspace.stage.enter({
    ...{ name: "storage", runtime: "agent-a", recording: "question-single", at: "question" },
    keys: TAKES_POSTGRES,
  });
  const card = cardOf(page, "storage");
  await card.getByText("Which database should the service use?").waitFor();
  // What its log tells comes a moment after its screen, and the card grows with it.
  await page.locator("article[data-agent]", { hasText: "storage" }).waitFor();
  await calm(page);
  await card.getByRole("option", { name: "PostgreSQL" }).tap();
  await becomes(arrivals, [{ name: "storage", screen: "question", data: "2" }]);
  await agent.grow("answered");
  await card.getByText(/, confirmed$/).waitFor();
  expect(arrivals()).toHaveLength(1);
});

test("of three picked answers two leave in order, and one has changed and says how", async () => {
  const { stage } = workspace;
  await stage.enter({
    ...{ name: "first", runtime: "agent-a", recording: "question-single", at: "question" },
    keys: TAKES_POSTGRES,
  });
  await stage.enter({
    ...{ name: "second", runtime: "agent-b", recording: "question-single", at: "question" },
    keys: TAKES_POSTGRES,
  });
  const { plan = "" } = screensOf("agent-a", "plan-approved");
  const third = await stage.enter({
    ...{ name: "third", runtime: "agent-a", recording: "plan-approved", at: "plan" },
    screens: { changed: plan.replace(/use\S* \S*auto\S* \S*mode/, "auto-accept edits") },
  });
  for (const name of ["first", "second", "third"])
    await workspace.card(name, ({ decisions }) => decisions.length === 1);
  const page = await open("#/queue");
  await page.getByRole("radio", { name: "Collect answers" }).tap();
  const choose = async (name: string, option: string) => {
    await calm(page);
    await cardOf(page, name).getByRole("option", { name: option }).tap();
  };
  await choose("third", "Yes, manually approve edits");
  await choose("second", "PostgreSQL");
  await choose("first", "PostgreSQL");
  // As long as they wait: both may have been found by one look.
  const names = await page.locator("article .name").allTextContents();
  const inOrder = names.filter((name) => name !== "third");
  expect(inOrder.toSorted()).toEqual(["first", "second"]);
  // The first answer is on its way while the last question changes.
  const gate = Promise.withResolvers<void>();
  await page.route("**/api/select", async (route) => {
    await gate.promise;
    await route.continue();
  });
  await calm(page);
  await page.getByRole("button", { name: "Send 3" }).click();
  await page.getByText("Sending 1 of 3").first().waitFor();
  third.show("changed");
  await workspace.card("third", ({ decisions: [decision] }) =>
    (decision?.options ?? []).some(({ label }) => label.includes("auto-accept")),
  );
  gate.resolve();
  await page.getByText("2 sent, 1 not").first().waitFor();
  await cardOf(page, "third").getByText("This prompt just changed").waitFor();
  const sent = inOrder.map((name) => ({ name, screen: "question", data: "2" }));
  expect(arrivals()).toEqual(sent);
});

test("a mark is of what was drawn when the finger came down; what the agent did then stays", async () => {
  const agent = await workspace.stage.enter({
    ...{ name: "cart", runtime: "agent-a", recording: "todos", at: "first" },
  });
  await workspace.card("cart");
  const page = await blank();
  const traffic = new WorkspaceTraffic(page);
  await page.goto(`${workspace.url}/#/queue`);
  const card = cardOf(page, "cart");
  await card.getByRole("button", { name: "Reviewed" }).waitFor();
  const drawn = await traffic.drawn(workspace.stage.paneOf("cart"));
  await calm(page);
  await card.getByRole("button", { name: "Reviewed" }).hover();
  await page.mouse.down();
  // It goes on while the finger is down.
  await Promise.all([agent.goOn("second"), page.mouse.up()]);
  const left = await workspace.card(
    "cart",
    (group) => group.reviewed_at !== null && hasDone("Read the cart module")(group),
  );
  expect(left.reviewed_snapshot_id).toBe(drawn);
  // Drawn anew, the card holds what came since, and nothing else.
  await page.reload();
  await card.getByText("Read the cart module").filter({ visible: true }).first().waitFor();
  expect(await card.getByText("New goal").count()).toBe(0);
});

test("a message to an idle agent arrives once, and its log has it", async () => {
  const agent = await workspace.stage.enter({
    ...{ name: "shop", runtime: "agent-a", recording: "two-panes-same-cwd", at: "A-only" },
    keys: { "A-only": { Enter: "A-again" } },
  });
  const { agent_id } = await workspace.card("shop", ({ agent }) => agent.lifecycle === "idle");
  const page = await open(`#/agent/${agent_id}`);
  const said = page.locator(".messages li");
  await said.getByText("Answer to pane A.").waitFor();
  await page.getByRole("textbox", { name: "Message shop" }).fill("Another task of pane A");
  await calm(page);
  await page.getByRole("button", { name: "Send", exact: true }).tap();
  const own = said.filter({ hasText: "Another task of pane A" });
  await becomes(() => arrivals().map(({ data }) => data), ["Another task of pane A", "\r"]);
  await agent.grow("A-again");
  await own.getByText("Seen in its log").waitFor();
  await said.getByText("Second answer to pane A.").waitFor();
  expect(await own.count()).toBe(1);
  expect(arrivals()).toHaveLength(2);
});

it("what events name is asked for once, and only where it is shown", async () => {
  const enter = (name: string) =>
    workspace.stage.enter({ name, runtime: "agent-a", recording: "todos", at: "first" });
  /** Lets the agent go on twice while the page's time stands still, and says what the page asks then. */
  const asked = async (agent: RecordedAgent, name: string, hash: string) => {
    const page = await blank();
    const traffic = new WorkspaceTraffic(page);
    const time = await PageTime.of(page);
    await page.goto(`${workspace.url}/${hash}`);
    await page.getByText(name, { exact: true }).first().waitFor();
    await calm(page);
    await time.stop();
    traffic.asked.length = 0;
    const before = traffic.heard.length;
    for (const { mark, lifecycle, done } of STEPS) {
      await agent.goOn(mark);
      await workspace.card(name, ({ agent: { context } }) =>
        Bun.deepEquals([context.lifecycle, context.progress?.completed], [lifecycle, done]),
      );
    }
    const cursor = await workspace.cursor();
    await becomes(() => (traffic.heard.at(-1)?.cursor ?? 0) >= cursor, true);
    expect(traffic.heard.length - before).toBeGreaterThan(1);
    expect(traffic.asked).toEqual([]);
    await time.pass(REST_MS);
    expect(traffic.opened).toBe(1);
    return traffic.asked.toSorted();
  };
  const cart = await enter("cart");
  await workspace.card("cart");
  expect(await asked(cart, "cart", "#/queue")).toEqual([]);
  const other = await enter("other");
  const { agent_id } = await workspace.card("other");
  expect(await asked(other, "other", `#/agent/${agent_id}`)).toEqual([
    `GET /api/agents/${agent_id}`,
    `GET /api/agents/${agent_id}/messages?limit=100`,
    `GET /api/agents/${agent_id}/steps`,
    `GET /api/agents/${agent_id}/timeline?limit=50`,
  ]);
});

/** How the recorded agent goes on, and what is known of it then. */
const STEPS = [
  { mark: "second", lifecycle: "working", done: 1 },
  { mark: "done", lifecycle: "idle", done: 3 },
];
/** Longer than the page rests between two questions. */
const REST_MS = 3000;
