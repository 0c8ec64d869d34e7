import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { INCARNATION } from "../../src/ledger/idempotency-cache.ts";
import type { InputReason } from "../../src/protocol/input.ts";
import { type ActionGuard, NativeAgent, type PaneState } from "../../src/protocol/pane.ts";
import { AnswerPage } from "../support/answer-page.ts";
import { becomes } from "../support/becomes.ts";
import { tapCalmly } from "../support/calm.ts";
import { fixture } from "../support/fixture.ts";
import { option } from "../support/fixture-panes.ts";
import { PageLab } from "../support/page-lab.ts";
import type { PageTime } from "../support/page-time.ts";
import { sampled } from "../support/thorough.ts";

const [ID, SECOND] = ["%12", "%15"];
const CHANGED = "This prompt just changed";

const lab = PageLab.ofFile();
let shared: AnswerPage;
let it: AnswerPage;
let time: PageTime;
lab.shares(async () => {
  // It keeps idempotency keys, as the service does.
  ({ it: shared, time } = await AnswerPage.openTimed(lab, {}, ({ config }) => {
    config._info.capabilities.legacy_once_v1 = { version: 1, incarnation: INCARNATION };
  }));
});
beforeEach(async () => {
  it = shared;
  await it.again();
});

const sent = () => it.server.actions.map(({ path, body }) => [path, body["id"], body["key"]]);

test("a tap sends the guard that was on the screen, a double tap sends once", async () => {
  const shown = it.server.find(ID).legacy_guard;
  const slow = it.server.hold("/api/select");
  // Without a reply for four seconds the page asks again.
  await time.stop();
  await it.answer(ID, "1").tap();
  await it.answer(ID, "1").tap({ force: true });
  await it.answer(ID, "2").dispatchEvent("click");
  slow.reply({ ok: true });
  await time.goOn();
  await it.isAnswered(ID);
  expect(it.server.actions).toEqual([
    {
      method: "POST",
      path: "/api/select",
      body: {
        id: ID,
        key: "1",
        expected: { ...shown, selected: "1" },
        idempotency_key: expect.stringContaining(`at:${INCARNATION}:`),
      },
    },
  ]);
  // A card that has moved up takes a tap once it has stood still.
  it.server.takes();
  it.server.panes = it.server.panes.filter(({ id }) => id !== ID);
  it.server.pass();
  await it.card(ID).waitFor({ state: "detached" });
  await tapCalmly(it.answer(SECOND, "1"));
  await it.isAnswered(SECOND);
  expect(sent().at(-1)).toEqual(["/api/select", SECOND, "1"]);
});

test("a press sends nothing whose prompt changes, whose finger leaves, scrolls or is joined by another, or whose card moves", async () => {
  await it.pressOn(it.answer(ID, "1"));
  // The same question over another diff is another prompt.
  it.server.change(ID, { evidence: ["src/auth/session.ts", " 42 +    drop();"] });
  await it.card(ID).getByText("drop();").first().waitFor();
  await it.page.mouse.up();
  await it.settle();
  it.server.change(SECOND, { stale: true, actionable: false });
  await it.card(SECOND).getByText("This pane cannot be read").waitFor();
  await it.answer(SECOND, "1").dispatchEvent("click");
  await it.settle();
  expect(sent()).toEqual([]);

  it.server.change(SECOND, { stale: false, actionable: true });
  await it.card(SECOND).getByText("This pane cannot be read").waitFor({ state: "detached" });
  await it.settle();
  await it.pressOn(it.answer(ID, "2"));
  await it.page.mouse.move(20, 20);
  await it.page.mouse.up();
  const touch = { bubbles: true, isPrimary: true, pointerId: 7, pointerType: "touch", button: 0 };
  const finger = (type: string, more = {}) =>
    it.answer(ID, "2").dispatchEvent(type, { ...touch, ...more });
  await finger("pointerdown");
  await finger("pointerdown", { pointerId: 8, isPrimary: false });
  await finger("pointerup");
  await finger("pointerdown");
  await finger("pointercancel");
  await finger("pointerup");
  await it.settle();
  await it.pressOn(it.answer(ID, "1"));
  await it.page.locator("main.scroll").evaluate((area) => area.scrollBy(0, 3));
  await it.settle();
  await it.page.mouse.up();

  // Room for both cards: in a scrolled list the browser's scroll anchoring keeps the second in place.
  await it.page.setViewportSize({ width: 390, height: 1600 });
  await it.settle();
  const second = it.answer(SECOND, "1");
  await it.pressOn(second);
  const before = await second.boundingBox();
  const first = it.server.panes.find(({ id }) => id === ID);
  it.server.change(ID, { evidence: [...(first?.evidence ?? []), " 45  }"] });
  await it.card(ID).getByText("45 }").waitFor();
  expect(((await second.boundingBox())?.y ?? 0) - (before?.y ?? 0)).toBeGreaterThan(5);
  await it.page.mouse.up();
  await it.settle();
  expect(sent()).toEqual([]);
});

