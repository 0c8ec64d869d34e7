import { beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import { PHONE } from "../support/browser.ts";
import { calm, clickCalmly, tapCalmly, taps } from "../support/calm.ts";
import { DESK } from "../support/fixture-page.ts";
import { fixturePanes } from "../support/fixture-panes.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { PageLab } from "../support/page-lab.ts";
import { PageTime, patient } from "../support/page-time.ts";
import { rare as it } from "../support/thorough.ts";
import { until } from "../support/until.ts";
import { keepOnly } from "./agent-scenes.ts";
import { SIZES } from "./scene.ts";

const lab = PageLab.ofFile();
let server: FixtureServer;

beforeEach(() => {
  server = lab.server();
});

const openQueue = () => lab.open(`${server.url}#/queue`);
async function open(): Promise<Page> {
  const page = await openQueue();
  await cardOf(page, "session-rotation").waitFor();
  return page;
}

const cardOf = (page: Page, name: string) => page.locator("article", { hasText: name });
const names = (page: Page) => page.locator("article .name").allTextContents();
const marks = () => server.asked("/review", "PUT");

test("Later puts a card last among those that wait, until the queue is opened again; a key puts an error away", async () => {
  const page = await open();
  await calm(page);
  const [first = "", second = "", ...others] = await names(page);
  const waiting = await page.locator("article", { has: page.getByRole("listbox") }).count();
  await cardOf(page, first).getByRole("button", { name: "Later" }).tap();
  const rest = [second, ...others];
  const later = [...rest.slice(0, waiting - 1), first, ...rest.slice(waiting - 1)];
  await becomes(() => names(page), later);
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
  await becomes(async () => (await focused()).includes(second), true);
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

test("a flag of a command is not broken after its dashes", async () => {
  const page = await open();
  const command = cardOf(page, "checkout-migration").locator(".excerpt .line");
  await command.scrollIntoViewIfNeeded();
  const rowsOf = (flag: string) =>
    command.evaluate((line, text) => {
      const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
      for (let at = texts.nextNode(); at !== null; at = texts.nextNode()) {
        const from = at.nodeValue?.indexOf(text) ?? -1;
        if (from < 0) continue;
        const range = new Range();
        range.setStart(at, from);
        range.setEnd(at, from + text.length);
        return new Set([...range.getClientRects()].map(({ top }) => top)).size;
      }
      return 0;
    }, flag);
  expect(await command.textContent()).toBe(
    "pnpm prisma migrate deploy --schema packages/db/schema.prisma",
  );
  expect(await rowsOf("--schema")).toBe(1);
});

it("a row of the queue names the command that is asked about", async () => {
  server.switchWorkspace(true);
  server.change("%12", {
    question: "Do you want to proceed?",
    evidence: ["Bash command", "Run the tests", "npm test -- --run session"],
  });
  const page = await lab.open(`${server.url}#/queue`, { width: 1280, height: 800 });
  const row = page.locator("[data-agent][data-row]", { hasText: "session-rotation" });
  await row.getByText("npm test -- --run session").waitFor();
});

/** Sets how many panes the server reports as listed and as hidden. */
function listed(listed_panes: number, hidden_panes: number): void {
  const { capabilities } = server.config._info;
  const { health } = capabilities.terminal_provider_v1;
  Object.assign(health, { listed_panes, hidden_panes });
}

it("an empty queue counts watched and hidden panes and working agents, and Show lists the shells", async () => {
  server.panes = server.panes.filter(({ status }) => status === "idle");
  listed(server.panes.length + 2, 2);
  const page = await openQueue();
  await page.getByText(`Watching tmux: ${server.panes.length} pane`).waitFor();
  await page.getByText("2 idle shells hidden.").waitFor();
  await page.getByRole("button", { name: "Show", exact: true }).tap();
  await page.waitForURL(/#\/all$/);
  expect(server.requests.find(({ method }) => method === "PATCH")?.body).toEqual({
    include_shells: true,
  });
  // Beside the list it stands once.
  await page.setViewportSize(DESK);
  await page.goto(`${server.url}#/queue`);
  const main = page.getByRole("main");
  await main.getByText("Nothing needs you").waitFor();
  await main.getByText(/^Watching tmux/).waitFor();
  expect(await page.getByText("Nothing needs you").count()).toBe(1);
  // It counts working agents, not working shells.
  const works = (kind: string) =>
    fixturePanes()
      .filter((pane) => pane.kind === kind)
      .slice(0, 1);
  server.panes = [...works("shell"), ...works("agent_a")].map((pane) => ({
    ...pane,
    ...{ status: "working", question: null, menu: [], parked: null, finished_at: null },
    ...{ stale: false },
  }));
  server.pass();
  await page.getByText("1 agent is working. The queue fills when one stops to ask.").waitFor();
  await becomes(() => page.locator("[data-row]").count(), 2);
});

it("set-up steps stand below the queue, ticked once done and gone on the next visit", async () => {
  server.panes = [];
  const page = await openQueue();
  const step = (name: string) => page.getByRole("button", { name: new RegExp(name) });
  await step("On your phone").waitFor();
  await step("Alerts").waitFor();
  await step("Agent workspace").tap();
  await page.getByText("Read agent sessions").waitFor();
  // An open page would show the tick at once: none is open meanwhile.
  await page.goto("about:blank");
  server.switchWorkspace(true);
  await page.goto(`${server.url}#/queue`);
  await page.locator(".set-up .icon-check").waitFor();
  await step("Agent workspace").waitFor();
  await page.reload();
  await step("Alerts").waitFor();
  await step("Agent workspace").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Hide" }).tap();
  await page.reload();
  await page.getByRole("article").first().waitFor();
  expect(await step("Alerts").count()).toBe(0);
});

it("a finished agent stands below those that wait until its pane was seen", async () => {
  const seen = () => server.asked("/api/seen").length;
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

const ofWorkspace = () =>
  server.requests.filter(({ path }) => /review|agents|decisions|timeline/.test(path));

test("the workspace adds and removes agents' cards, and asks nothing while it is off", async () => {
  const page = await openQueue();
  await cardOf(page, "session-rotation").waitFor();
  expect(ofWorkspace()).toEqual([]);
  server.switchWorkspace(true);
  await page.reload();
  await cardOf(page, "integration-tests").waitFor();
  // The cards come with the panes: an agent's event causes no request.
  await calm(page);
  const asked = ofWorkspace().length;
  server.agents.changeAgent("query-planner", { lifecycle: "waiting" });
  await calm(page);
  expect(ofWorkspace()).toHaveLength(asked);
  server.switchWorkspace(false);
  await cardOf(page, "integration-tests").waitFor({ state: "detached" });
  await cardOf(page, "session-rotation").waitFor();
  await calm(page);
  const before = ofWorkspace().length;
  server.agents.changeAgent("query-planner", { lifecycle: "working" });
  await calm(page);
  expect(ofWorkspace()).toHaveLength(before);
});

test("later replies do not move the answers of the first card; an agent's card counts its news, names the current work, and unfolds", async () => {
  server.switchWorkspace(true);
  const { page } = await lab.page(PHONE);
  await page.addInitScript(() => {
    const places = new Set<number>();
    Object.assign(window, { places });
    const look = () => {
      const option = document.querySelector("[role=option]");
      if (option !== null) places.add(Math.round(option.getBoundingClientRect().top));
      requestAnimationFrame(look);
    };
    look();
  });
  await page.goto(`${server.url}#/queue`);
  await cardOf(page, "checkout-migration").getByText("2 new").waitFor();
  await cardOf(page, "checkout-migration").getByRole("button", { name: "Reviewed" }).waitFor();
  await calm(page);
  expect(await page.evaluate(() => [...Reflect.get(window, "places")].length)).toBe(1);
  const card = cardOf(page, "session-rotation");
  await card.getByText(/^\d new$/).waitFor();
  await card.getByText("now: Rotate session tokens per device class").tap();
  await card.getByText("Session table has a device column").waitFor();
});

it("a decision that no screen shows is one line that leads to its pane, and goes once it is resolved", async () => {
  server.switchWorkspace(true);
  const page = await openQueue();
  const card = cardOf(page, "integration-tests");
  const question = card.getByRole("heading", { name: "Warehouse 3 reports negative stock" });
  await question.waitFor();
  expect(await card.getByRole("option").count()).toBe(0);
  await card.getByRole("button", { name: "Open pane" }).tap();
  await page.getByRole("log").waitFor();
  expect(server.asked("/reply")).toEqual([]);
  await page.goBack();
  await question.waitFor();
  // The number in the dock counts decisions on every page.
  await page.getByRole("link", { name: "Active" }).tap();
  await page.getByRole("link", { name: "5 wait in the queue" }).tap();
  await question.waitFor();
  server.agents.changeDecision("stock-sync", { status: "resolved" });
  await question.waitFor({ state: "detached" });
});

describe("a review mark", () => {
  beforeEach(() => server.switchWorkspace(true));

  test("sends the snapshot drawn when the finger came down; later news stays unmarked", async () => {
    const page = await openQueue();
    const card = cardOf(page, "query-planner");
    await card.waitFor();
    const drawn = server.agents.snapshotOf("query-planner");
    await calm(page);
    await card.getByRole("button", { name: "Reviewed" }).hover();
    await page.mouse.down();
    const { context } = server.agents.find("query-planner");
    const done = [...context.completed_items, { id: "x", title: "A later one", completed_at: 1 }];
    server.agents.changeAgent("query-planner", { context: { ...context, completed_items: done } });
    const later = server.agents.snapshotOf("query-planner");
    await card.getByText("A later one").waitFor();
    await page.mouse.up();
    const put = await until(() => marks()[0]);
    expect(put.body).toEqual({ snapshot_id: drawn });
    // A second press marks the later news.
    await clickCalmly(card.getByRole("button", { name: "Reviewed" }));
    await until(() => marks().some(({ body }) => body["snapshot_id"] === later));
  });

  test("that fails keeps its card, and a second press sends the same", async () => {
    const page = await openQueue();
    const card = cardOf(page, "rate-limits");
    await card.waitFor();
    // A press while the list scrolls is ignored.
    const press = async () => {
      const button = card.getByRole("button", { name: "Reviewed" });
      await button.scrollIntoViewIfNeeded();
      await clickCalmly(button);
    };
    server.lose("/review");
    await press();
    await card.getByText("Not marked").waitFor();
    server.takes();
    await press();
    await card.waitFor({ state: "detached" });
    const [first, second] = marks().map(({ body }) => body);
    expect([marks().length, second]).toEqual([2, first]);
  });

  it("is a button behind the row of a finished agent, and a key on a card", async () => {
    const { context } = server.agents.find("css-audit");
    const progress_summary = "The styles are 80 kB smaller.";
    server.agents.changeAgent("css-audit", { context: { ...context, progress_summary } });
    const page = await openQueue();
    const row = page.locator("li", { hasText: "The styles are 80 kB smaller." });
    const tick = row.getByRole("button", { name: "Reviewed: css-audit" });
    await row.scrollIntoViewIfNeeded();
    await calm(page);
    const [link, end] = [await row.getByRole("link").boundingBox(), await tick.boundingBox()];
    if (link === null || end === null) throw new Error("a row with a tick");
    expect(end.x).toBeGreaterThanOrEqual(link.x + link.width - 1);
    expect(Math.abs(end.y + end.height / 2 - (link.y + link.height / 2))).toBeLessThan(2);
    await tick.tap();
    await row.waitFor({ state: "detached" });
    const snapshot_id = server.agents.snapshotOf("css-audit");
    expect(marks().map(({ body }) => body)).toEqual([{ snapshot_id }]);
    const card = cardOf(page, "rate-limits");
    await card.getByRole("button", { name: /rate-limits/ }).focus();
    await calm(page);
    await page.keyboard.press("m");
    await becomes(() => marks().length, 2);
  });
});

describe("Go through", () => {
  beforeEach(() => server.switchWorkspace(true));

  test("shows one card after another, marks what was drawn, and lists the rest", async () => {
    // Two that wait and one that is blocked: each card takes a second until it takes a tap.
    keepOnly(server, ["checkout-migration", "list-endpoints", "rate-limits"]);
    const page = await openQueue();
    await page.getByRole("button", { name: /Go through/ }).tap();
    const at = (place: string) => page.getByText(place, { exact: true }).first();
    await at("Waiting, 1 of 2").waitFor();
    await tapCalmly(page.getByRole("button", { name: "Reviewed" }));
    // The mark is shown, then the next card.
    await at("Waiting, 2 of 2").waitFor();
    // Back from its pane, and a reload, return to the same card.
    const name = await page.getByRole("article").getAttribute("aria-label");
    await tapCalmly(page.locator(".card-title"));
    await page.waitForURL(/#\/pane\//);
    await page.goBack();
    await at("Waiting, 2 of 2").waitFor();
    await page.reload();
    await at("Waiting, 2 of 2").waitFor();
    expect(await page.getByRole("article").getAttribute("aria-label")).toBe(name);
    const later = page.getByRole("button", { name: "Later" });
    await tapCalmly(later);
    await at("Blocked, 1 of 1").waitFor();
    await tapCalmly(later);
    // The first card has been marked and still asks.
    await page.getByRole("heading", { name: "3 left for later" }).waitFor();
    const [put, ...others] = marks();
    expect(others).toEqual([]);
    expect(put?.path).toContain(server.agents.find("checkout-migration").id);
    await page.getByRole("button", { name: /checkout-migration/ }).waitFor();
    await page.getByRole("button", { name: "Done" }).tap();
    await page.waitForURL(/#\/queue$/);
    await page.getByRole("button", { name: /Go through/ }).tap();
    // The first card still asks, so it is counted again.
    await at("Waiting, 1 of 2").waitFor();
  });

  test("takes no tap within the shield of a new card, shows an answer as sent, and goes on", async () => {
    patient(server);
    const { page } = await lab.page(PHONE, { isTimed: true });
    const time = await PageTime.of(page);
    await page.goto(`${server.url}#/queue`);
    await page.getByRole("button", { name: /Go through/ }).waitFor();
    await time.stop();
    await page.getByRole("button", { name: /Go through/ }).tap();
    const reviewed = page.getByRole("button", { name: "Reviewed" });
    await time.shows(reviewed);
    await reviewed.tap();
    await time.pass(100);
    expect(marks()).toEqual([]);
    await time.pass(500);
    await page.getByRole("option", { name: "Yes, proceed" }).tap();
    await time.shows(page.getByText("Yes, proceed, sent"));
    server.change("%21", { status: "working", question: null, menu: [], evidence: [] });
    const second = page.getByText("Waiting, 2 of 5", { exact: true });
    await time.shows(second, 200);
    expect(server.asked("/select")).toHaveLength(1);
    await time.pass(500);
    await reviewed.tap();
    await time.shows(page.getByText("Waiting, 3 of 5", { exact: true }), 200);
    expect(marks()).toHaveLength(1);
    // A rotation keeps the card.
    for (const size of [SIZES.landscape, SIZES.phone]) {
      await page.setViewportSize(size);
      await time.pass(500, 100);
      await time.shows(page.getByText("Waiting, 3 of 5"));
    }
  });
});

it("the review window sends only changed settings, and shows a refusal at its field", async () => {
  server.switchWorkspace(true);
  const page = await lab.open(`${server.url}#/active`);
  await taps(page, "Settings", /^Agent workspace/);
  await page.getByText("13 sessions, the last line on 14 March at").waitFor();
  await page.getByRole("button", { name: /^Alerts about changes/ }).tap();
  await page.getByRole("dialog", { name: "Alerts about changes" }).waitFor();
  const settings = () => server.asked("/settings").map(({ body }) => body);
  server.refuse("/settings", "the store is read-only", 400);
  await page.getByRole("radio", { name: "30 min" }).tap();
  await page.getByRole("alert").getByText("the store is read-only").waitFor();
  await becomes(() => page.getByRole("radio", { name: "Off" }).isChecked(), true);
  await page.getByRole("radio", { name: "Custom" }).tap();
  const field = page.getByRole("textbox", { name: "Minutes between two windows" });
  server.refuse("/settings", "too long", 422);
  await field.fill("1500");
  await field.press("Enter");
  await page.getByRole("alert").getByText("too long").waitFor();
  expect(await field.inputValue()).toBe("1500");
  server.takes();
  await field.fill("45");
  await field.press("Enter");
  await page.getByText("Marking something as reviewed starts the window again").waitFor();
  await page.getByRole("switch", { name: "Errors of panes" }).tap();
  await becomes(
    () => settings().slice(2),
    [{ interval_minutes: 45 }, { urgent_pane_errors: true }],
  );
  await page.getByRole("button", { name: "Back to settings" }).tap();
  await page.getByText("13 sessions, the last line on 14 March at").waitFor();
});
