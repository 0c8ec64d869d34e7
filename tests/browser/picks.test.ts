import { beforeEach, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import { calm, clickCalmly } from "../support/calm.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";
import { tellsInPassing } from "../support/told.ts";
import { until } from "../support/until.ts";
import { SIZES } from "./scene.ts";

const lab = PageLab.ofFile();
let server: FixtureServer;

beforeEach(() => {
  server = lab.server();
});

async function open(): Promise<Page> {
  const page = await lab.open(`${server.url}#/queue`);
  await page.getByRole("radio", { name: "Collect answers" }).click();
  return page;
}
const cardOf = (page: Page, name: string) => page.locator("article", { hasText: name });
const picked = (option: Locator) =>
  option.getAttribute("aria-selected").then((is) => is === "true");
/** Once the page has stood still; a press that the shield refuses is repeated. */
async function pressUntil(button: Locator, isDone: () => Promise<boolean>): Promise<void> {
  await becomes(async () => {
    await calm(button.page());
    if (!(await isDone())) await button.click();
    return isDone();
  }, true);
}
async function pick(page: Page, card: string, name: string | RegExp, is = true): Promise<void> {
  const option = cardOf(page, card).getByRole("option", { name });
  await pressUntil(option, async () => (await picked(option)) === is);
}
async function send(page: Page): Promise<void> {
  await clickCalmly(page.getByRole("button", { name: /^Send \d/ }));
}
/** The outcome stands in the bar for two seconds. */
const sends = (page: Page, outcome: string) => tellsInPassing(page, outcome, () => send(page));
const YES = /^1 Yes/;
const says = (page: Page, text: string) => page.getByText(text).first().waitFor();
const selects = () => server.asked("/api/select");
const targets = () => selects().map(({ body }) => body["id"]);
const idOf = (name: string) => server.panes.find((pane) => pane.name === name)?.id ?? "";

test("collected answers are chosen and dropped on several cards, an own reply stays a draft, and they are sent in order with the prompts that were seen", async () => {
  const page = await open();
  await says(page, "Nothing chosen");
  expect(await page.getByRole("option", { selected: true }).count()).toBe(0);
  await pick(page, "list-endpoints", "Cursor");
  await pick(page, "session-rotation", YES);
  await says(page, "2 chosen");
  await pick(page, "list-endpoints", "Cursor", false);
  await says(page, "1 chosen");
  await pick(page, "list-endpoints", "Cursor");
  // Choices are kept while taps answer.
  await clickCalmly(page.getByRole("radio", { name: "Answer now" }));
  await page.locator(".collect-bar").waitFor({ state: "detached" });
  await page.getByRole("radio", { name: "Collect answers" }).click();
  // A prompt that changes loses its choice, says so, and can be chosen again.
  server.change(idOf("list-endpoints"), { question: "Which pagination now?" });
  const card = cardOf(page, "list-endpoints");
  await card.getByText("This prompt just changed").waitFor();
  await says(page, "1 chosen");

  const own = card.getByRole("option", { name: /^4 Type something/ });
  const field = card.getByRole("textbox");
  const choosing = card.getByRole("button", { name: "Pick", exact: true });
  const words = "Cursor, with a page limit of 50";
  await pressUntil(own, () => field.isVisible());
  await field.fill(words);
  await pressUntil(choosing, async () => !(await choosing.isVisible()));
  await says(page, "2 chosen");
  await card.getByText(words).waitFor();
  await page.reload();
  // A reload drops the choices and keeps the draft.
  await page.getByRole("radio", { name: "Answer now", checked: true }).waitFor();
  await page.getByRole("radio", { name: "Collect answers" }).click();
  await says(page, "Nothing chosen");
  await pressUntil(own, () => field.isVisible());
  await becomes(() => field.inputValue(), words);
  await pressUntil(choosing, async () => !(await choosing.isVisible()));
  await pick(page, "session-rotation", YES);
  await says(page, "2 chosen");
  expect(selects()).toEqual([]);
  await sends(page, "2 sent");
  // In the order of the list.
  expect(selects().map(({ body }) => [body["id"], body["text"]])).toEqual([
    [idOf("session-rotation"), undefined],
    [idOf("list-endpoints"), words],
  ]);
  // A disabled button has no background of its own.
  const later = card.getByRole("button", { name: "Later" });
  await becomes(() => later.isDisabled(), true);
  const lookOf = (button: Locator) => button.evaluate((one) => ({ ...getComputedStyle(one) }));
  const off = await lookOf(later);
  const on = await lookOf(page.getByRole("button", { name: "Later", disabled: false }).first());
  expect(off.backgroundColor).toBe(on.backgroundColor);
  expect(off.color).not.toBe(on.color);
  await page.getByRole("radio", { name: "Answer now", checked: true }).waitFor();
  expect(await page.locator(".collect-bar").count()).toBe(0);
});

test("a conflict and an unknown delivery stop only their own cards, and each card shows its outcome", async () => {
  const [refused, lost] = [idOf("session-rotation"), idOf("checkout-migration")];
  server.hook = ({ path, body }) => {
    if (path !== "/api/select") return undefined;
    if (body["id"] === lost) return new Response("bad gateway", { status: 502 });
    if (body["id"] !== refused) return undefined;
    return Response.json({ detail: { reason: "prompt_changed" } }, { status: 409 });
  };
  const page = await open();
  // A dangerous answer is confirmed when it is chosen, not when it is sent.
  const asks = cardOf(page, "checkout-migration").getByRole("alertdialog");
  const always = cardOf(page, "checkout-migration").getByRole("option", { name: /ask again/ });
  await pressUntil(always, () => asks.isVisible());
  await says(page, "Nothing chosen");
  await clickCalmly(asks.getByRole("button", { name: "Allow always" }));
  await says(page, "1 chosen");
  await pick(page, "session-rotation", YES);
  await pick(page, "list-endpoints", "Cursor");
  await sends(page, "1 sent, 1 not, 1 unclear");
  expect(targets().toSorted()).toEqual([lost, refused, idOf("list-endpoints")].toSorted());
  await cardOf(page, "session-rotation").getByText("Not sent: the prompt changed").waitFor();
  await cardOf(page, "checkout-migration").getByText("May have arrived").waitFor();
  await page.getByRole("radio", { name: "Answer now", checked: true }).waitFor();
  expect(selects()).toHaveLength(3);
});

/** Two are chosen and sent; the first is being sent until `arrive`. */
async function sendTwo() {
  const held = server.hold("/api/select");
  const page = await open();
  await pick(page, "session-rotation", YES);
  await pick(page, "list-endpoints", "Cursor");
  await send(page);
  await says(page, "Sending 1 of 2");
  return { page, arrive: async () => held.reply({ ok: true }) };
}

test("Stop keeps the rest chosen; a page that dies while sending sends nothing again", async () => {
  const { page, arrive } = await sendTwo();
  await until(() => selects().length === 1);
  await page.getByRole("button", { name: "Stop after this one" }).click();
  server.takes();
  await tellsInPassing(page, "1 sent, 1 not", arrive);
  expect(targets()).toEqual([idOf("session-rotation")]);
  server.hold("/api/select");
  await send(page);
  await until(() => selects().length === 2);
  await page.reload();
  await cardOf(page, "list-endpoints").getByText("May have arrived").waitFor();
  expect(selects()).toHaveLength(2);
});

test("a collected answer is not sent when its prompt changes while an earlier one is being sent", async () => {
  const { page, arrive } = await sendTwo();
  server.change(idOf("list-endpoints"), { question: "Which pagination now?" });
  await says(page, "Which pagination now?");
  await tellsInPassing(page, "1 sent, 1 not", arrive);
  await cardOf(page, "list-endpoints").getByText("This prompt just changed").waitFor();
  expect(targets()).toEqual([idOf("session-rotation")]);
});

it("answers are collected and sent by keyboard alone", async () => {
  const page = await lab.open(`${server.url}#/queue`, SIZES.desktop);
  const answer = page.getByRole("complementary", { name: "Answer" });
  await answer.getByRole("option").first().waitFor();
  await page.keyboard.press("a");
  await says(page, "Nothing chosen");
  await page.keyboard.press("j");
  await answer.getByRole("option").first().waitFor();
  await calm(page);
  await page.keyboard.press("1");
  await page.getByRole("button", { name: /Send 1/ }).waitFor();
  // Without the list too.
  await page.keyboard.press("[");
  await page.locator(".navigator").waitFor({ state: "detached" });
  await page.getByRole("button", { name: /Send 1/ }).waitFor();
  expect(selects()).toEqual([]);
  await tellsInPassing(page, "1 sent", () => page.keyboard.press("Control+Enter"));
  expect(selects()).toHaveLength(1);
});
