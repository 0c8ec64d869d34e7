import { expect, test } from "bun:test";
import { AnswerPage } from "../support/answer-page.ts";
import { becomes } from "../support/becomes.ts";
import { DESK } from "../support/fixture-page.ts";
import { guard, option } from "../support/fixture-panes.ts";
import { PageLab } from "../support/page-lab.ts";

const ID = "%12";
const lab = PageLab.ofFile();

test("a dangerous row that closes by itself leaves the focus where somebody writes", async () => {
  const { it, time } = await AnswerPage.openTimed(lab, {}, (server) =>
    server.change(ID, {
      question: "Do you want to proceed?",
      evidence: ["rm -rf build"],
      menu: [option("1", "Yes"), option("2", "No")],
      legacy_guard: guard(),
    }),
  );
  const { page } = it;
  await page.setViewportSize(DESK);
  await it.openPane(ID);
  await time.stop();
  await page.locator(`[data-options="${ID}"] [data-key="1"]`).click();
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
  const it = await AnswerPage.open(lab);
  const { page } = it;
  await it.answer(ID, "3").tap();
  const field = it.card(ID).getByRole("textbox", { name: "Reply" });
  await field.tap();
  await page.keyboard.type("take ");
  it.server.change(ID, {
    question: "Delete the folder?",
    menu: [option("1", "Yes"), option("2", "No")],
    legacy_guard: guard(),
  });
  await field.waitFor({ state: "detached" });
  await it.settle();
  for (const key of ["1", "Enter", "j", "?"]) await page.keyboard.press(key);
  await it.settle();
  expect(it.sent()).toEqual([]);
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(await page.locator("[aria-selected=true]").count()).toBe(0);
  // Whoever has seen it goes on by keys: a press of their own, or a pause.
  await page.locator(".summary").tap();
  await page.keyboard.press("1");
  await becomes(() => it.answer(ID, "1").getAttribute("aria-selected"), "true");
});
