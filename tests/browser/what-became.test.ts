import { beforeEach, expect, test } from "bun:test";
import type { Act } from "../../src/protocol/act.ts";
import { AnswerPage } from "../support/answer-page.ts";
import { becomes } from "../support/becomes.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare } from "../support/thorough.ts";

const [ASKING, IDLE] = ["%12", "%16"];
const lab = PageLab.ofFile();
let it: AnswerPage;

lab.shares(async () => {
  it = await AnswerPage.open(lab, {}, ({ config }) => {
    config._info.capabilities.act_ledger_v1 = { version: 1, incarnation: "morning" };
  });
});
beforeEach(() => it.again());

/** An answer of another device. */
const actOf = (key: string, state: Act["state"]): Act => ({
  ...{ key, pane_id: ASKING, target: "work:1.1", kind: "select", label: "Yes", state },
  ...{ about: { kind: "question", text: "May I?" }, by: { grant: "pixel", name: "Pixel 9" } },
  ...{ at: Date.now() / 1000 - 7, reason: null },
});

/** The request gets through, and the word of what became of it does not. */
const cutReplies = (path: string) =>
  it.page.route(`**${path}`, async (route) => {
    await route.fetch();
    await route.abort("connectionreset");
  });

test("in a tunnel: socket and reply are cut after the answer arrived, and the card says sent, confirmed", async () => {
  await cutReplies("/api/select");
  await it.page.route("**/api/acts**", (route) => route.abort("internetdisconnected"));
  await it.answer(ASKING, "1").tap();
  it.server.hasSockets = false;
  const card = it.card(ASKING);
  await card.getByText("May have arrived. Look at its screen.").waitFor();
  it.server.hasSockets = true;
  await it.page.unroute("**/api/acts**");
  await card.getByText("Yes, sent").waitFor();
  expect(await card.getByRole("button", { name: "Inspect terminal" }).count()).toBe(0);
  it.server.change(ASKING, { status: "working", question: null, menu: [] });
  await card.getByText("Yes, confirmed").waitFor();
  expect(it.server.sent).toEqual([{ id: ASKING, input: "1" }]);
});

test("a page that was killed while it sent begins with what became of it", async () => {
  // Its pane's turn has not come yet.
  it.server.hook = ({ path }) =>
    path === "/api/select" ? new Promise<Response>(() => {}) : undefined;
  await it.answer(ASKING, "1").tap();
  await becomes(() => it.server.actions.length, 1);
  const key = String(it.server.actions[0]?.body["idempotency_key"]);
  let state: Act["state"] = "sending";
  it.server.hook = ({ path }) =>
    path === "/api/acts" ? Response.json({ acts: [actOf(key, state)], unseen: [] }) : undefined;
  await it.page.reload();
  const card = it.card(ASKING);
  await card.getByText("May have arrived").waitFor();
  state = "refused";
  await card.getByText("Not sent", { exact: false }).first().waitFor();
  await card.getByRole("option").first().waitFor();
  expect(it.server.sent).toEqual([]);
});

rare("what never arrived may be sent again, and goes under the same key", async () => {
  await it.page.route("**/api/select", (route) => route.abort("connectionreset"));
  await it.answer(ASKING, "1").tap();
  const card = it.card(ASKING);
  await card.getByText("It never arrived. It may be sent again.").waitFor();
  const lost = await it.page.evaluate(() => localStorage.getItem("panewatch.doubts"));
  expect(lost).toBeNull();
  await it.page.unroute("**/api/select");
  await it.settle();
  await it.answer(ASKING, "1").tap();
  await card.getByText("Yes, sent").waitFor();
  expect(it.server.sent).toEqual([{ id: ASKING, input: "1" }]);
});

test("words that have arrived leave the composer, over a reload too", async () => {
  await it.openPane(IDLE);
  await cutReplies("/api/text");
  await it.page.route("**/api/acts**", (route) => route.abort("internetdisconnected"));
  const field = it.page.locator("[data-composer]");
  await field.fill("go on");
  await it.page.getByRole("button", { name: "Send", exact: true }).tap();
  await it.page.getByText("This may not have arrived").waitFor();
  expect(await field.inputValue()).toBe("go on");
  await it.page.unroute("**/api/acts**");
  await it.page.reload();
  await becomes(() => field.inputValue(), "");
  expect(await it.page.getByText("This may not have arrived").count()).toBe(0);
  expect(it.sent()).toEqual([["/api/text", "go on"]]);
});

test("what another device has answered stands with its name in the place of the answers", async () => {
  const since = Date.now() / 1000 - 30;
  const act = { ...actOf("theirs", "sent"), at: Date.now() / 1000 };
  it.server.change(ASKING, { prompt_since: since, act });
  const card = it.card(ASKING);
  await card.getByText("Yes, from Pixel 9, just now · sent").waitFor();
  expect(await card.getByRole("option").count()).toBe(0);
  // It was not taken: the prompt stands, and is to be answered.
  await card.getByRole("option").first().waitFor();
  await it.openPane(ASKING);
  it.server.change(ASKING, {
    ...{ status: "working", question: null, menu: [], prompt_since: null },
    act: { ...act, state: "confirmed", at: Date.now() / 1000 - 7 },
  });
  await it.page.getByText(/^Yes, from Pixel 9, \d+ s ago · confirmed$/).waitFor();
});
