import { beforeEach, expect, test } from "bun:test";
import { AnswerPage } from "../support/answer-page.ts";
import { guard, option } from "../support/fixture-panes.ts";
import { becomes } from "../support/becomes.ts";
import { PageLab } from "../support/page-lab.ts";

const ASKING = "%12";
const IDLE = "%16";

const lab = PageLab.ofFile();
let it: AnswerPage;

beforeEach(async () => {
  it = await AnswerPage.open(lab);
});

const conflict = (reason: string) => Response.json({ detail: { reason } }, { status: 409 });
const inspect = () => it.page.getByRole("button", { name: "Inspect terminal" });

test.each([
  ["delivery_unknown", () => conflict("delivery_unknown"), "May have arrived."],
  ["partial_delivery_unknown", () => conflict("partial_delivery_unknown"), "A part of"],
  [
    "an error inside the server",
    () => Response.json({ detail: "x" }, { status: 500 }),
    "May have arrived.",
  ],
  ["a gateway without its server", () => new Response("", { status: 502 }), "May have arrived."],
] as const)("%s: the terminal is the only way on, nothing is replayed", async (_, reply, words) => {
  it.server.hook = ({ path }) => (path === "/api/select" ? reply() : undefined);
  await it.answer(ASKING, "1").tap();
  const card = it.card(ASKING);
  await card.getByText("Look at its screen.").waitFor();
  await card.getByText(words).waitFor();
  // Later snapshots do not bring the answers back by themselves.
  it.server.change(ASKING, { updated: Date.now() / 1000 });
  await it.settle();
  expect(await card.getByRole("option").count()).toBe(0);
  expect(await card.locator(".actions").getByRole("button").allInnerTexts()).toEqual([
    "Inspect terminal",
  ]);
  expect(await card.getByRole("textbox").count()).toBe(0);
  await it.settle();
  await inspect().tap();
  await it.page.locator("[data-terminal]").waitFor();
  await it.page.getByRole("option").first().waitFor();
  expect(it.sent()).toEqual([["/api/select", "1"]]);
});

test("answers stay away until a new snapshot has been shown with the terminal", async () => {
  it.server.hook = ({ path }) => {
    if (path === "/api/select") return conflict("delivery_unknown");
    return path === "/api/state" ? new Response("", { status: 502 }) : undefined;
  };
  await it.answer(ASKING, "1").tap();
  await it.settle();
  await inspect().tap();
  await it.page.locator("[data-terminal]").waitFor();
  await it.settle();
  expect(await it.page.getByRole("option").count()).toBe(0);
  it.server.hook = () => undefined;
  await it.settle();
  await inspect().tap();
  await it.page.getByRole("option").first().waitFor();
});

test("a composer text in doubt is kept, and nothing goes out until the terminal was looked at", async () => {
  await it.openPane(IDLE);
  const field = it.page.locator("[data-composer]");
  await field.fill("go on");
  await it.page.route("**/api/text", (route) => route.abort("connectionreset"));
  const send = it.page.getByRole("button", { name: "Send", exact: true });
  await send.tap();
  await it.page.getByText("This may not have arrived").waitFor();
  await it.page.unroute("**/api/text");
  expect(await field.inputValue()).toBe("go on");
  expect(await send.isDisabled()).toBe(true);
  expect(await it.key("Enter").isDisabled()).toBe(true);
  await field.fill("go on then");
  await it.page.getByText("This may not have arrived").waitFor();
  expect(await send.isDisabled()).toBe(true);
  expect(it.sent()).toEqual([]);

  await it.settle();
  await inspect().tap();
  await it.page.getByText("This may not have arrived").waitFor({ state: "detached" });
  await it.settle();
  await send.tap();
  await it.page.waitForFunction(() => document.querySelector("textarea")?.value === "");
  expect(it.sent()).toEqual([["/api/text", "go on then"]]);
});

test("a key in doubt drops the keys behind it and holds the answers of its prompt", async () => {
  await it.openPane(ASKING);
  const first = Promise.withResolvers<Response>();
  it.server.hook = ({ path }) => (path === "/api/key" ? first.promise : undefined);
  await it.key("Down").tap();
  await it.key("Enter").tap();
  await it.page.getByRole("option").first().tap();
  first.resolve(conflict("partial_delivery_unknown"));
  const prompt = it.page.getByRole("region", { name: "Prompt" });
  await prompt.getByText("May have arrived. Look at its screen.").waitFor();
  expect(await prompt.getByRole("option").count()).toBe(0);
  await it.settle();
  expect(it.sent()).toEqual([["/api/key", "Down"]]);
  await it.settle();
  await prompt.getByRole("button", { name: "Inspect terminal" }).tap();
  await prompt.getByRole("option").first().waitFor();
  expect(it.sent()).toEqual([["/api/key", "Down"]]);
});

test("Enter in the key strip names the option at the cursor that was on the screen", async () => {
  await it.openPane(ASKING);
  const shown = it.server.panes.find(({ id }) => id === ASKING);
  const cursor = shown?.menu.find((option) => option.selected)?.key;
  await it.key("Enter").tap();
  const expected = { ...shown?.legacy_guard, selected: cursor };
  await becomes(() => it.server.actions.length, 1);
  expect(it.server.actions[0]?.body).toMatchObject({ id: ASKING, key: "Enter", expected });
});

