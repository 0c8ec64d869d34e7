import { expect, test } from "bun:test";
import { AnswerPage } from "../support/answer-page.ts";
import { becomes } from "../support/becomes.ts";
import { guard, option } from "../support/fixture-panes.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import type { PageTime } from "../support/page-time.ts";
import { sampled } from "../support/thorough.ts";
import { PageLab } from "../support/page-lab.ts";

const ID = "%12";
const lab = PageLab.ofFile();
let it: AnswerPage;

const prepare = (server: FixtureServer) =>
  server.change(ID, {
    question: "Do you want to proceed?",
    evidence: ["rm -rf build"],
    menu: [option("1", "Yes"), option("2", "No"), option("3", "Yes, during this session")],
    legacy_guard: guard(),
  });

async function open(preferences: Readonly<Record<string, unknown>> = {}): Promise<PageTime> {
  const opened = await AnswerPage.openTimed(lab, preferences, prepare);
  ({ it } = opened);
  return opened.time;
}

const asks = () => it.card(ID).getByRole("alertdialog", { name: "Yes" });
const button = (name: string) => asks().getByRole("button", { name });

test.each(sampled(["tap", "confirm", "hold"], 3))(
  "%s: a dangerous answer opens in place, and only its own button sends it, after the shield",
  async (answerWith) => {
    const time = await open({ answerWith });
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
  const time = await open();
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
  it.server.change(ID, { evidence: ["rm -rf /"], legacy_guard: guard() });
  await time.shows(it.card(ID).getByText("rm -rf /"));
  expect(await asks().count()).toBe(0);
  expect(it.sent()).toEqual([]);
});

test("what declines is sent at once, and so is everything that is switched off", async () => {
  await open({ askDelete: false });
  await it.answer(ID, "1").tap();
  await becomes(() => it.sent(), [["/api/select", "1"]]);
  await open();
  await it.answer(ID, "2").tap();
  await becomes(() => it.sent(), [["/api/select", "2"]]);
});

test("what is not shown whole is counted on the card, and every answer to it asks once more", async () => {
  const time = await open();
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
