import { beforeEach, expect, test } from "bun:test";
import { AnswerPage } from "../support/answer-page.ts";
import { becomes } from "../support/becomes.ts";
import { PageLab } from "../support/page-lab.ts";

const ASKING = "%12";
const IDLE = "%16";

const lab = PageLab.ofFile();
let it: AnswerPage;

lab.shares(async () => {
  it = await AnswerPage.open(lab);
});
beforeEach(() => it.again());

const conflict = (reason: string) => Response.json({ detail: { reason } }, { status: 409 });
const inspect = () => it.page.getByRole("button", { name: "Inspect terminal" });

test("an answer in doubt: the terminal is the only way on, until a new snapshot was shown with it", async () => {
  it.server.hook = ({ path }) => {
    if (path === "/api/select") return new Response("", { status: 502 });
    return path === "/api/state" ? new Response("", { status: 502 }) : undefined;
  };
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
  it.server.hook = () => undefined;
  await it.settle();
  await inspect().tap();
  await it.page.getByRole("option").first().waitFor();
  expect(it.sent()).toEqual([["/api/select", "1"]]);
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
  // Nor does another page of this browser send it.
  await it.page.reload();
  await it.page.getByText("This may not have arrived").waitFor();
  await becomes(() => field.inputValue(), "go on");
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
  await prompt.getByRole("button", { name: "Inspect terminal" }).tap();
  await prompt.getByRole("option").first().waitFor();
  expect(it.sent()).toEqual([["/api/key", "Down"]]);
});

test("a prompt that changes under a key or under Send stops both, also without a server's guard", async () => {
  delete it.server.config._info.capabilities.legacy_guard_v1;
  await it.page.reload();
  await it.openPane(ASKING);
  await it.pressOn(it.key("Enter"));
  it.server.change(ASKING, { question: "Delete it all?" });
  await it.page.getByText("Delete it all?").waitFor();
  await it.page.mouse.up();
  await it.page.getByText("Not sent: the prompt changed.").waitFor();

  await it.openPane(IDLE);
  await it.page.locator("[data-composer]").fill("yes");
  await it.pressOn(it.page.getByRole("button", { name: "Send", exact: true }));
  it.server.change(IDLE, { status: "needs_input", question: "Wipe?" });
  await it.page.getByText("Wipe?").waitFor();
  await it.page.mouse.up();
  await it.settle();
  expect(it.sent()).toEqual([]);
  expect(await it.page.locator("[data-composer]").inputValue()).toBe("yes");
});

test("a refusal is told in the server's words, and is gone with its prompt", async () => {
  const reason = "menu key not offered: 9";
  it.server.hook = ({ path }) =>
    path === "/api/select" || path === "/api/text"
      ? Response.json({ detail: { reason } }, { status: 400 })
      : undefined;
  await it.answer(ASKING, "1").tap();
  const words = it.card(ASKING).getByText(`The server refused it: ${reason}`);
  await words.waitFor();
  await it.card(ASKING).getByRole("option").first().waitFor();
  await it.settle();
  expect(await words.count()).toBe(1);
  it.server.change(ASKING, { question: "And this one?" });
  await it.card(ASKING).getByText("And this one?").waitFor();
  await becomes(() => words.count(), 0);
  await it.openPane(IDLE);
  await it.page.locator("[data-composer]").fill("hm");
  await it.page.getByRole("button", { name: "Send", exact: true }).tap();
  await it.page.getByText(`Not sent: ${reason}`).waitFor();
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
  await it.page.keyboard.press("o");
  await it.page.locator("[data-terminal]").waitFor();
  await inspector.getByRole("option").first().waitFor();
});