test("a tap that stops a scrolling list sends nothing, the next one answers", async () => {
  await it.answer(SECOND, "1").scrollIntoViewIfNeeded();
  await it.settle();
  await it.answer(SECOND, "1").evaluate(async (row) => {
    const area = row.closest(".scroll");
    area?.dispatchEvent(new WheelEvent("wheel", { bubbles: true }));
    area?.scrollBy(0, -4);
    await new Promise((done) => area?.addEventListener("scroll", done, { once: true }));
    const finger = { bubbles: true, isPrimary: true, pointerId: 3, pointerType: "touch" };
    row.dispatchEvent(new PointerEvent("pointerdown", finger));
    row.dispatchEvent(new PointerEvent("pointerup", finger));
  });
  await it.settle();
  expect(sent()).toEqual([]);
  expect(await it.card(SECOND).getByText(CHANGED).count()).toBe(0);
  await it.answer(SECOND, "1").tap();
  await it.isAnswered(SECOND);
});

test("a tap within the shield sends nothing; an old snapshot is refreshed before anything is sent", async () => {
  await time.stop();
  it.server.change(ID, { question: "Run it now?" });
  await time.shows(it.card(ID).getByText("Run it now?"));
  await it.answer(ID, "1").dispatchEvent("click");
  await it.card(ID).getByText(CHANGED).waitFor();
  // The notice has moved the answers: the shield starts again.
  await time.pass(390);
  await it.answer(ID, "1").dispatchEvent("click");
  await time.pass(20);
  expect(sent()).toEqual([]);
  await time.pass(400);
  await it.answer(ID, "1").tap();
  await it.isAnswered(ID);
  expect(it.server.actions.map(({ body }) => body["expected"])).toEqual([
    it.server.find(ID).legacy_guard,
  ]);

  // The last frame: one that came later would make the snapshot new again.
  it.server.change(SECOND, { name: "the last one" });
  it.server.isSilent = true;
  await time.shows(it.card(SECOND).getByText("the last one"));
  // A snapshot of that age is refreshed before an answer.
  await time.pass(1700);
  const held = it.server.hold("/api/state");
  await it.answer(SECOND, "1").tap();
  await it.card(SECOND).locator("[aria-busy=true]").waitFor();
  await it.answer(SECOND, "2").dispatchEvent("click");
  held.reply({ detail: "busy" }, 503);
  await it.card(SECOND).getByText("Nothing has left this page.").waitFor();
  it.server.takes();
  await time.pass(1000);
  it.server.changeUnseen(SECOND, { question: "Another one?" });
  await it.answer(SECOND, "1").tap();
  await time.shows(it.card(SECOND).getByText(CHANGED));
  await it.card(SECOND).getByText("Another one?").waitFor();
  expect(sent()).toHaveLength(1);
});

test("a prompt that only the server knows has changed is refused there, and not sent again", async () => {
  // It changes while the request is on its way: the page still shows the old prompt.
  it.server.hook = ({ path }) => {
    if (path === "/api/select") it.server.changeUnseen(ID, { question: "Something else?" });
    return undefined;
  };
  await it.answer(ID, "1").tap();
  await it.card(ID).getByText("Not sent").waitFor();
  await it.card(ID).getByText("Something else?").waitFor();
  await it.settle();
  expect(sent()).toEqual([["/api/select", ID, "1"]]);
});

