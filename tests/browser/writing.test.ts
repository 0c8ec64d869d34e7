import { beforeEach, expect, test } from "bun:test";
import { AnswerPage } from "../support/answer-page.ts";
import { becomes } from "../support/becomes.ts";
import { PageLab } from "../support/page-lab.ts";

const ID = "%12";

const lab = PageLab.ofFile();
let shared: AnswerPage;
let it: AnswerPage;

lab.shares(async () => {
  shared = await AnswerPage.open(lab);
});
beforeEach(async () => {
  it = shared;
  await it.again();
});

test("a keyboard that takes half of the screen takes no field away", async () => {
  const { page, server } = it;
  await page.goto(`${server.url}#/pane/%2514`);
  for (const [width, height, left] of [
    [320, 640, 340],
    [1024, 768, 400],
  ] as const) {
    await page.setViewportSize({ width, height });
    const composer = page.locator("[data-composer]");
    await composer.tap();
    // As browsers do that resize their content for it.
    await page.setViewportSize({ width, height: left });
    await page.keyboard.type("half");
    await becomes(() => composer.inputValue(), "half");
    expect(await composer.evaluate((field) => field.getBoundingClientRect().bottom)).toBeLessThan(
      left,
    );
    await composer.fill("");
    await composer.blur();
    await page.setViewportSize({ width, height });
  }
  // The prompt above the field gives way to several lines of it.
  await page.goto(`${server.url}#/pane/${encodeURIComponent(ID)}`);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.locator("[data-composer]").tap();
  await page.setViewportSize({ width: 360, height: 430 });
  await page.locator("[data-composer]").fill("one\ntwo\nthree\nfour");
  const send = page.getByRole("button", { name: "Send", exact: true });
  await becomes(
    () => send.evaluate((button) => button.getBoundingClientRect().bottom <= 430),
    true,
  );
  await page.locator("[data-composer]").blur();
  // Without one it is a low screen, where nothing docks.
  await page.setViewportSize({ width: 640, height: 360 });
  await page.getByRole("button", { name: "Keys and message" }).waitFor();
});

test("a draft survives reload, refusal, sign-out by the server and the loss of its pane", async () => {
  it = await AnswerPage.open(lab);
  await it.answer(ID, "3").tap();
  await it.card(ID).getByRole("textbox", { name: "Reply" }).fill("my careful words");
  await it.page.waitForFunction(() => JSON.stringify(localStorage).includes("my careful words"));
  await it.page.reload();
  const field = it.card(ID).getByRole("textbox", { name: "Reply" });
  await field.waitFor();
  await becomes(() => field.inputValue(), "my careful words");

  // The prompt changes: the words move to the composer.
  it.server.change(ID, { question: "Another question?" });
  await it.answer(ID, "1").waitFor();
  await it.page.goto(`${it.server.url}#/pane/${encodeURIComponent(ID)}`);
  const composer = it.page.locator("[data-composer]");
  await composer.waitFor();
  await becomes(() => composer.inputValue(), "my careful words");

  it.server.token = "secret";
  it.server.closeSockets(1008);
  await it.page.getByRole("textbox", { name: "Token" }).fill("secret");
  await it.page.getByRole("button", { name: "Sign in" }).tap();
  await composer.waitFor();
  await becomes(() => composer.inputValue(), "my careful words");

  it.server.panes = it.server.panes.filter(({ id }) => id !== ID);
  it.server.pass();
  await it.page.getByText("This pane is gone").waitFor();
  await it.page.goto(`${it.server.url}#/all`);
  await it.page.getByText("Unsent drafts").waitFor();
  await it.page.getByText("my careful words").waitFor();
  await it.page.setViewportSize({ width: 1440, height: 900 });
  await it.page.getByText("my careful words").waitFor();
  await it.page.getByRole("button", { name: /^Discard the draft for/ }).click();
  await it.page.getByText("Unsent drafts").waitFor({ state: "detached" });
  const kept = () =>
    it.page.evaluate(() =>
      Object.keys(localStorage).filter((key) => key.startsWith("panewatch.draft.")),
    );
  await becomes(kept, []);
});

test("a composer text is refused when a prompt appeared meanwhile, and its text is kept", async () => {
  await it.openPane("%16");
  const composer = it.page.locator("[data-composer]");
  await composer.fill("please continue");
  await it.settle();
  // It appears while the text is on its way.
  const asks = { status: "needs_input", question: "Delete?" } as const;
  it.server.hook = ({ path }) => {
    if (path === "/api/text")
      it.server.panes = it.server.panes.map((one) =>
        one.id === "%16" ? { ...one, ...asks } : one,
      );
    return undefined;
  };
  await it.page.getByRole("button", { name: "Send", exact: true }).tap();
  await it.page.getByText("a prompt has appeared").waitFor();
  expect(await composer.inputValue()).toBe("please continue");
  expect(it.server.actions.map(({ body }) => body["expected"])).toEqual([
    { prompt_fingerprint: null, options_fingerprint: null },
  ]);
});

test("keys carry what was on the screen", async () => {
  const shown = it.server.find(ID).legacy_guard;
  await it.page.goto(`${it.server.url}#/pane/${encodeURIComponent(ID)}`);
  await it.page.getByRole("button", { name: "Down" }).waitFor();
  await it.settle();
  await it.page.getByRole("button", { name: "Down" }).tap();
  await it.page.getByRole("button", { name: "Control C" }).tap();
  await becomes(
    () => it.server.actions.map(({ body }) => [body["key"], body["expected"]]),
    [
      ["Down", { ...shown, selected: "1" }],
      ["C-c", { ...shown, selected: "1" }],
    ],
  );
});
