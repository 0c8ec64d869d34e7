import { expect, test } from "bun:test";
import { INCARNATION } from "../../src/ledger/idempotency-cache.ts";
import { AnswerPage } from "../support/answer-page.ts";
import { PageLab } from "../support/page-lab.ts";
import type { PageTime } from "../support/page-time.ts";
import { rare } from "../support/thorough.ts";
import { becomes } from "../support/becomes.ts";
import { DESK } from "../support/fixture-page.ts";
import { option } from "../support/fixture-panes.ts";

const [FIRST, SECOND] = ["%12", "%15"];
const lab = PageLab.ofFile();
let it: AnswerPage;
let time: PageTime;
lab.shares(async () => {
  ({ it, time } = await AnswerPage.openTimed(lab));
});

test("an answer from here ends as confirmed, then the next card comes up; another prompt no longer waits", async () => {
  await it.again();
  const goesOn = (id: string) =>
    it.server.change(id, { status: "working", question: null, menu: [], evidence: [] });
  const over = it.page.getByText("No longer waiting");
  await time.stop();
  await it.answer(FIRST, "1").tap();
  await time.shows(it.card(FIRST).getByText("Yes, sent"));
  expect(await it.card(FIRST).getByRole("option").count()).toBe(0);
  goesOn(FIRST);
  await time.shows(it.card(FIRST).getByText("Yes, confirmed"));
  await time.pass(1400, 200);
  expect(await it.card(FIRST).getByText("Yes, confirmed").count()).toBe(1);
  await time.pass(2000, 200);
  expect([await it.card(FIRST).count(), await over.count()]).toEqual([0, 0]);

  goesOn(SECOND);
  await time.shows(it.card(SECOND).getByText("No longer waiting"));
});

test("a second tap right after an answer does nothing to what came below the finger", async () => {
  await it.again();
  await time.stop();
  await it.answer(FIRST, "1").tap();
  await time.shows(it.card(FIRST).getByText("Yes, sent"));
  await it.card(SECOND).locator(".card-title").tap();
  await time.pass(500);
  expect(await it.page.evaluate(() => location.hash)).not.toContain("pane");
  await it.card(SECOND).locator(".card-title").tap();
  await time.shows(it.page.locator("[data-terminal]"));
});

rare(
  "a reply that is lost is asked for again under the same key, and nobody is left in doubt",
  async () => {
    const it = await AnswerPage.open(lab, {}, ({ config }) => {
      config._info.capabilities.legacy_once_v1 = { version: 1, incarnation: INCARNATION };
    });
    const keys = () => it.server.actions.map(({ body }) => String(body["idempotency_key"]));
    let lost = 0;
    await it.page.route("**/api/select", async (route) => {
      // The server has it; its word does not come back.
      if (lost++ === 0) await route.fetch();
      if (lost === 1) return route.abort("connectionreset");
      return route.continue();
    });
    await it.answer(FIRST, "1").tap();
    await it.isAnswered(FIRST);
    expect(it.server.sent).toEqual([{ id: FIRST, input: "1" }]);
    expect(new Set(keys()).size).toBe(1);
    expect(keys().length).toBe(2);
    expect(keys()[0]).toStartWith(`at:${INCARNATION}:`);
    // What is answered next has a key of its own.
    await it.page.unroute("**/api/select");
    await it.settle();
    await it.answer(SECOND, "1").tap();
    await becomes(() => it.server.sent.length, 2);
    expect(new Set(keys()).size).toBe(2);
  },
);

test("a dangerous row that closes by itself leaves the focus where somebody writes", async () => {
  await it.again({}, (server) =>
    server.change(FIRST, {
      question: "Do you want to proceed?",
      evidence: ["rm -rf build"],
      menu: [option("1", "Yes"), option("2", "No")],
    }),
  );
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

test("what is typed on where a field has gone answers nothing and commands nothing", async () => {
  await it.again();
  const { page } = it;
  await it.answer(FIRST, "3").tap();
  const field = it.card(FIRST).getByRole("textbox", { name: "Reply" });
  await field.tap();
  // All of it in less than the pause after which keys are no longer meant for the field.
  await time.stop();
  await page.keyboard.type("take ");
  it.server.change(FIRST, {
    question: "Delete the folder?",
    menu: [option("1", "Yes"), option("2", "No")],
  });
  await time.shows(it.card(FIRST).getByText("Delete the folder?"));
  expect(await field.count()).toBe(0);
  await time.pass(500, 100);
  for (const key of ["1", "Enter", "j", "?"]) await page.keyboard.press(key);
  await time.pass(1000, 100);
  expect(it.sent()).toEqual([]);
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(await page.locator("[aria-selected=true]").count()).toBe(0);
  // Whoever has seen it goes on by keys: a press of their own, or a pause.
  await time.goOn();
  await page.locator(".summary").tap();
  await page.keyboard.press("1");
  await becomes(() => it.answer(FIRST, "1").getAttribute("aria-selected"), "true");
});
