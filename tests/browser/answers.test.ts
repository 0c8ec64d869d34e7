import { expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { AnswerPage } from "../support/answer-page.ts";
import { becomes } from "../support/becomes.ts";
import { PHONE, type Viewport } from "../support/browser.ts";
import { tapCalmly } from "../support/calm.ts";
import { DESK } from "../support/fixture-page.ts";
import { option } from "../support/fixture-panes.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { PageLab } from "../support/page-lab.ts";
import type { PageTime } from "../support/page-time.ts";
import { sampled } from "../support/thorough.ts";
import { until } from "../support/until.ts";

const [FIRST, SECOND] = ["%12", "%15"];
const lab = PageLab.ofFile();
let it: AnswerPage;
let time: PageTime;
lab.shares(async () => {
  ({ it, time } = await AnswerPage.openTimed(lab));
});

test("an answered card is confirmed and leaves, a second tap does nothing to the next card; a prompt answered elsewhere no longer waits", async () => {
  await it.again();
  const goesOn = (id: string) =>
    it.server.change(id, { status: "working", question: null, menu: [], evidence: [] });
  const over = it.page.getByText("No longer waiting");
  await time.stop();
  await it.answer(FIRST, "1").tap();
  await time.shows(it.card(FIRST).getByText("Yes, sent"));
  expect(await it.card(FIRST).getByRole("option").count()).toBe(0);
  await it.card(SECOND).locator(".card-title").tap();
  await time.pass(500);
  expect(await it.page.evaluate(() => location.hash)).not.toContain("pane");
  goesOn(FIRST);
  await time.shows(it.card(FIRST).getByText("Yes, confirmed"));
  await time.pass(1400, 200);
  expect(await it.card(FIRST).getByText("Yes, confirmed").count()).toBe(1);
  await time.pass(2000, 200);
  expect([await it.card(FIRST).count(), await over.count()]).toEqual([0, 0]);

  goesOn(SECOND);
  await time.shows(it.card(SECOND).getByText("No longer waiting"));
  await it.card(SECOND).locator(".card-title").tap();
  await time.shows(it.page.locator("[data-terminal]"));
});

test("a confirmation that times out does not take the focus from the composer", async () => {
  await it.again({}, dangerous);
  const { page } = it;
  await page.setViewportSize(DESK);
  await it.openPane(FIRST);
  const yes = page.locator(`[data-options="${FIRST}"] [data-key="1"]`);
  await yes.waitFor();
  await time.stop();
  await yes.click();
  const asks = page.getByRole("alertdialog", { name: "Yes" });
  await time.shows(asks);
  const composer = page.locator("[data-composer]");
  await composer.click();
  await page.keyboard.type("please use plan ");
  await time.pass(8200, 200);
  await asks.waitFor({ state: "detached" });
  await page.keyboard.type("2");
  await page.keyboard.press("Enter");
  await time.pass(1000, 100);
  expect(await composer.inputValue()).toStartWith("please use plan 2");
  expect(it.sent()).toEqual([]);
});

test("keys typed after the reply field has gone send no answer and run no command", async () => {
  await it.again();
  const { page } = it;
  await it.answer(FIRST, "3").tap();
  const field = it.card(FIRST).getByRole("textbox", { name: "Reply" });
  await field.tap();
  // Within the pause after which keys are commands again.
  await time.stop();
  await page.keyboard.type("take ");
  it.server.change(FIRST, {
    question: "Delete the folder?",
    menu: [option("1", "Yes"), option("2", "No")],
  });
  await time.shows(it.card(FIRST).getByText("Delete the folder?"), 1);
  expect(await field.count()).toBe(0);
  await time.pass(500, 100);
  for (const key of ["1", "Enter", "j", "?"]) await page.keyboard.press(key);
  await time.pass(1000, 100);
  expect(it.sent()).toEqual([]);
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(await page.locator("[aria-selected=true]").count()).toBe(0);
  // A press elsewhere, or a pause, makes keys commands again.
  await time.goOn();
  await page.locator(".summary").tap();
  await page.keyboard.press("1");
  await becomes(() => it.answer(FIRST, "1").getAttribute("aria-selected"), "true");
});

test("a reply field keeps the focus when the click of the same tap falls elsewhere", async () => {
  await it.again();
  const { page } = it;
  const tag = () => page.evaluate(() => document.activeElement?.tagName);
  // Outside the options, as after an answer.
  await it.card(FIRST).locator(".card-title").focus();
  await time.stop();
  await it.answer(FIRST, "3").tap();
  await time.shows(it.card(FIRST).getByRole("textbox", { name: "Reply" }));
  await time.pass(50);
  expect(await tag()).toBe("TEXTAREA");
  await page.locator("h1").click();
  expect(await tag()).toBe("TEXTAREA");
  // A later click is another press.
  await time.pass(500);
  await page.locator("h1").click();
  expect(await tag()).toBe("BODY");
});

const armed = () => it.card(FIRST).locator('[role="option"][aria-selected="true"]');

test("tap and confirm: the first tap selects for four seconds, Send in the row sends", async () => {
  await it.again({ answerWith: "confirm" });
  await time.stop();
  await it.answer(FIRST, "2").tap();
  await armed().waitFor();
  await time.pass(3990);
  expect(await armed().count()).toBe(1);
  await time.pass(20);
  await armed().waitFor({ state: "detached" });
  await it.answer(FIRST, "2").tap();
  await it.answer(FIRST, "2").getByText("Send").waitFor();
  await becomes(() => armed().getAttribute("data-key"), "2");
  // A tap on another option selects that one instead.
  await it.answer(FIRST, "1").tap();
  await it.answer(FIRST, "1").getByText("Send").waitFor();
  await becomes(() => armed().getAttribute("data-key"), "1");
  // A double tap is no confirmation.
  await it.answer(FIRST, "1").dispatchEvent("click");
  await time.pass(390);
  await it.answer(FIRST, "1").dispatchEvent("click");
  await time.pass(20);
  expect(await armed().getAttribute("data-key")).toBe("1");
  expect(it.sent()).toEqual([]);
  await it.answer(FIRST, "1").tap();
  await it.isAnswered(FIRST);
  expect(it.sent()).toEqual([["/api/select", "1"]]);
});

test("tap and confirm: a tap on a prompt that has just changed selects nothing, and a change clears the selection", async () => {
  await it.again({ answerWith: "confirm" });
  await it.pressOn(it.answer(FIRST, "1"));
  it.server.change(FIRST, { question: "Delete it?" });
  await it.card(FIRST).getByText("Delete it?").waitFor();
  await it.page.mouse.up();
  await it.card(FIRST).getByText("This prompt just changed").waitFor();
  expect(await armed().count()).toBe(0);
  await tapCalmly(it.answer(FIRST, "1"));
  await armed().waitFor();
  it.server.change(FIRST, { question: "Delete them all?" });
  await it.card(FIRST).getByText("Delete them all?").waitFor();
  expect(await armed().count()).toBe(0);
  expect(it.sent()).toEqual([]);
});

/** Longer than a press is held, and than a card is steady after it has moved. */
const HELD_MS = 1000;

test("hold: a press of half a second sends, a tap does not, nor a press whose prompt changes, whose card moves or that another finger joins", async () => {
  await it.again({ answerWith: "hold" });
  // By the page's clock: on a busy machine a tap may last half a second, and a change come after it.
  await time.stop();
  await it.answer(FIRST, "2").tap();
  await time.pass(HELD_MS);
  await it.pressOn(it.answer(FIRST, "1"));
  it.server.change(FIRST, { question: "Delete it?" });
  await time.shows(it.card(FIRST).getByText("Delete it?"), 1);
  await time.pass(HELD_MS);
  await it.page.mouse.up();
  await time.shows(it.card(FIRST).getByText("This prompt just changed"));
  await time.pass(HELD_MS);

  const second = it.answer(SECOND, "1");
  await it.pressOn(second);
  it.server.change(FIRST, { question: "Delete it?\n\nAnd all that\n\nbelongs to it?" });
  await time.shows(it.card(FIRST).getByText("And all that"), 1);
  await time.pass(HELD_MS);
  await it.page.mouse.up();

  await time.pass(HELD_MS);
  await it.pressOn(second);
  const finger = { bubbles: true, isPrimary: false, pointerId: 9, pointerType: "touch" };
  await it.page.locator("h1").dispatchEvent("pointerdown", finger);
  await time.pass(HELD_MS);
  await it.page.mouse.up();

  await time.pass(HELD_MS);
  await it.pressOn(second);
  await time.pass(490);
  expect(it.sent()).toEqual([]);
  await time.pass(20);
  await it.isAnswered(SECOND);
  await it.page.mouse.up();
  await time.pass(HELD_MS);
  expect(it.sent()).toEqual([["/api/select", "1"]]);
});

/** A question with an answer that deletes. */
const dangerous = (server: FixtureServer) =>
  server.change(FIRST, {
    question: "Do you want to proceed?",
    evidence: ["rm -rf build"],
    menu: [option("1", "Yes"), option("2", "No"), option("3", "Yes, during this session")],
  });
const again = (preferences: Readonly<Record<string, unknown>> = {}) =>
  it.again(preferences, dangerous);
const asks = () => it.card(FIRST).getByRole("alertdialog", { name: "Yes" });
const button = (name: string) => asks().getByRole("button", { name });
/** A confirmation takes the focus with its first frame. */
async function opens(press: () => Promise<void>): Promise<void> {
  await press();
  await time.shows(asks());
  await time.pass(50);
  await becomes(() => button("Cancel").evaluate((it) => it === document.activeElement), true);
}
const tapsYes = () => it.answer(FIRST, "1").tap();
async function keys(...pressed: readonly string[]): Promise<void> {
  for (const key of pressed) await it.page.keyboard.press(key);
}
/** Within some frames: in eight seconds it closes by itself. */
async function closes(): Promise<void> {
  for (let frame = 0; frame < 20 && (await asks().count()) > 0; frame++) await time.pass(20);
  expect(await asks().count()).toBe(0);
  await time.pass(500);
}

test.each(sampled(["tap", "confirm", "hold"], 3))(
  "%s: a dangerous answer asks for confirmation, and only its button sends, after the shield",
  async (answerWith) => {
    await again({ answerWith });
    await time.stop();
    await opens(tapsYes);
    await asks().getByText("rm -rf deletes for good.").waitFor();
    await button("Run it").tap();
    await time.pass(300);
    expect(it.sent()).toEqual([]);
    await time.pass(200);
    await button("Run it").tap();
    await becomes(() => it.sent(), [["/api/select", "1"]]);
  },
);

test("a confirmation closes by Cancel, Enter, Escape, after eight seconds, with its prompt and with the connection, and sends nothing", async () => {
  await again();
  await time.stop();
  await opens(tapsYes);
  await time.pass(500);
  await button("Cancel").tap();
  await closes();
  await opens(tapsYes);
  await keys("1", "Escape");
  await closes();
  await opens(tapsYes);
  await time.pass(7000);
  expect(await asks().count()).toBe(1);
  await time.pass(1500);
  await closes();
  await opens(() => keys("1", "Enter"));
  await keys("Enter");
  await closes();
  await opens(tapsYes);
  it.server.change(FIRST, { evidence: ["rm -rf /"] });
  await time.shows(it.card(FIRST).getByText("rm -rf /"));
  expect(await asks().count()).toBe(0);
  // It does not open again when the same is asked again.
  it.server.change(FIRST, { evidence: ["rm -rf build"] });
  await time.shows(it.card(FIRST).getByText("rm -rf build"));
  expect(await asks().count()).toBe(0);

  // Nor when the connection is back.
  await time.goOn();
  await it.settle();
  await tapsYes();
  await asks().waitFor();
  it.server.isUnreachable = true;
  it.server.closeSockets();
  await asks().waitFor({ state: "detached" });
  it.server.isUnreachable = false;
  await it.page.locator(".connection.live").waitFor();
  await it.settle();
  expect(await asks().count()).toBe(0);
  expect(it.sent()).toEqual([]);
});

test("a refusal needs no confirmation, and no answer does where confirmations are off", async () => {
  await again({ askDelete: false });
  await it.answer(FIRST, "1").tap();
  await becomes(() => it.sent(), [["/api/select", "1"]]);
  await again();
  await it.answer(FIRST, "2").tap();
  await becomes(() => it.sent(), [["/api/select", "2"]]);
});

test("a card counts the characters that are cut off, and every answer to it asks for confirmation", async () => {
  await again();
  it.server.change(FIRST, { evidence: ["npm test"], cut: { lines: 0, characters: 612 } });
  const more = "612 more characters";
  await it.card(FIRST).getByText(more).waitFor();
  await it.settle();
  await time.stop();
  await it.answer(FIRST, "2").tap();
  const asked = it.card(FIRST).getByRole("alertdialog", { name: "No" });
  await time.shows(asked.getByText(`${more}: open the terminal to read all.`));
  expect(it.sent()).toEqual([]);
  await time.pass(600);
  await asked.getByRole("button", { name: "Send it" }).tap();
  await becomes(() => it.sent(), [["/api/select", "2"]]);
  await time.goOn();
  it.server.change(SECOND, { evidence: ["npm test"], cut: { lines: 3, characters: 0 } });
  await it.card(SECOND).getByText("3 more lines").waitFor();
  await tapCalmly(it.card(SECOND).getByRole("button", { name: "Screen" }));
  await it.page.locator(`[data-terminal="${SECOND}"]`).waitFor();
});

const LONG: readonly (readonly [string, Viewport, string, () => Locator])[] = [
  ["in the queue", PHONE, "#/queue", () => it.card(FIRST)],
  ["in Go through", PHONE, "#/queue/one", () => it.page.getByRole("main").getByRole("article")],
  ["at a desk", DESK, "#/queue", () => it.page.getByRole("complementary", { name: "Answer" })],
];

test.each(sampled(LONG, 3))(
  "%s long evidence counts the lines below its edge, and a tap scrolls to them without moving an answer",
  async (_, viewport, hash, place) => {
    await again();
    const { page, server } = it;
    const evidence = Array.from(
      { length: 40 },
      (_, i) => `Removing file number ${i} of the project`,
    );
    server.change(FIRST, { evidence });
    await page.setViewportSize(viewport);
    await page.goto(`${server.url}${hash}`);
    const answers = place();
    const below = answers.getByRole("button", { name: /^\d+ more lines?$/ });
    await below.waitFor();
    const count = async () => parseInt((await below.allTextContents())[0] ?? "0");
    const whole = () =>
      below.evaluate((row) => {
        const edge = row.getBoundingClientRect().top;
        const lines = [...(row.closest("pre")?.querySelectorAll(".line") ?? [])];
        return lines.filter((line) => line.getBoundingClientRect().bottom <= edge + 1).length;
      });
    await becomes(async () => (await whole()) + (await count()), 40);
    const top = async () => (await answers.getByRole("option").first().boundingBox())?.y;
    const before = await top();
    for (let left = await count(); left > 0; left = await count()) {
      await below.click();
      await until(async () => (await count()) < left);
    }
    expect(await answers.getByText(evidence[39] ?? "").isVisible()).toBe(true);
    expect(await top()).toBe(before);
    expect(it.sent()).toEqual([]);
  },
);

test("More shows a long description and sends nothing; at a desk it is whole from the start", async () => {
  const description = "It keeps its place while rows are added. ".repeat(12).trim();
  const menu = [option("1", "Cursor", { description }), option("2", "Offset")];
  await again();
  it.server.change(FIRST, { menu });
  const text = it.answer(FIRST, "1").getByText(description);
  const cut = () => text.evaluate((one) => one.scrollHeight - one.clientHeight > 1);
  await becomes(cut, true);
  // The children of an option are its name for a screen reader: none may be a control.
  const controls = "a, button, input, select, textarea, [tabindex], [role=button], [role=link]";
  expect(await it.page.getByRole("option").locator(controls).count()).toBe(0);
  await it.settle();
  // At its edge, beyond which a tap hits the option.
  const more = it.answer(FIRST, "1").getByText("More", { exact: true });
  await more.tap({ position: { x: 42, y: 42 } });
  await becomes(cut, false);
  expect(await more.count()).toBe(0);
  expect(it.sent()).toEqual([]);
  const desk = await lab.open(it.server.url, DESK);
  const there = desk.getByText(description);
  await there.waitFor();
  expect(await there.evaluate((one) => one.scrollHeight - one.clientHeight)).toBe(0);
  expect(await desk.getByText("More", { exact: true }).isVisible()).toBe(false);
});