test("a prompt that changes under a key or under Send stops both, also without a server's guard", async () => {
  delete it.server.config._info.capabilities.legacy_guard_v1;
  await it.page.reload();
  await it.openPane(ASKING);
  await it.pressOn(it.key("Enter"));
  it.server.change(ASKING, { question: "Delete it all?", legacy_guard: guard() });
  await it.page.getByText("Delete it all?").waitFor();
  await it.page.mouse.up();
  await it.page.getByText("Not sent: the prompt changed.").waitFor();

  await it.openPane(IDLE);
  await it.page.locator("[data-composer]").fill("yes");
  await it.pressOn(it.page.getByRole("button", { name: "Send", exact: true }));
  it.server.change(IDLE, { status: "needs_input", question: "Wipe?", legacy_guard: guard() });
  await it.page.getByText("Wipe?").waitFor();
  await it.page.mouse.up();
  await it.settle();
  expect(it.sent()).toEqual([]);
  expect(await it.page.locator("[data-composer]").inputValue()).toBe("yes");
});

test("a refusal is told in the server's words", async () => {
  const reason = "menu key not offered: 9";
  it.server.hook = ({ path }) =>
    path === "/api/select" || path === "/api/text"
      ? Response.json({ detail: { reason } }, { status: 400 })
      : undefined;
  await it.answer(ASKING, "1").tap();
  await it.card(ASKING).getByText(`The server refused it: ${reason}`).waitFor();
  await it.card(ASKING).getByRole("option").first().waitFor();
  await it.openPane(IDLE);
  await it.page.locator("[data-composer]").fill("hm");
  await it.page.getByRole("button", { name: "Send", exact: true }).tap();
  await it.page.getByText(`Not sent: ${reason}`).waitFor();
});

const GUARD = {
  endpoint_revision: "7",
  prompt_fingerprint: "sha256:01",
  options_fingerprint: "sha256:02",
};

test("options that have no safe answer are to be read, and say where to answer", async () => {
  const before = it.server.panes.find(({ id }) => id === ASKING)?.capabilities;
  if (before === undefined) throw new Error("no pane");
  const capabilities = { ...before, input: "guarded_v1" as const };
  const menu = [option("1", "Yes"), { ...option("2", "No"), id: "o2" }];
  it.server.change(ASKING, { capabilities, menu, action_guard: GUARD });
  // One without identity leads to its terminal, the other is on.
  await it.answer(ASKING, "1").getByText("Only in its terminal").waitFor();
  await becomes(() => it.answer(ASKING, "2").getAttribute("aria-disabled"), "false");
  it.server.change(ASKING, { action_guard: null });
  await it.card(ASKING).getByText("Answer this one in the terminal.").waitFor();
  await it.answer(ASKING, "2").dispatchEvent("click");
  await it.settle();
  expect(it.sent()).toEqual([]);
});

test("a guarded pane is answered with the guard that was read, never by a legacy route", async () => {
  const before = it.server.panes.find(({ id }) => id === ASKING)?.capabilities;
  if (before === undefined) throw new Error("no pane");
  const menu = [{ ...option("1", "Yes"), id: "o1" }];
  const action_guard = GUARD;
  it.server.change(ASKING, {
    capabilities: { ...before, input: "guarded_v1" },
    menu,
    action_guard,
  });
  await it.answer(ASKING, "2").waitFor({ state: "detached" });
  await it.settle();
  await it.answer(ASKING, "1").tap();
  await it
    .card(ASKING)
    .getByText(/, (sent|confirmed)$/)
    .waitFor();
  expect(it.server.actions.map(({ path, body }) => [path, body])).toEqual([
    [
      "/api/input",
      {
        id: ASKING,
        operation: "select",
        option_id: "o1",
        expected: action_guard,
        idempotency_key: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ],
  ]);
});

test("a page that is loaded on a wide screen ends no doubt by the pane that it shows by itself", async () => {
  it.server.hook = ({ path }) =>
    path === "/api/select" ? conflict("delivery_unknown") : undefined;
  await it.answer(ASKING, "1").tap();
  await it.card(ASKING).getByText("May have arrived. Look at its screen.").waitFor();
  it.server.hook = () => undefined;
  await it.page.setViewportSize({ width: 1440, height: 900 });
  await it.page.reload();
  const shown = it.page.getByRole("main", { name: "session-rotation" });
  await shown.waitFor();
  const inspector = it.page.getByRole("complementary");
  await inspector.getByText("May have arrived. Look at its screen.").waitFor();
  // Newer snapshots with its terminal on the screen are no look of a person either.
  it.server.change(ASKING, { updated: Date.now() / 1000 });
  await it.settle();
  expect(await it.page.getByRole("option").count()).toBe(0);
  await shown.getByRole("button", { name: /^Open pane/ }).click();
  await inspector.getByRole("option").first().waitFor();
});

test("what was said of one prompt is gone with it", async () => {
  it.server.hook = ({ path }) =>
    path === "/api/select"
      ? Response.json({ detail: { reason: "menu key not offered: 1" } }, { status: 400 })
      : undefined;
  await it.answer(ASKING, "1").tap();
  await it.card(ASKING).getByText("The server refused it").waitFor();
  await it.settle();
  expect(await it.card(ASKING).getByText("The server refused it").count()).toBe(1);
  it.server.change(ASKING, { question: "And this one?", legacy_guard: guard() });
  await it.card(ASKING).getByText("And this one?").waitFor();
  await becomes(() => it.card(ASKING).getByText("The server refused it").count(), 0);
});
