import { beforeEach, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { keyOf } from "../../web/model/stored.ts";
import { PHONE, type Viewport } from "../support/browser.ts";
import { becomes } from "../support/becomes.ts";
import { calm } from "../support/calm.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { readAgain } from "../support/read-again.ts";
import { PageLab } from "../support/page-lab.ts";
import { quietPanes } from "../support/quiet-panes.ts";
import { until } from "../support/until.ts";
import { SIZES } from "./scene.ts";

const lab = PageLab.ofFile();
let server: FixtureServer;

beforeEach(() => {
  server = lab.server();
});

async function open(size: Viewport = PHONE): Promise<Page> {
  const { page } = await lab.page(size);
  await page.goto(`${server.url}#/queue`);
  await page.getByRole("radio", { name: "Collect answers" }).click();
  return page;
}

const cardOf = (page: Page, name: string) => page.locator("article", { hasText: name });
/**
 * Chooses once the page has stood still: a tap that follows at once was meant for what stood there
 * before. Where the page still moves it is refused, and tapped again as a person would.
 */
async function choose(
  page: Page,
  card: string,
  name: string | RegExp,
  isChosen = true,
): Promise<void> {
  const radio = cardOf(page, card).getByRole("radio", { name, exact: true });
  await becomes(async () => {
    await calm(page);
    await radio.click();
    return radio.isChecked();
  }, isChosen);
}
/** Presses as a person would, again where the page still moved, until what it opens is there. */
async function opens(page: Page, pressed: Locator, opened: Locator): Promise<void> {
  await becomes(async () => {
    await calm(page);
    if (!(await opened.isVisible())) await pressed.click();
    await calm(page);
    return opened.isVisible();
  }, true);
}
async function send(page: Page): Promise<void> {
  await calm(page);
  await page.getByRole("button", { name: /^Send \d/ }).click();
}
const says = (page: Page, text: string) => page.getByText(text).first().waitFor();
const kept = (page: Page) => page.evaluate((key) => localStorage.getItem(key), keyOf("plan"));

describe("prompts of panes, without any workspace", () => {
  const selects = () => server.requests.filter(({ path }) => path === "/api/select");
  const targets = () => selects().map(({ body }) => body["id"]);
  const idOf = (name: string) => server.panes.find((pane) => pane.name === name)?.id ?? "";

  test("are chosen first, and sent one after another under what was seen", async () => {
    const page = await open();
    await says(page, "Nothing chosen");
    expect(await page.locator("article").getByRole("radio", { checked: true }).count()).toBe(0);
    await choose(page, "list-endpoints", /^Cursor/);
    await choose(page, "session-rotation", "Yes");
    await says(page, "2 chosen");
    expect(selects()).toEqual([]);
    await send(page);
    await says(page, "2 sent");
    // In the order of the list, which is that of waiting.
    expect(targets()).toEqual([idOf("session-rotation"), idOf("list-endpoints")]);
    // Back to answering.
    expect(await page.locator("article").getByRole("radio").count()).toBe(0);
    expect(await kept(page)).toBeNull();
  });

  test("a second tap leaves open; back to answering, the choices and the bar stay", async () => {
    const page = await open();
    await choose(page, "session-rotation", "Yes");
    await choose(page, "list-endpoints", /^Cursor/);
    await choose(page, "list-endpoints", /^Cursor/, false);
    await says(page, "1 chosen");
    await calm(page);
    await page.getByRole("radio", { name: "Answer now" }).click();
    await cardOf(page, "session-rotation").getByRole("option").first().waitFor();
    await page.getByRole("button", { name: "Send 1" }).waitFor();
    expect(selects()).toEqual([]);
  });

  test("one that asks something else now loses its choice, and gets nothing", async () => {
    const page = await open();
    await choose(page, "session-rotation", "Yes");
    await choose(page, "list-endpoints", /^Cursor/);
    const { id } = server.panes.find(({ name }) => name === "list-endpoints") ?? { id: "" };
    server.change(id, { question: "Which pagination now?" });
    await cardOf(page, "list-endpoints").getByText("It asks something else now.").waitFor();
    await send(page);
    await says(page, "1 sent");
    expect(targets()).toEqual([idOf("session-rotation")]);
  });

  test("own words are chosen like an option, kept while they are written, and sent with it", async () => {
    const page = await open();
    const card = cardOf(page, "list-endpoints");
    const own = card.getByRole("radio", { name: /^Type something/ });
    const field = card.getByRole("textbox", { name: "Your own words" });
    await opens(page, own, field);
    await field.fill("Cursor, with a page limit of 50");
    await card.getByRole("textbox").press("Escape");
    await says(page, "Nothing chosen");
    await calm(page);
    await own.click();
    const choosing = card.getByRole("button", { name: "Choose", exact: true });
    await choosing.waitFor();
    await calm(page);
    await choosing.click();
    await says(page, "1 chosen");
    await card.getByText("Cursor, with a page limit of 50").waitFor();
    expect(selects()).toEqual([]);
    await send(page);
    await says(page, "1 sent");
    expect(selects().map(({ body }) => [body["key"], body["text"]])).toEqual([
      ["4", "Cursor, with a page limit of 50"],
    ]);
  });

  test("a dangerous one is asked once more when it is chosen, and not when it is sent", async () => {
    const page = await open();
    const card = cardOf(page, "checkout-migration");
    const grant = card.getByRole("radio", { name: /don't ask again/ });
    await opens(page, grant, card.getByRole("alertdialog"));
    await says(page, "Nothing chosen");
    await calm(page);
    await card.getByRole("button", { name: "Allow always" }).click();
    await says(page, "1 chosen");
    await send(page);
    await says(page, "1 sent");
    expect(selects().map(({ body }) => body["key"])).toEqual(["p"]);
  });
});

describe("decisions that no screen shows", () => {
  beforeEach(() => {
    server.switchWorkspace(true);
    quietPanes(server);
  });

  /** What the pane of the session "stock-sync" is called. */
  const PANE = "integration-tests";
  const replies = () => server.requests.filter(({ path }) => path.endsWith("/reply"));
  const decisionIn = (name: string) => server.agents.find(name).work.decisions[0]?.id ?? "";
  const answered = () => replies().map(({ path }) => path.split("/")[3] ?? "");

  /** Three answers, in another order than they will be sent in. */
  async function chooseThree(page: Page): Promise<void> {
    await choose(page, PANE, "Clamp to zero and log");
    await choose(page, "checkout-migration", /^Tonight/);
    await choose(page, "list-endpoints", /^Cursor/);
  }

  test("are sent in their rank, and the one that has changed meanwhile gets nothing", async () => {
    const page = await open();
    await chooseThree(page);
    expect(replies()).toEqual([]);
    await readAgain(server, "/api/review");
    // Only the server knows: its event has not come yet.
    server.agents.publish = () => {};
    server.agents.changeDecision("list-endpoints", { title: "Which pagination now?" });
    await send(page);
    await says(page, "2 sent, 1 not");
    expect(answered()).toEqual([decisionIn("checkout-migration"), decisionIn("stock-sync")]);
    const card = cardOf(page, "list-endpoints");
    await card.getByText("Not sent: it asks something else now.").waitFor();
    await card.getByRole("button", { name: "Show the new question" }).click();
    await card.getByText("Which pagination now?").waitFor();
    expect(await kept(page)).toBeNull();
  });

  test("restored after a reload, what differs loses its choice and says so", async () => {
    const page = await open();
    await chooseThree(page);
    const stored = (await kept(page)) ?? "";
    // Ids and digests; nothing that an agent said.
    expect(stored).not.toMatch(/Cursor|pagination|Tonight|list-endpoints/);
    // Another page, or this one would say of its own choices what has changed.
    await page.goto("about:blank");
    server.agents.changeDecision("list-endpoints", { title: "Which pagination now?" });
    server.agents.changeDecision("stock-sync", { status: "resolved" });
    await page.goto(`${server.url}#/queue`);
    await says(page, "1 choice still fits, 1 question has changed, 1 was answered elsewhere");
    await page.getByRole("radio", { name: "Collect answers" }).click();
    await cardOf(page, "list-endpoints").getByText("It asks something else now.").waitFor();
    expect(replies()).toEqual([]);
    await send(page);
    await says(page, "1 sent");
    expect(answered()).toEqual([decisionIn("checkout-migration")]);
  });

  test("stopped after this one, the rest stays chosen", async () => {
    const gate = Promise.withResolvers<Response>();
    server.hook = ({ path }) =>
      path.endsWith("/reply") && replies().length === 1 ? gate.promise : undefined;
    const page = await open();
    await chooseThree(page);
    await send(page);
    await says(page, "Sending 1 of 3");
    await page.getByRole("progressbar", { name: "Sending 1 of 3" }).waitFor();
    await until(() => (replies().length === 1 ? true : null));
    await page.getByRole("button", { name: "Stop after this one" }).click();
    const id = decisionIn("checkout-migration");
    const decision = { ...server.agents.find("checkout-migration").work.decisions[0] };
    gate.resolve(
      Response.json({ decision: { ...decision, id, status: "submitting" } }, { status: 202 }),
    );
    await says(page, "1 sent, 2 not");
    expect(answered()).toEqual([id]);
    await cardOf(page, PANE).getByText("Not sent: you stopped.").waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await says(page, "2 chosen");
    await send(page);
    await says(page, "2 sent");
    expect(new Set(answered()).size).toBe(3);
    expect(replies()).toHaveLength(3);
  });

  test("one that may not have arrived stops nobody else, and only its terminal leads on", async () => {
    const doubted = decisionIn("checkout-migration");
    server.hook = ({ path }) =>
      path.endsWith("/reply") && path.includes(doubted)
        ? new Response("bad gateway", { status: 502 })
        : undefined;
    const page = await open();
    await chooseThree(page);
    await send(page);
    await says(page, "2 sent, 1 unclear");
    expect(replies()).toHaveLength(3);
    const card = cardOf(page, "checkout-migration");
    await card.getByText("May have arrived. Look at its terminal.").waitFor();
    await card.getByRole("button", { name: "Inspect terminal" }).click();
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
    await page.getByRole("button", { name: "Send 2" }).waitFor();
    await cardOf(page, "checkout-migration")
      .getByText("May have arrived. Look at its terminal.")
      .waitFor();
    expect(replies()).toHaveLength(1);
  });

  test("are chosen and sent by keyboard alone", async () => {
    const { page } = await lab.page(SIZES.desktop);
    await page.goto(`${server.url}#/queue`);
    await page.getByRole("option", { name: "Tonight at 02:00" }).waitFor();
    await page.keyboard.press("a");
    await page.getByRole("radio", { name: "Tonight at 02:00" }).waitFor();
    await page.keyboard.press("2");
    await page.getByRole("button", { name: /Send 1/ }).waitFor();
    await page.keyboard.press("0");
    await says(page, "Nothing chosen");
    await page.keyboard.press("1");
    await page.getByRole("button", { name: /Send 1/ }).waitFor();
    expect(replies()).toEqual([]);
    await page.keyboard.press("Control+Enter");
    await says(page, "1 sent");
    expect(replies().map(({ body }) => body["option_id"])).toEqual(["1"]);
  });

  test("signing out leaves nothing of it in the browser", async () => {
    const page = await open();
    await page.evaluate(() => localStorage.setItem("panewatch.token", "open"));
    await chooseThree(page);
    expect(await kept(page)).not.toBeNull();
    await calm(page);
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign out" }).first().click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await kept(page)).toBeNull();
  });
});
