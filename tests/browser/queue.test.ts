import { beforeEach, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import { calm } from "../support/calm.ts";
import { DESK } from "../support/fixture-page.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";

const lab = PageLab.ofFile();
let server: FixtureServer;

beforeEach(() => {
  server = lab.server();
});

async function open(): Promise<Page> {
  const page = await lab.open(`${server.url}#/queue`);
  await cardOf(page, "session-rotation").waitFor();
  return page;
}

const cardOf = (page: Page, name: string) => page.locator("article", { hasText: name });
const names = (page: Page) => page.locator("article .name").allTextContents();
const marks = () =>
  server.requests.filter(({ method, path }) => method === "PUT" && path.endsWith("/review"));

test("Later puts a card to the end of those that wait, until the queue is entered again; an error is put away by its key", async () => {
  const page = await open();
  await calm(page);
  const [first = "", second = "", ...others] = await names(page);
  const waiting = await page.locator("article", { has: page.getByRole("listbox") }).count();
  await cardOf(page, first).getByRole("button", { name: "Later" }).tap();
  const rest = [second, ...others];
  const later = [...rest.slice(0, waiting - 1), first, ...rest.slice(waiting - 1)];
  await becomes(() => names(page), later);
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
  expect(await focused()).toContain(second);
  await page.getByRole("link", { name: "Active" }).tap();
  await page.getByRole("link", { name: /Queue/ }).tap();
  await becomes(() => names(page), [first, second, ...others]);
  // The number counts the cards that wait, in the title as in the dock.
  await becomes(() => page.getByRole("img", { name: /waiting/ }).textContent(), String(waiting));
  await becomes(() => page.title(), `(${waiting}) panewatch`);
  await calm(page);
  const failed = page.locator("article", { has: page.getByRole("button", { name: "Put away" }) });
  await failed.locator(".card-title").focus();
  await page.keyboard.press("x");
  await failed.waitFor({ state: "detached" });
  expect(server.actions).toEqual([]);
});

test("the card of an agent tells what changed, is reviewed as it was drawn, and goes on waiting", async () => {
  server.switchWorkspace(true);
  const page = await open();
  const card = cardOf(page, "session-rotation");
  // One line below the answers tells what is new and what it does now; it unfolds.
  await card.getByText(/^\d new$/).waitFor();
  await card.getByText("now: Rotate session tokens per device class").tap();
  await card.getByText("Session table has a device column").waitFor();
  await calm(page);
  await card.getByRole("button", { name: "Reviewed" }).tap();
  await becomes(() => marks().length, 1);
  const { id } = server.agents.find("session-rotation").work.current ?? { id: "" };
  expect(marks().map(({ body }) => body)).toEqual([{ snapshot_id: id }]);
  await card.getByRole("option").first().waitFor();
});

it("a row of the queue says the command that its agent may be allowed to run", async () => {
  server.switchWorkspace(true);
  server.change("%12", {
    question: "Do you want to proceed?",
    evidence: ["Bash command", "Run the tests", "npm test -- --run session"],
  });
  const page = await lab.open(`${server.url}#/queue`, { width: 1280, height: 800 });
  const row = page.locator("[data-agent][data-row]", { hasText: "session-rotation" });
  await row.getByText("npm test -- --run session").waitFor();
});

/** What the server says of the panes that there are, and of those that are not shown. */
function listed(listed_panes: number, hidden_panes: number): void {
  const { capabilities } = server.config._info;
  const { health } = capabilities.terminal_provider_v1;
  Object.assign(health, { listed_panes, hidden_panes });
}

it("an empty queue says what is watched and hidden, and Show lists the shells", async () => {
  server.panes = server.panes.filter(({ status }) => status === "idle");
  listed(server.panes.length + 2, 2);
  const page = await lab.open(`${server.url}#/queue`);
  await page.getByText(`Watching tmux: ${server.panes.length} pane`).waitFor();
  await page.getByText("2 idle shells hidden.").waitFor();
  await page.getByRole("button", { name: "Show", exact: true }).tap();
  await page.waitForURL(/#\/all$/);
  expect(server.requests.find(({ method }) => method === "PATCH")?.body).toEqual({
    include_shells: true,
  });
  // Beside the list it is told once.
  await page.setViewportSize(DESK);
  await page.goto(`${server.url}#/queue`);
  const main = page.getByRole("main");
  await main.getByText("Nothing needs you").waitFor();
  await main.getByText(/^Watching tmux/).waitFor();
  expect(await page.getByText("Nothing needs you").count()).toBe(1);
});

it("an empty queue counts the agents that work, and no shell that runs a command", async () => {
  const works = (kind: string) => server.panes.filter((pane) => pane.kind === kind).slice(0, 1);
  server.panes = [...works("shell"), ...works("agent_a")].map((pane) => ({
    ...pane,
    ...{ status: "working", question: null, menu: [], parked: null, finished_at: null },
    ...{ stale: false },
  }));
  const page = await lab.open(`${server.url}#/queue`);
  await page.getByText("1 agent is working. The queue fills when one stops to ask.").waitFor();
  await becomes(() => page.locator("[data-row]").count(), 2);
});

it("where no tmux runs the head says so, and the queue how one is started", async () => {
  server.panes = [];
  listed(0, 0);
  const page = await lab.open(`${server.url}#/queue`);
  await page.getByRole("heading", { name: "No tmux is running" }).waitFor();
  await page.getByText("No tmux", { exact: true }).waitFor();
  const commands = page.locator(".first-steps code");
  await becomes(() => commands.allTextContents(), ["tmux new -s work", "claude"]);
});

it("what is left to set up stands below the queue, ticked when done, gone with the next visit", async () => {
  server.panes = [];
  const page = await lab.open(`${server.url}#/queue`);
  const step = (name: string) => page.getByRole("button", { name: new RegExp(name) });
  await step("On your phone").waitFor();
  await step("Alerts").waitFor();
  await step("Agent workspace").tap();
  await page.getByText("Read agent sessions").waitFor();
  // A page that learns of it has shown the tick: none is there meanwhile.
  await page.goto("about:blank");
  server.switchWorkspace(true);
  await page.goto(`${server.url}#/queue`);
  await page.locator(".set-up .done").waitFor();
  await step("Agent workspace").waitFor();
  await page.reload();
  await step("Alerts").waitFor();
  await step("Agent workspace").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Hide" }).tap();
  await page.reload();
  await page.getByRole("article").first().waitFor();
  expect(await step("Alerts").count()).toBe(0);
});

it("who is done stands below what waits, until somebody looks", async () => {
  const seen = () => server.requests.filter(({ path }) => path === "/api/seen").length;
  server.replies["/api/seen"] = ({ id }) => {
    server.change(String(id), { finished_at: null });
    return { ok: true };
  };
  const done = server.panes.find(({ status, agent }) => status === "idle" && agent !== null);
  const id = done?.id ?? "";
  server.change(id, { finished_at: Date.now() / 1000 - 60 });
  const page = await open();
  await page.getByRole("heading", { name: /^Finished/ }).waitFor();
  await page.locator(`[data-row="${id}"]`).click();
  await becomes(seen, 1);
  await page.goBack();
  await becomes(() => page.getByRole("heading", { name: /^Finished/ }).count(), 0);
  expect(seen()).toBe(1);
});
