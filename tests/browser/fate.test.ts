import { expect, test } from "bun:test";
import { AnswerPage } from "../support/answer-page.ts";
import { PageLab } from "../support/page-lab.ts";

const [FIRST, SECOND] = ["%12", "%15"];
const lab = PageLab.ofFile();

test("an answer from here ends as confirmed, then the next card comes up; another prompt no longer waits", async () => {
  const { it, time } = await AnswerPage.openTimed(lab);
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
  const { it, time } = await AnswerPage.openTimed(lab);
  await time.stop();
  await it.answer(FIRST, "1").tap();
  await time.shows(it.card(FIRST).getByText("Yes, sent"));
  await it.card(SECOND).locator(".card-title").tap();
  await time.pass(500);
  expect(await it.page.evaluate(() => location.hash)).not.toContain("pane");
  await it.card(SECOND).locator(".card-title").tap();
  await time.shows(it.page.locator("[data-terminal]"));
});