test("a freeform answer is one guarded select with its text; a folded option unfolds the others", async () => {
  const shown = it.server.find(ID).legacy_guard;
  const reply = it.card(ID).getByRole("textbox", { name: "Reply" });
  await it.answer(ID, "3").tap();
  await reply.waitFor();
  await tapCalmly(it.card(ID).getByText("Yes", { exact: true }));
  await it.answer(ID, "1").waitFor();
  expect(await reply.count()).toBe(0);
  await it.settle();
  expect(sent()).toEqual([]);

  await it.answer(ID, "3").tap();
  await reply.fill("Keep DAY as the upper bound");
  await it.settle();
  // The other options are folded to their labels; the field replaces its own.
  expect(await it.card(ID).getByRole("option").count()).toBe(0);
  expect(await it.card(ID).locator(".folded").allInnerTexts()).toEqual([
    expect.stringContaining("Yes"),
    expect.stringContaining("Yes, allow all edits"),
  ]);
  await it.card(ID).getByText("Sent as your answer.").waitFor();
  await it.card(ID).getByRole("button", { name: "Send", exact: true }).tap();
  await it.isAnswered(ID);
  expect(it.server.actions.map(({ body }) => body)).toEqual([
    {
      id: ID,
      key: "3",
      text: "Keep DAY as the upper bound",
      expected: { ...shown, selected: "1" },
      idempotency_key: expect.any(String),
    },
  ]);
  const drafts = () =>
    it.page.evaluate(() => Object.keys(localStorage).filter((k) => /draft/.test(k)));
  await becomes(drafts, []);
});

