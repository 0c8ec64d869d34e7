import { expect, test } from "bun:test";
import { AnswerPage } from "../support/answer-page.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { becomes } from "../support/becomes.ts";
import { option } from "../support/fixture-panes.ts";
import type { PageTime } from "../support/page-time.ts";
import { PageLab } from "../support/page-lab.ts";
import { sampled } from "../support/thorough.ts";

const ID = "%12";

const lab = PageLab.ofFile();
let it: AnswerPage;
let time: PageTime;
lab.shares(async () => {
  ({ it, time } = await AnswerPage.openTimed(lab));
});

const armed = () => it.card(ID).locator('[role="option"][aria-selected="true"]');

test("tap and confirm: the first tap arms, for four seconds, and Send inside the row sends", async () => {
  await it.again({ answerWith: "confirm" });
  await time.stop();
  await it.answer(ID, "2").tap();
  await armed().waitFor();
  await time.pass(3990);
  expect(await armed().count()).toBe(1);
  await time.pass(20);
  await armed().waitFor({ state: "detached" });
  await it.answer(ID, "2").tap();
  await it.answer(ID, "2").getByText("Send").waitFor();
  await becomes(() => armed().getAttribute("data-key"), "2");
  // Another tap arms the other one instead.
  await it.answer(ID, "1").tap();
  await it.answer(ID, "1").getByText("Send").waitFor();
  await becomes(() => armed().getAttribute("data-key"), "1");
  // A double tap is no second thought.
  await it.answer(ID, "1").dispatchEvent("click");
  await time.pass(390);
  await it.answer(ID, "1").dispatchEvent("click");
  await time.pass(20);
  expect(await armed().getAttribute("data-key")).toBe("1");
  expect(it.sent()).toEqual([]);
  await it.answer(ID, "1").tap();
  await it.isAnswered(ID);
  expect(it.sent()).toEqual([["/api/select", "1"]]);
});

test("nothing is armed by a tap on a prompt that has just changed, and nothing stays armed on it", async () => {
  await it.again({ answerWith: "confirm" });
  await it.pressOn(it.answer(ID, "1"));
  it.server.change(ID, { question: "Delete it?" });
  await it.card(ID).getByText("Delete it?").waitFor();
  await it.page.mouse.up();
  await it.card(ID).getByText("This prompt just changed").waitFor();
  expect(await armed().count()).toBe(0);
  await it.settle();
  await it.answer(ID, "1").tap();
  await armed().waitFor();
  it.server.change(ID, { question: "Delete them all?" });
  await it.card(ID).getByText("Delete them all?").waitFor();
  expect(await armed().count()).toBe(0);
  expect(it.sent()).toEqual([]);
});

test("hold: a tap sends nothing, half a second does", async () => {
  await it.again({ answerWith: "hold" });
  await it.answer(ID, "2").tap();
  await it.settle();
  expect(it.sent()).toEqual([]);
  await time.stop();
  await it.pressOn(it.answer(ID, "2"));
  await time.pass(490);
  expect(it.sent()).toEqual([]);
  await time.pass(20);
  await it.isAnswered(ID);
  await it.page.mouse.up();
  await time.pass(1000);
  expect(it.sent()).toEqual([["/api/select", "2"]]);
});

test("a held press ends when its prompt changes, its card moves or another finger comes down", async () => {
  await it.again({ answerWith: "hold" });
  await it.pressOn(it.answer(ID, "1"));
  it.server.change(ID, { question: "Delete it?" });
  await it.card(ID).getByText("This prompt just changed").waitFor();
  await it.page.mouse.up();

  const second = it.answer("%15", "1");
  await it.settle();
  await it.pressOn(second);
  it.server.change(ID, { question: "Delete it?\n\nAnd all that\n\nbelongs to it?" });
  await it.card(ID).getByText("And all that").waitFor();
  await it.settle();
  await it.page.mouse.up();

  await it.settle();
  await it.pressOn(second);
  const finger = { bubbles: true, isPrimary: false, pointerId: 9, pointerType: "touch" };
  await it.page.locator("h1").dispatchEvent("pointerdown", finger);
  await it.settle();
  await it.page.mouse.up();
  expect(it.sent()).toEqual([]);
});

