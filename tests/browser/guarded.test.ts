import { afterEach, beforeEach, expect, test } from "bun:test";
import type { InputReason } from "../../src/protocol/input.ts";
import type { ActionGuard, PaneState } from "../../src/protocol/pane.ts";
import { AnswerPage } from "../support/answer-page.ts";
import { becomes } from "../support/becomes.ts";
import { option } from "../support/fixture-panes.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { PageLab } from "../support/page-lab.ts";

/** One pane of the fleet as herdr would have it: guarded, with identities and native state. */
const ID = "%12";
const IDLE = "%16";

const lab = PageLab.ofFile();
let it: AnswerPage;
let guards = 0;

const isGuarded = (server: FixtureServer) => {
  server.panes = server.panes.map(guardedPane);
};

lab.shares(async () => {
  it = await AnswerPage.open(lab, {}, isGuarded);
});
beforeEach(() => it.again({}, isGuarded));
afterEach(async () => {
  const legacy = it.server.actions.filter(({ path }) => /\/(key|text|select)$/.test(path));
  expect(legacy).toEqual([]);
});

const newGuard = (): ActionGuard => ({
  endpoint_revision: "7",
  prompt_fingerprint: `sha256:${++guards}`,
  options_fingerprint: `sha256:${++guards}`,
});

function guardedPane(pane: PaneState): PaneState {
  return {
    ...pane,
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

const pane = (id: string): PaneState => {
  const found = it.server.panes.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no pane ${id}`);
  return found;
};
const inputs = () => it.server.actions.map(({ body }) => body);
const key = expect.any(String);
const field = () => it.page.locator("[data-composer]");
const send = () => it.page.getByRole("button", { name: "Send", exact: true });
const refuse = (detail: object) => {
  it.server.hook = ({ path }) =>
    path === "/api/input" ? Response.json({ detail }, { status: 409 }) : undefined;
};

test("options that share a key are told apart by their identity; one without leads to its terminal", async () => {
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
  await it.settle();
  await it.card(ID).getByText("Yes, both").tap();
  await it.isAnswered(ID);
  const expected = pane(ID).action_guard;
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

test("whatever it is refused for, nothing is sent again, and the card says what to do", async () => {
  for (const [at, [reason, step]] of NEXT_STEPS.entries()) {
    refuse({ reason, code: reason, message: "", current: pane(ID).action_guard });
    await it.answer(ID, "1").tap();
    await it.card(ID).getByRole("alert").getByText(step).waitFor();
    await it.settle();
    expect(inputs()).toHaveLength(at + 1);
    // Another prompt is another act.
    it.server.change(ID, { question: `After ${reason}?`, action_guard: newGuard() });
    await it.card(ID).getByText(`After ${reason}?`).waitFor();
    await it.settle();
  }
});

test("in doubt: the terminal is looked at first, answers and composer stay away until then", async () => {
  refuse({ reason: "partial_delivery_unknown", code: "partial_delivery_unknown", message: "" });
  await it.answer(ID, "1").tap();
  await it
    .card(ID)
    .getByText(/A part of .* the rest may be missing/)
    .waitFor();
  expect(await it.card(ID).getByRole("option").count()).toBe(0);
  it.server.hook = () => undefined;
  await it.settle();
  await it.page.getByRole("button", { name: "Inspect terminal" }).tap();
  await it.page.locator("[data-terminal]").waitFor();
  await it.page.getByRole("option").first().waitFor();
  expect(inputs()).toHaveLength(1);
});

test("a guard that is replaced on the way is not sent, nor is its successor", async () => {
  const seen = pane(ID).action_guard;
  it.server.hook = ({ path }) => {
    if (path === "/api/input") it.server.change(ID, { action_guard: newGuard() });
    return undefined;
  };
  await it.answer(ID, "1").tap();
  await it.card(ID).getByText("Not sent: the prompt changed").waitFor();
  await it.settle();
  expect(inputs().map(({ expected }) => expected)).toEqual([seen]);
  expect(it.server.sent).toEqual([]);
});

test("a freeform option is chosen first, and its words go to the screen that then stands there", async () => {
  const menu = [{ ...option("3", "Something else", { freeform: true }), id: "o:free" }];
  it.server.change(ID, { menu, action_guard: newGuard() });
  const first = pane(ID).action_guard;
  await it.card(ID).getByText("Something else").waitFor();
  await it.settle();
  await it.card(ID).getByText("Something else").tap();
  await it.isAnswered(ID);
  const asked = newGuard();
  it.server.change(ID, { question: "What else?", menu: [], action_guard: asked });
  await it.card(ID).getByText("What else?").waitFor();
  const reply = it.card(ID).getByRole("textbox", { name: "Reply" });
  await reply.fill("use the cache");
  await it.settle();
  await it.card(ID).getByRole("button", { name: "Send", exact: true }).tap();
  await becomes(() => inputs().length, 2);
  const text = { operation: "text", text: "use the cache", enter: true };
  expect(inputs()).toEqual([
    { id: ID, operation: "select", option_id: "o:free", expected: first, idempotency_key: key },
    { id: ID, ...text, expected: asked, idempotency_key: key },
  ]);
});

test("a pane offers its own keys and takes one line, joined only after it was shown as one", async () => {
  await it.openPane(IDLE);
  const keys = it.page.getByRole("toolbar", { name: "Keys" }).getByRole("button");
  expect(await keys.evaluateAll((all) => all.map((one) => one.getAttribute("data-key")))).toEqual([
    "Escape",
    "Enter",
    "C-c",
  ]);
  // One that takes nothing needs no prompt to stand still.
  await it.key("C-c").tap();
  await it.key("Enter").tap();
  await becomes(() => inputs().length, 2);
  const guard = pane(IDLE).action_guard;
  expect(inputs().map(({ key, expected }) => [key, expected])).toEqual([
    ["C-c", { endpoint_revision: guard?.endpoint_revision }],
    ["Enter", guard],
  ]);

  await field().fill("first\nsecond");
  await it.page.getByText("This pane takes one line.").waitFor();
  await it.page.getByText("Joined: first second").waitFor();
  expect(await send().isDisabled()).toBe(true);
  await it.settle();
  await it.page.getByRole("button", { name: "Join lines" }).tap();
  await becomes(() => field().inputValue(), "first second");
  await it.settle();
  await send().tap();
  const last = () => inputs().at(-1);
  await becomes(() => [last()?.["operation"], last()?.["text"]], ["text", "first second"]);
  await field().fill("x".repeat(8001));
  await it.page.getByText("At most 8000 characters.").waitFor();
  expect(await send().isDisabled()).toBe(true);
});

test("what herdr says beside the screen is said; without a guard or a known provider nothing is sent", async () => {
  const native_agent = {
    ...{ present: true, kind: "claude", name: null, state_change_seq: 4, interactive_ready: true },
    status: "idle" as const,
  };
  it.server.change(ID, { native_agent });
  await it.card(ID).getByText("herdr says idle; the screen asks.").waitFor();
  it.server.change(ID, { native_agent: { ...native_agent, status: "blocked" } });
  await becomes(() => it.card(ID).getByText("herdr says").count(), 0);
  const inTerminal = it.card(ID).getByText("Answer this one in the terminal.");
  const { action_guard } = pane(ID);
  for (const members of [{ action_guard: null }, { action_guard, provider: "another" }]) {
    it.server.change(ID, members);
    await inTerminal.waitFor();
    await it.answer(ID, "1").dispatchEvent("click");
    await it.settle();
    expect(inputs()).toEqual([]);
  }
});