/** The fleet as herdr would have it: guarded, with identities and native state. */
describe("a guarded pane", () => {
  beforeEach(async () => {
    it.server.panes = it.server.panes.map(guardedPane);
    it.server.pass();
    await it.card(ID).getByText(IN_HERDR).waitFor();
    await it.settle();
  });
  afterEach(() => {
    const legacy = it.server.actions.filter(({ path }) => /\/(key|text|select)$/.test(path));
    expect(legacy).toEqual([]);
  });
  const IN_HERDR = "in herdr";
  let guards = 0;

  const newGuard = (): ActionGuard => ({
    endpoint_revision: "7",
    prompt_fingerprint: `sha256:${++guards}`,
    options_fingerprint: `sha256:${++guards}`,
  });

  function guardedPane(pane: PaneState): PaneState {
    return {
      ...pane,
      // By which a test sees that the page has it.
      name: `${pane.name} ${IN_HERDR}`,
      provider: "wsp",
      legacy_guard: null,
      action_guard: newGuard(),
      menu: pane.menu.map((one, i) => ({ ...one, id: `o:${pane.id}-${i}` })),
      capabilities: {
        ...pane.capabilities,
        input: "guarded_v1",
        keys: ["C-c", "C-u", "Enter", "Escape"],
        native_agent_state: true,
      },
    };
  }

  const inputs = () => it.server.actions.map(({ body }) => body);
  const key = expect.any(String);

  test("options with the same key are sent by identity; one without identity opens the terminal", async () => {
    const menu = [
      { ...option("1", "Yes, once"), id: "o:once" },
      { ...option("1", "Yes, both"), id: "o:always" },
      option("2", "Something new"),
    ];
    it.server.change(ID, { menu, action_guard: newGuard() });
    await it.card(ID).getByText("Yes, both").waitFor();
    await it.settle();
    const row = it.card(ID).getByRole("option", { name: /Something new.*Only in its terminal/ });
    await row.tap();
    await it.page.locator("[data-terminal]").waitFor();
    expect(inputs()).toEqual([]);
    await it.page.goBack();
    await tapCalmly(it.card(ID).getByText("Yes, both"));
    await it.isAnswered(ID);
    const expected = it.server.find(ID).action_guard;
    expect(inputs()).toEqual([
      { id: ID, operation: "select", option_id: "o:always", expected, idempotency_key: key },
    ]);
  });

  const NEXT_STEPS: readonly (readonly [InputReason, string])[] = [
    ["prompt_changed", "Here is what it asks now."],
    ["options_changed", "Here is what it asks now."],
    ["revision_stale", "Read it again."],
    ["endpoint_moved", "Find it in All"],
    ["endpoint_stale", "Answers come back when it can read it."],
    ["capability_unavailable", "Answer in its terminal."],
  ];

  test("every refusal names the next step, and nothing is sent again", async () => {
    await time.stop();
    for (const [at, [reason, step]] of sampled(NEXT_STEPS, 3).entries()) {
      it.server.refuse("/api/input", {
        reason,
        code: reason,
        message: "",
        current: it.server.find(ID).action_guard,
      });
      await it.answer(ID, "1").tap();
      await time.shows(it.card(ID).getByRole("alert").getByText(step));
      await time.pass(1000);
      expect(inputs()).toHaveLength(at + 1);
      // Another prompt can be answered.
      it.server.change(ID, { question: `After ${reason}?`, action_guard: newGuard() });
      await time.shows(it.card(ID).getByText(`After ${reason}?`));
      await time.pass(500);
    }
  });

  test("a freeform option is selected first, and its text is sent to the screen that follows", async () => {
    const menu = [{ ...option("3", "Something else", { freeform: true }), id: "o:free" }];
    it.server.change(ID, { menu, action_guard: newGuard() });
    const first = it.server.find(ID).action_guard;
    await tapCalmly(it.card(ID).getByText("Something else"));
    await it.isAnswered(ID);
    const asked = newGuard();
    it.server.change(ID, { question: "What else?", menu: [], action_guard: asked });
    await it.card(ID).getByText("What else?").waitFor();
    const reply = it.card(ID).getByRole("textbox", { name: "Reply" });
    await reply.fill("use the cache");
    await tapCalmly(it.card(ID).getByRole("button", { name: "Send", exact: true }));
    await becomes(() => inputs().length, 2);
    const text = { operation: "text", text: "use the cache", enter: true };
    expect(inputs()).toEqual([
      { id: ID, operation: "select", option_id: "o:free", expected: first, idempotency_key: key },
      { id: ID, ...text, expected: asked, idempotency_key: key },
    ]);
  });

  test("the key bar offers the pane's keys; several lines are joined only after they were shown joined", async () => {
    await it.openPane("%16");
    const keys = it.page.getByRole("toolbar", { name: "Keys" }).getByRole("button");
    expect(await keys.evaluateAll((all) => all.map((one) => one.getAttribute("data-key")))).toEqual(
      ["Escape", "Enter", "C-c"],
    );
    // C-c needs no guard of a prompt.
    await it.key("C-c").tap();
    await it.key("Enter").tap();
    await becomes(() => inputs().length, 2);
    const guard = it.server.find("%16").action_guard;
    expect(inputs().map(({ key, expected }) => [key, expected])).toEqual([
      ["C-c", { endpoint_revision: guard?.endpoint_revision }],
      ["Enter", guard],
    ]);

    await it.composer.fill("first\nsecond");
    await it.page.getByText("This pane takes one line.").waitFor();
    await it.page.getByText("Joined: first second").waitFor();
    expect(await it.send.isDisabled()).toBe(true);
    await tapCalmly(it.page.getByRole("button", { name: "Join lines" }));
    await becomes(() => it.composer.inputValue(), "first second");
    await tapCalmly(it.send);
    const last = () => inputs().at(-1);
    await becomes(() => [last()?.["operation"], last()?.["text"]], ["text", "first second"]);
    await it.composer.fill("x".repeat(8001));
    await it.page.getByText("At most 8000 characters.").waitFor();
    expect(await it.send.isDisabled()).toBe(true);
  });

  test("a state of herdr that differs from the screen is shown; without a guard or a known provider nothing is sent", async () => {
    const native_agent = fixture(NativeAgent, { present: true, kind: "claude", status: "idle" });
    it.server.change(ID, { native_agent });
    await it.card(ID).getByText("herdr says idle; the screen asks.").waitFor();
    it.server.change(ID, { native_agent: { ...native_agent, status: "blocked" } });
    await becomes(() => it.card(ID).getByText("herdr says").count(), 0);
    const inTerminal = it.card(ID).getByText("Answer this one in the terminal.");
    const { action_guard } = it.server.find(ID);
    for (const members of [{ action_guard: null }, { action_guard, provider: "another" }]) {
      it.server.change(ID, members);
      await inTerminal.waitFor();
      await it.answer(ID, "1").dispatchEvent("click");
      await it.settle();
      expect(inputs()).toEqual([]);
    }
  });
});
