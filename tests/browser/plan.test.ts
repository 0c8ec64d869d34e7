import { beforeEach, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { PLAN_KEY } from "../../web/state/server/workspace-switch.ts";
import { PHONE, type Viewport } from "../support/browser.ts";
import { calm } from "../support/calm.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { until } from "../support/until.ts";
import { SIZES } from "./scene.ts";
import { PageLab } from "../support/page-lab.ts";

const lab = PageLab.ofFile();
let server: FixtureServer;

beforeEach(() => {
  server = lab.server();
  server.switchWorkspace(true);
});

async function open(size: Viewport = PHONE): Promise<Page> {
  const { page } = await lab.page(size);
  await page.goto(`${server.url}#/queue/plan`);
  await page.getByRole("heading", { name: "Plan answers" }).waitFor();
  return page;
}

/** What the pane of the session "stock-sync" is called. */
const PANE = "integration-tests";
const cardOf = (page: Page, name: string) => page.locator(".plan article", { hasText: name });
const stepOf = (page: Page, name: string) => page.locator(".plan-steps li", { hasText: name });
const choice = (page: Page, card: string, name: string) =>
  cardOf(page, card).getByRole("radio", { name });
const choose = (page: Page, card: string, name: string) => choice(page, card, name).click();
const send = (page: Page) => page.getByRole("button", { name: /^Send \d/ }).click();
const replies = () => server.requests.filter(({ path }) => path.endsWith("/reply"));
const idOf = (name: string) => server.agents.find(name).work.decisions[0]?.id ?? "";
const answered = () => replies().map(({ path }) => path.split("/")[3] ?? "");
const kept = (page: Page) => page.evaluate((key) => localStorage.getItem(key), PLAN_KEY);

/** Three answers, in another order than they will be sent in. */
async function chooseThree(page: Page): Promise<void> {
  await choose(page, PANE, "Clamp to zero and log");
  await choose(page, "checkout-migration", "Tonight at 02:00");
  await choose(page, "list-endpoints", "Cursor");
}

test("three are sent in their rank, and the one that has changed meanwhile gets nothing", async () => {
  const page = await open();
  expect(await page.getByRole("radio", { checked: true }).count()).toBe(0);
  await chooseThree(page);
  expect(replies()).toEqual([]);
  // Only the server knows: its event has not come yet.
  server.agents.publish = () => {};
  server.agents.changeDecision("list-endpoints", { title: "Which pagination now?" });
  await send(page);
  await page.getByRole("heading", { name: "2 sent, 1 not" }).waitFor();
  expect(answered()).toEqual([idOf("checkout-migration"), idOf("stock-sync")]);
  expect(replies().map(({ body }) => body["option_id"])).toEqual(["1", "1"]);
  await stepOf(page, "list-endpoints").getByText("the question changed").waitFor();
  await stepOf(page, "list-endpoints").getByRole("button", { name: "Choose again" }).click();
  await cardOf(page, "list-endpoints").getByText("Which pagination now?").waitFor();
  expect(await choice(page, "list-endpoints", "Cursor").getAttribute("aria-checked")).toBe("false");
  expect(await kept(page)).toBeNull();
});

test("restored after a reload, what differs loses its choice and says so", async () => {
  const page = await open();
  await chooseThree(page);
  const stored = (await kept(page)) ?? "";
  // Ids and digests; nothing that an agent said.
  expect(stored).not.toMatch(/Cursor|pagination|Tonight|list-endpoints/);
  server.agents.publish = () => {};
  server.agents.changeDecision("list-endpoints", { title: "Which pagination now?" });
  server.agents.changeDecision("stock-sync", { status: "resolved" });
  await page.reload();
  await page.getByText("1 choice still fits, 1 question has changed").waitFor();
  await cardOf(page, "list-endpoints").getByText("changed since you chose").waitFor();
  await cardOf(page, PANE)
    .getByText(/Answered at .*, not from this plan/)
    .waitFor();
  const first = choice(page, "checkout-migration", "Tonight at 02:00");
  expect(await first.getAttribute("aria-checked")).toBe("true");
  expect(await choice(page, "list-endpoints", "Cursor").getAttribute("aria-checked")).toBe("false");
  expect(replies()).toEqual([]);
  await calm(page);
  await send(page);
  await page.getByRole("heading", { name: "1 sent" }).waitFor();
  expect(answered()).toEqual([idOf("checkout-migration")]);
});

test("stopped after this one, the rest stays in the plan", async () => {
  const gate = Promise.withResolvers<Response>();
  server.hook = ({ path }) =>
    path.endsWith("/reply") && replies().length === 1 ? gate.promise : undefined;
  const page = await open();
  await chooseThree(page);
  await send(page);
  await page.getByRole("heading", { name: "Sending 1 of 3" }).waitFor();
  await until(() => (replies().length === 1 ? true : null));
  await page.getByRole("button", { name: "Stop after this one" }).click();
  const id = idOf("checkout-migration");
  const decision = { ...server.agents.find("checkout-migration").work.decisions[0] };
  gate.resolve(
    Response.json({ decision: { ...decision, id, status: "submitting" } }, { status: 202 }),
  );
  await page.getByRole("heading", { name: "1 sent, 2 not" }).waitFor();
  expect(answered()).toEqual([idOf("checkout-migration")]);
  await page.getByRole("button", { name: "Back to the plan, 2 answers left" }).click();
  const left = choice(page, PANE, "Clamp to zero and log");
  expect(await left.getAttribute("aria-checked")).toBe("true");
  await send(page);
  await page.getByRole("heading", { name: "2 sent" }).waitFor();
  expect(new Set(answered()).size).toBe(3);
  expect(replies()).toHaveLength(3);
});

test("one that may not have arrived stops nobody else, and only its terminal leads on", async () => {
  const doubted = idOf("checkout-migration");
  server.hook = ({ path }) =>
    path.endsWith("/reply") && path.includes(doubted)
      ? new Response("bad gateway", { status: 502 })
      : undefined;
  const page = await open();
  await chooseThree(page);
  await send(page);
  await page.getByRole("heading", { name: "2 sent, 1 unclear" }).waitFor();
  expect(replies()).toHaveLength(3);
  const step = stepOf(page, "checkout-migration");
  await step.getByText("May have arrived").waitFor();
  await step.getByRole("button", { name: "Inspect terminal" }).click();
  await page.getByRole("log").waitFor();
  expect(replies()).toHaveLength(3);
  expect(await kept(page)).toBeNull();
});

test("the page is killed while one is on its way: nothing is sent again by itself", async () => {
  server.hook = ({ path }) =>
    path.endsWith("/reply") ? new Promise<Response>(() => {}) : undefined;
  const page = await open();
  await chooseThree(page);
  await send(page);
  await until(() => (replies().length === 1 ? true : null));
  server.hook = () => undefined;
  await page.reload();
  await page.getByRole("button", { name: /checkout-migration An answer may not/ }).waitFor();
  expect(await cardOf(page, "checkout-migration").count()).toBe(0);
  await page.getByRole("button", { name: "Send 2 answers" }).waitFor();
  expect(replies()).toHaveLength(1);
});

test("is made and sent by keyboard alone", async () => {
  const page = await open(SIZES.tablet);
  await cardOf(page, "checkout-migration").waitFor();
  await page.keyboard.press("2");
  await page.getByRole("button", { name: /Send 1 answer/ }).waitFor();
  expect(await choice(page, "checkout-migration", "Now").getAttribute("aria-checked")).toBe("true");
  await page.keyboard.press("0");
  await page.getByRole("button", { name: "Nothing chosen" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("1");
  expect(replies()).toEqual([]);
  await page.keyboard.press("Control+Enter");
  await page.getByRole("heading", { name: "1 sent" }).waitFor();
  expect(replies().map(({ body }) => body["option_id"])).toEqual(["1"]);
});

test("signing out leaves nothing of it in the browser", async () => {
  server.token = "";
  const page = await open();
  await page.evaluate(() => localStorage.setItem("panewatch.token", "open"));
  await chooseThree(page);
  expect(await kept(page)).not.toBeNull();
  await page.getByRole("button", { name: "Back to Review" }).click();
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign out" }).first().click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(await kept(page)).toBeNull();
});
