import { beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { PHONE } from "../support/browser.ts";
import { becomes } from "../support/becomes.ts";
import { calm } from "../support/calm.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { PageTime, patient } from "../support/page-time.ts";
import { until } from "../support/until.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";

const lab = PageLab.ofFile();
let server: FixtureServer;

beforeEach(() => {
  server = lab.server();
});

async function open(hash = "#/queue"): Promise<Page> {
  const page = await lab.open(server.url + hash);
  await page.locator("#content").waitFor();
  return page;
}

const cardOf = (page: Page, name: string) => page.locator("article", { hasText: name });
const sentTo = (part: string) => server.requests.filter(({ path }) => path.endsWith(part));
const ofWorkspace = () =>
  server.requests.filter(({ path }) => /review|agents|decisions|timeline/.test(path));

test("while the workspace is off nothing of it is asked; switched on, agents are cards too, and go again with it", async () => {
  const page = await open();
  await cardOf(page, "session-rotation").waitFor();
  expect(ofWorkspace()).toEqual([]);
  server.switchWorkspace(true);
  await page.reload();
  await cardOf(page, "integration-tests").waitFor();
  // Its cards come with the panes: what happens to an agent asks for nothing.
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

test("nothing that comes later moves the answers of the first card", async () => {
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
});

it("a question that no screen shows is one line that leads to its pane, and goes when it was answered there", async () => {
  server.switchWorkspace(true);
  const page = await open();
  const card = cardOf(page, "integration-tests");
  const question = card.getByRole("heading", { name: "Warehouse 3 reports negative stock" });
  await question.waitFor();
  expect(await card.getByRole("option").count()).toBe(0);
  await card.getByRole("button", { name: "Open pane" }).tap();
  await page.getByRole("log").waitFor();
  expect(sentTo("/reply")).toEqual([]);
  await page.goBack();
  await question.waitFor();
  // The number counts decisions wherever the reader is.
  await page.getByRole("link", { name: "Active" }).tap();
  await page.getByRole("link", { name: "5 wait in the queue" }).tap();
  await question.waitFor();
  server.agents.changeDecision("stock-sync", { status: "resolved" });
  await question.waitFor({ state: "detached" });
});

describe("a mark", () => {
  beforeEach(() => server.switchWorkspace(true));

  test("sends the snapshot that was drawn when the finger came down; what arrives then stays", async () => {
    const page = await open();
    const card = cardOf(page, "query-planner");
    await card.waitFor();
    const { work } = server.agents.find("query-planner");
    const drawn = work.current;
    if (!drawn) throw new Error("a snapshot");
    await calm(page);
    await card.getByRole("button", { name: "Reviewed" }).hover();
    await page.mouse.down();
    work.current = { ...drawn, id: "later", sequence: drawn.sequence + 1 };
    work.changes = {
      completed: [
        ...(work.changes.completed ?? []),
        { id: "x", title: "A later one", completed_at: 1 },
      ],
    };
    server.agents.tell("agent_updated", work.agent.id);
    await card.getByText("A later one").waitFor();
    await page.mouse.up();
    const put = await until(() => sentTo("/review").find(({ method }) => method === "PUT") ?? null);
    expect(put.body).toEqual({ snapshot_id: drawn.id });
    // What came since is marked by another press.
    await calm(page);
    await card.getByRole("button", { name: "Reviewed" }).click();
    await until(
      () => sentTo("/review").some(({ body }) => body["snapshot_id"] === "later") || null,
    );
  });

  test("that fails moves nothing, and the same again is safe", async () => {
    const page = await open();
    const card = cardOf(page, "rate-limits");
    await card.waitFor();
    server.hook = ({ method }) =>
      method === "PUT" ? new Response("bad gateway", { status: 502 }) : undefined;
    await calm(page);
    await card.getByRole("button", { name: "Reviewed" }).click();
    await card.getByText("Not marked").waitFor();
    server.hook = () => undefined;
    await calm(page);
    await card.getByRole("button", { name: "Reviewed" }).click();
    await card.waitFor({ state: "detached" });
    const puts = sentTo("/review").filter(({ method }) => method === "PUT");
    expect(puts.map(({ body }) => body)).toEqual([puts[0]?.body, puts[0]?.body] as never);
  });

  it("of what has finished is a tick behind its row, which tells what was said last; a card has a key", async () => {
    const { context } = server.agents.find("css-audit").work.agent;
    Object.assign(context, { progress_summary: "The styles are 80 kB smaller." });
    const page = await open();
    const row = page.locator("li", { hasText: "The styles are 80 kB smaller." });
    const tick = row.getByRole("button", { name: "Reviewed: css-audit" });
    await row.scrollIntoViewIfNeeded();
    const [link, end] = [await row.getByRole("link").boundingBox(), await tick.boundingBox()];
    if (link === null || end === null) throw new Error("a row with a tick");
    expect(end.x).toBeGreaterThanOrEqual(link.x + link.width - 1);
    expect(Math.abs(end.y + end.height / 2 - (link.y + link.height / 2))).toBeLessThan(2);
    await tick.tap();
    await row.waitFor({ state: "detached" });
    const { work } = server.agents.find("css-audit");
    const puts = () => sentTo("/review").filter(({ method }) => method === "PUT");
    expect(puts().map(({ body }) => body)).toEqual([{ snapshot_id: work.current?.id }]);
    const card = cardOf(page, "rate-limits");
    await card.getByRole("button", { name: /rate-limits/ }).focus();
    await calm(page);
    await page.keyboard.press("m");
    await becomes(() => puts().length, 2);
  });
});

describe("going through", () => {
  beforeEach(() => server.switchWorkspace(true));

  test("brings one card after another, marks what was drawn, and lists what is left", async () => {
    const page = await open();
    await page.getByRole("button", { name: /Go through/ }).tap();
    const at = (place: string) => page.getByText(place, { exact: true }).first();
    await at("Waiting, 1 of 5").waitFor();
    await calm(page);
    await page.getByRole("button", { name: "Reviewed" }).tap();
    // What was done is seen to be done, then the next one comes.
    await at("Waiting, 2 of 5").waitFor();
    const titles: string[] = [];
    const later = page.getByRole("button", { name: "Later" });
    while (await later.isVisible()) {
      const before = await page.locator("article .name").first().innerText();
      titles.push(before);
      await calm(page);
      await later.tap();
      await becomes(async () => {
        const name = page.locator("article .name").first();
        return (await later.isVisible()) && (await name.innerText()) === before;
      }, false);
    }
    expect(new Set(titles).size).toBe(titles.length);
    await page.getByRole("heading", { name: `${titles.length + 1} left for later` }).waitFor();
    const [put, ...others] = sentTo("/review").filter(({ method }) => method === "PUT");
    expect(others).toEqual([]);
    expect(put?.path).toContain(server.agents.find("checkout-migration").work.agent.id);
    // What was left is named with why, and leads to its agent.
    await page.getByRole("button", { name: /checkout-migration/ }).waitFor();
    await page.getByRole("button", { name: "Done" }).tap();
    await page.waitForURL(/#\/queue$/);
    await page.getByRole("button", { name: /Go through/ }).tap();
    // Its question outlives the mark, so the first card is among them again.
    await at("Waiting, 1 of 5").waitFor();
  });

  test("its buttons do not take a tap that was meant for what stood there before; what is answered is seen to be, and the next comes", async () => {
    patient(server);
    const { page } = await lab.page(PHONE);
    const time = await PageTime.of(page);
    await page.goto(`${server.url}#/queue`);
    await page.getByRole("button", { name: /Go through/ }).waitFor();
    await time.stop();
    await page.getByRole("button", { name: /Go through/ }).tap();
    const reviewed = page.getByRole("button", { name: "Reviewed" });
    await time.shows(reviewed);
    await reviewed.tap();
    await time.pass(100);
    expect(sentTo("/review").filter(({ method }) => method === "PUT")).toEqual([]);
    await time.pass(500);
    await page.getByRole("option", { name: "Yes, proceed" }).tap();
    await time.shows(page.getByText("Yes, proceed, sent"));
    server.change("%21", { status: "working", question: null, menu: [], evidence: [] });
    const second = page.getByText("Waiting, 2 of 5", { exact: true });
    await time.shows(second, 200);
    expect(sentTo("/select")).toHaveLength(1);
    await time.pass(500);
    await reviewed.tap();
    await time.shows(page.getByText("Waiting, 3 of 5", { exact: true }), 200);
    expect(sentTo("/review").filter(({ method }) => method === "PUT")).toHaveLength(1);
    // A phone that is turned goes on where it was; whoever has left begins anew.
    for (const [width, height] of [
      [844, 390],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      await time.pass(500, 100);
      await time.shows(page.getByText("Waiting, 3 of 5"));
    }
  });
});

it("the window of the review: only what was changed is sent, what does not fit or is refused says so at its field", async () => {
  server.switchWorkspace(true);
  const page = await open("#/active");
  await page.getByRole("button", { name: "Settings" }).tap();
  await page.getByRole("button", { name: /^Agent workspace/ }).tap();
  await page.getByText("13 sessions, the last line at").waitFor();
  await page.getByRole("button", { name: /^Alerts about changes/ }).tap();
  const settings = () => sentTo("/settings").map(({ body }) => body);
  server.hook = ({ path }) =>
    path.endsWith("/settings")
      ? Response.json({ detail: "the store is read-only" }, { status: 400 })
      : undefined;
  await page.getByRole("radio", { name: "30 min" }).tap();
  await page.getByRole("alert").getByText("the store is read-only").waitFor();
  const off = page.getByRole("radio", { name: "Off" });
  expect(await off.getAttribute("aria-checked")).toBe("true");
  server.hook = () => undefined;
  await page.getByRole("radio", { name: "Custom" }).tap();
  const field = page.getByRole("textbox", { name: "Minutes between two windows" });
  for (const text of ["1500", "soon"]) {
    await field.fill(text);
    await field.press("Enter");
    await page.getByText("5 to 1440 minutes. Still off.").waitFor();
  }
  expect(settings()).toHaveLength(1);
  await field.fill("45");
  await field.press("Enter");
  await page.getByText("Marking something as reviewed starts the window again").waitFor();
  await page.getByRole("switch", { name: "Errors of panes" }).tap();
  await becomes(
    () => settings().slice(1),
    [{ interval_minutes: 45 }, { urgent_pane_errors: true }],
  );
  await page.getByRole("button", { name: "Back to settings" }).tap();
  await page.getByText("13 sessions, the last line at").waitFor();
});