test("by REST alone, an answer is compared with a fresh state", async () => {
  const { it, time } = await AnswerPage.openTimed(lab, {}, (server) => {
    server.hasSockets = false;
  });
  await it.page.getByText("Every 2 s").waitFor();
  const asked = () => it.server.requests.filter(({ path }) => path === "/api/state").length;
  await time.stop();
  const ask = (question: string) => {
    it.server.panes = it.server.panes.map((pane) =>
      pane.id === ID ? { ...pane, question } : pane,
    );
  };
  ask("By its clock?");
  // The page has it, and asks again two seconds later.
  await time.shows(it.card(ID).getByText("By its clock?"), 100);
  const before = asked();
  await time.pass(1700);

  ask("By REST?");
  await it.answer(ID, "1").tap();
  await it.card(ID).getByText("This prompt just changed").waitFor();
  await time.shows(it.card(ID).getByText("By REST?"));
  expect(it.sent()).toEqual([]);
  await time.pass(1700);
  await it.answer(ID, "1").tap();
  await it.isAnswered(ID);
  expect(asked()).toBe(before + 2);
  expect(it.server.actions.map(({ body }) => body["expected"])).toEqual([
    it.server.find(ID).legacy_guard,
  ]);
});

/** A question with an answer that deletes. */
const dangerous = (server: FixtureServer) =>
  server.change(ID, {
    question: "Do you want to proceed?",
    evidence: ["rm -rf build"],
    menu: [option("1", "Yes"), option("2", "No"), option("3", "Yes, during this session")],
  });

const again = (preferences: Readonly<Record<string, unknown>> = {}) =>
  it.again(preferences, dangerous);
const asks = () => it.card(ID).getByRole("alertdialog", { name: "Yes" });
const button = (name: string) => asks().getByRole("button", { name });

test.each(sampled(["tap", "confirm", "hold"], 3))(
  "%s: a dangerous answer opens in place, and only its own button sends it, after the shield",
  async (answerWith) => {
    await again({ answerWith });
    await time.stop();
    await it.answer(ID, "1").tap();
    await asks().getByText("rm -rf deletes for good.").waitFor();
    await time.pass(50);
    await becomes(() => button("Cancel").evaluate((it) => it === document.activeElement), true);
    await button("Run it").tap();
    await time.pass(300);
    expect(it.sent()).toEqual([]);
    await time.pass(200);
    await button("Run it").tap();
    await becomes(() => it.sent(), [["/api/select", "1"]]);
  },
);

test("the row closes by Cancel, Enter, Escape, after eight seconds and with its prompt, and nothing was sent", async () => {
  await again();
  await time.stop();
  const opens = async () => {
    await it.answer(ID, "1").tap();
    await asks().waitFor();
    // It takes the focus with its first frame.
    await time.pass(50);
    await becomes(() => button("Cancel").evaluate((it) => it === document.activeElement), true);
  };
  await opens();
  await time.pass(500);
  await button("Cancel").tap();
  await asks().waitFor({ state: "detached" });
  await time.pass(500);
  await opens();
  await it.page.keyboard.press("1");
  await it.page.keyboard.press("Escape");
  await asks().waitFor({ state: "detached" });
  await time.pass(500);
  await opens();
  await time.pass(7800);
  expect(await asks().count()).toBe(1);
  await time.pass(200);
  await asks().waitFor({ state: "detached" });
  await time.pass(500);
  await it.page.keyboard.press("1");
  await it.page.keyboard.press("Enter");
  await asks().waitFor();
  await time.pass(50);
  await becomes(() => button("Cancel").evaluate((it) => it === document.activeElement), true);
  await it.page.keyboard.press("Enter");
  await asks().waitFor({ state: "detached" });
  await time.pass(500);
  await opens();
  it.server.change(ID, { evidence: ["rm -rf /"] });
  await time.shows(it.card(ID).getByText("rm -rf /"));
  expect(await asks().count()).toBe(0);
  // Nor does it open by itself when the same is asked again.
  it.server.change(ID, { evidence: ["rm -rf build"] });
  await time.shows(it.card(ID).getByText("rm -rf build"));
  expect(await asks().count()).toBe(0);
  expect(it.sent()).toEqual([]);
});

test("what declines is sent at once, and so is everything that is switched off", async () => {
  await again({ askDelete: false });
  await it.answer(ID, "1").tap();
  await becomes(() => it.sent(), [["/api/select", "1"]]);
  await again();
  await it.answer(ID, "2").tap();
  await becomes(() => it.sent(), [["/api/select", "2"]]);
});

test("what is not shown whole is counted on the card, and every answer to it asks once more", async () => {
  await again();
  it.server.change(ID, { evidence: ["npm test"], cut: { lines: 0, characters: 612 } });
  const more = "612 more characters: open the terminal to read all.";
  await it.card(ID).getByText(more).waitFor();
  await time.stop();
  await it.answer(ID, "2").tap();
  const asked = it.card(ID).getByRole("alertdialog", { name: "No" });
  await asked.getByText(more).waitFor();
  expect(it.sent()).toEqual([]);
  await time.pass(600);
  await asked.getByRole("button", { name: "Send it" }).tap();
  await becomes(() => it.sent(), [["/api/select", "2"]]);
});
