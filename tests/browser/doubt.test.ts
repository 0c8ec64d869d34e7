import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Act } from "../../src/protocol/act.ts";
import { AnswerPage } from "../support/answer-page.ts";
import { becomes } from "../support/becomes.ts";
import { tapCalmly } from "../support/calm.ts";
import { fixtureHost } from "../support/fixture-hosts.ts";
import { PageLab } from "../support/page-lab.ts";
import { tellsInPassing } from "../support/told.ts";

const ASKING = "%12";
const IDLE = "%16";

const lab = PageLab.ofFile();
let it: AnswerPage;

lab.shares(async () => {
  ({ it } = await AnswerPage.openTimed(lab));
});
beforeEach(() => it.again());

const inspect = () => it.page.getByRole("button", { name: "Inspect terminal" });

test("an answer of unknown delivery offers only the terminal, until a new snapshot was shown with it", async () => {
  it.server.hook = ({ path }) =>
    /select|state/.test(path) ? new Response("", { status: 502 }) : undefined;
  await it.answer(ASKING, "1").tap();
  const card = it.card(ASKING);
  await card.getByText("May have arrived. Look at its screen.").waitFor();
  // Later snapshots do not bring the answers back by themselves.
  it.server.change(ASKING, { updated: Date.now() / 1000 });
  await it.settle();
  expect(await card.getByRole("option").count()).toBe(0);
  expect(await card.locator(".actions").getByRole("button").allInnerTexts()).toEqual([
    "Inspect terminal",
  ]);
  expect(await card.getByRole("textbox").count()).toBe(0);
  await inspect().tap();
  await it.page.locator("[data-terminal]").waitFor();
  await it.settle();
  expect(await it.page.getByRole("option").count()).toBe(0);
  it.server.takes();
  await tapCalmly(inspect());
  await it.page.getByRole("option").first().waitFor();
  expect(it.sent()).toEqual([["/api/select", "1"]]);
});

test("a text of unknown delivery is kept, and nothing is sent until the terminal was inspected", async () => {
  await it.openPane(IDLE);
  await it.composer.fill("go on");
  await it.page.route("**/api/text", (route) => route.abort("connectionreset"));
  await it.send.tap();
  await it.page.getByText("This may not have arrived").waitFor();
  await it.page.unroute("**/api/text");
  expect(await it.composer.inputValue()).toBe("go on");
  expect(await it.send.isDisabled()).toBe(true);
  expect(await it.key("Enter").isDisabled()).toBe(true);
  // The page does not send it after a reload either.
  await it.page.reload();
  await it.page.getByText("This may not have arrived").waitFor();
  await becomes(() => it.composer.inputValue(), "go on");
  await it.composer.fill("go on then");
  await it.page.getByText("This may not have arrived").waitFor();
  expect(await it.send.isDisabled()).toBe(true);
  expect(it.sent()).toEqual([]);

  await tapCalmly(inspect());
  await it.page.getByText("This may not have arrived").waitFor({ state: "detached" });
  await tapCalmly(it.send);
  await it.page.waitForFunction(() => document.querySelector("textarea")?.value === "");
  expect(it.sent()).toEqual([["/api/text", "go on then"]]);
});

test("a key of unknown delivery drops the keys behind it and disables the answers", async () => {
  await it.openPane(ASKING);
  const shown = it.server.find(ASKING).legacy_guard;
  const first = it.server.hold("/api/key");
  await it.key("Down").tap();
  await it.key("Enter").tap();
  await it.page.getByRole("option").first().tap();
  first.reply({ detail: { reason: "partial_delivery_unknown" } }, 409);
  const prompt = it.page.getByRole("region", { name: "Question" });
  await prompt.getByText("May have arrived. Look at its screen.").waitFor();
  expect(await prompt.getByRole("option").count()).toBe(0);
  await it.settle();
  expect(it.sent()).toEqual([["/api/key", "Down"]]);
  // With the guard of the screen that was shown.
  expect(it.server.actions[0]?.body["expected"]).toEqual({ ...shown, selected: "1" });
  await prompt.getByRole("button", { name: "Inspect terminal" }).tap();
  await prompt.getByRole("option").first().waitFor();
  expect(it.sent()).toEqual([["/api/key", "Down"]]);
});

test("a prompt that changes during a press stops a key and Send, also without the server's guard", async () => {
  const { capabilities } = it.server.config._info;
  const { legacy_guard_v1 } = capabilities;
  delete capabilities.legacy_guard_v1;
  const asked = () => it.server.asked("/api/config").length;
  const before = asked();
  await it.page.reload();
  await becomes(() => asked() > before, true);
  Object.assign(capabilities, { legacy_guard_v1 });
  await it.openPane(ASKING);
  await it.pressOn(it.key("Enter"));
  it.server.change(ASKING, { question: "Delete it all?" });
  await it.page.getByText("Delete it all?").waitFor();
  await it.page.mouse.up();
  await it.page.getByText("Not sent: the prompt changed.").waitFor();

  await it.openPane(IDLE);
  await it.composer.fill("yes");
  await it.pressOn(it.send);
  it.server.change(IDLE, { status: "needs_input", question: "Wipe?" });
  await it.page.getByText("Wipe?").waitFor();
  await it.page.mouse.up();
  await it.settle();
  expect(it.sent()).toEqual([]);
  expect(await it.composer.inputValue()).toBe("yes");
});

