import { expect, test } from "bun:test";
import { AnswerPage } from "../support/answer-page.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { becomes } from "../support/becomes.ts";
import { guard } from "../support/fixture-panes.ts";
import type { PageTime } from "../support/page-time.ts";
import { until } from "../support/until.ts";
import { PageLab } from "../support/page-lab.ts";

const ID = "%12";

const lab = PageLab.ofFile();
let it: AnswerPage;

async function openTimed(
  preferences: Readonly<Record<string, unknown>>,
  prepare?: (server: FixtureServer) => void,
): Promise<PageTime> {
  const opened = await AnswerPage.openTimed(lab, preferences, prepare);
  ({ it } = opened);
  return opened.time;
}

const armed = () => it.card(ID).locator('[role="option"][aria-selected="true"]');

test("tap and confirm: the first tap arms, for four seconds, and Send inside the row sends", async () => {
  const time = await openTimed({ answerWith: "confirm" });
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
  it = await AnswerPage.open(lab, { answerWith: "confirm" });
  await it.pressOn(it.answer(ID, "1"));
  it.server.change(ID, { question: "Delete it?", legacy_guard: guard() });
  await it.card(ID).getByText("Delete it?").waitFor();
  await it.page.mouse.up();
  await it.card(ID).getByText("This prompt just changed").waitFor();
  expect(await armed().count()).toBe(0);
  await it.settle();
  await it.answer(ID, "1").tap();
  await armed().waitFor();
  it.server.change(ID, { question: "Delete them all?", legacy_guard: guard() });
  await it.card(ID).getByText("Delete them all?").waitFor();
  expect(await armed().count()).toBe(0);
  expect(it.sent()).toEqual([]);
});

test("hold: a tap sends nothing, half a second does", async () => {
  const time = await openTimed({ answerWith: "hold" });
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
  it = await AnswerPage.open(lab, { answerWith: "hold" });
  await it.pressOn(it.answer(ID, "1"));
  it.server.change(ID, { question: "Delete it?", legacy_guard: guard() });
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

test("low data without deltas: no socket, REST every ten seconds, and an answer is compared with a fresh state", async () => {
  const time = await openTimed({ lowData: true }, (server) => {
    delete server.config._info.capabilities.state_delta_v1;
  });
  await it.page.getByText("Every 10 s").waitFor();
  const asked = () => it.server.requests.filter(({ path }) => path === "/api/state").length;
  await time.stop();
  const first = asked();
  await until(async () => {
    if (asked() > first) return true;
    await time.pass(100);
    return null;
  });
  const before = asked();
  await time.pass(9800, 1400);
  expect(asked()).toBe(before);
  expect(it.sockets).toBe(0);

  const next = guard();
  it.server.panes = it.server.panes.map((pane) =>
    pane.id === ID ? { ...pane, question: "By REST?", legacy_guard: next } : pane,
  );
  await it.answer(ID, "1").tap();
  await it.card(ID).getByText("This prompt just changed").waitFor();
  await time.shows(it.card(ID).getByText("By REST?"));
  expect(it.sent()).toEqual([]);
  await time.pass(1700);
  await it.answer(ID, "1").tap();
  await it.isAnswered(ID);
  expect(asked()).toBe(before + 2);
  expect(it.server.actions.map(({ body }) => body["expected"])).toEqual([
    { ...next, selected: "1" },
  ]);
});