test("a refusal shows the server's reason until the prompt changes", async () => {
  const reason = "menu key not offered: 9";
  it.server.refuse("/api/select", { reason }, 400);
  // It is said of the prompt that is read after the refusal.
  const reads = it.page.waitForResponse(/api\/state/);
  await it.answer(ASKING, "1").tap();
  const words = it.card(ASKING).getByText(`The server refused it: ${reason}`);
  await words.waitFor();
  await (await reads).finished();
  await it.card(ASKING).getByRole("option").first().waitFor();
  await it.settle();
  expect(await words.count()).toBe(1);
  it.server.change(ASKING, { question: "And this one?" });
  await it.card(ASKING).getByText("And this one?").waitFor();
  await becomes(() => words.count(), 0);
  await it.openPane(IDLE);
  it.server.refuse("/api/text", { reason }, 400);
  await it.composer.fill("hm");
  await it.send.tap();
  await it.page.getByText(`Not sent: ${reason}`).waitFor();
});

test("a doubt outlasts a reload while the machine of its pane is not read yet; a pane that a wide screen opens by itself does not count as inspected", async () => {
  it.server.refuse("/api/select", { reason: "delivery_unknown" });
  await it.answer(ASKING, "1").tap();
  const doubt = it.card(ASKING).getByText("May have arrived. Look at its screen.");
  await doubt.waitFor();
  it.server.takes();
  // As after a restart of the server, which lists other machines one by one.
  const all = it.server.panes;
  it.server.panes = all.filter(({ id }) => id !== ASKING);
  it.server.hosts = [fixtureHost({ name: "buildbox", status: "connecting", read_at: 0 })];
  it.server.pass();
  await it.page.reload();
  await it.page.locator("article").first().waitFor();
  it.server.panes = all;
  it.server.hosts = undefined;
  it.server.pass();
  await doubt.waitFor();

  await it.page.setViewportSize({ width: 1440, height: 900 });
  await it.page.reload();
  const shown = it.page.getByRole("main", { name: "session-rotation" });
  await shown.waitFor();
  const inspector = it.page.getByRole("complementary");
  await inspector.getByText("May have arrived. Look at its screen.").waitFor();
  // Nor do newer snapshots while that terminal is shown.
  it.server.change(ASKING, { updated: Date.now() / 1000 });
  await it.settle();
  expect(await it.page.getByRole("option").count()).toBe(0);
  await it.page.keyboard.press("o");
  await it.page.locator("[data-terminal]").waitFor();
  await inspector.getByRole("option").first().waitFor();
});

describe("where the server keeps a record", () => {
  beforeAll(async () => {
    const { capabilities } = it.server.config._info;
    capabilities.act_ledger_v1 = { version: 1, incarnation: "morning" };
    await it.page.reload();
  });

  /** An answer of another device. */
  const actOf = (key: string, state: Act["state"]): Act => ({
    ...{ key, pane_id: ASKING, target: "work:1.1", kind: "select", label: "Yes", state },
    ...{ about: { kind: "question", text: "May I?" }, by: { grant: "pixel", name: "Pixel 9" } },
    ...{ at: Date.now() / 1000 - 7, reason: null },
  });

  /** The request arrives, its reply is lost. */
  const cutReplies = (path: string) =>
    it.page.route(`**${path}`, async (route) => {
      await route.fetch();
      await route.abort("connectionreset");
    });

  test("an answer whose reply is lost with the socket is shown as sent, then confirmed", async () => {
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
    await tellsInPassing(it.page, "Yes, confirmed", async () =>
      it.server.change(ASKING, { status: "working", question: null, menu: [] }),
    );
    expect(it.server.sent).toEqual([{ id: ASKING, input: "1" }]);
  });

  test("a page that died while sending starts with the outcome from the record", async () => {
    it.server.hold("/api/select");
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

  test("a text that the record says has arrived leaves the composer, also after a reload", async () => {
    await it.openPane(IDLE);
    await cutReplies("/api/text");
    await it.page.route("**/api/acts**", (route) => route.abort("internetdisconnected"));
    await it.composer.fill("go on");
    await it.send.tap();
    await it.page.getByText("This may not have arrived").waitFor();
    expect(await it.composer.inputValue()).toBe("go on");
    await it.page.unroute("**/api/acts**");
    await it.page.reload();
    await becomes(() => it.composer.inputValue(), "");
    expect(await it.page.getByText("This may not have arrived").count()).toBe(0);
    expect(it.sent()).toEqual([["/api/text", "go on"]]);
  });

  test("an answer from another device stands with its name in place of the options", async () => {
    const since = Date.now() / 1000 - 30;
    // Ahead of the page's clock: it is shown for longer than a busy machine needs to look.
    const act = { ...actOf("theirs", "sent"), at: Date.now() / 1000 + 300 };
    it.server.change(ASKING, { prompt_since: since, act });
    const card = it.card(ASKING);
    await card.getByText("Yes, from Pixel 9, just now · sent").waitFor();
    expect(await card.getByRole("option").count()).toBe(0);
    // The prompt stays, so the answer was not taken: it can be answered again.
    it.server.change(ASKING, { act: { ...act, at: Date.now() / 1000 - 3 } });
    await card.getByRole("option").first().waitFor();
    await it.openPane(ASKING);
    it.server.change(ASKING, {
      ...{ status: "working", question: null, menu: [], prompt_since: null },
      act: { ...act, state: "confirmed", at: Date.now() / 1000 - 7 },
    });
    await it.page.getByText(/^Yes, from Pixel 9, \d+ s ago · confirmed$/).waitFor();
    // The age is not read out each second.
    const age = it.page.getByText(/^\d+ s ago$/);
    expect(await age.getAttribute("aria-live")).toBe("off");
  });
});
