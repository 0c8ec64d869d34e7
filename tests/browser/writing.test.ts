import { beforeEach, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { AnswerPage } from "../support/answer-page.ts";
import { becomes } from "../support/becomes.ts";
import { tapCalmly } from "../support/calm.ts";
import { watchCopied } from "../support/copied.ts";
import { option } from "../support/fixture-panes.ts";
import { LONG_NAME } from "../support/hostile-panes.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare } from "../support/thorough.ts";

const ASKING = "%12";
const IDLE = "%16";

const lab = PageLab.ofFile();
let shared: AnswerPage;
let it: AnswerPage;
lab.shares(async () => {
  // Between two tests the seconds pass at once for which an answered card stays.
  ({ it: shared } = await AnswerPage.openTimed(lab));
});
beforeEach(async () => {
  it = shared;
  await it.again();
});

const chip = (word: string) => it.page.locator(".connection", { hasText: word });
const composer = (page: Page) => page.locator("[data-composer]");

/** A second tab of the same browser. */
async function openTab(hash: string): Promise<Page> {
  const tab = await it.page.context().newPage();
  await tab.goto(`${it.server.url}${hash}`);
  return tab;
}

test("a digit selects the answer with that key on a visible card, and scrolls to it", async () => {
  const many = Array.from({ length: 8 }, (_, i) => option(String(i + 2), `Choice ${i + 2}`));
  it.server.change("%15", { menu: [...many, option("2", "Twice")] });
  await it.card("%15").getByText("Twice").waitFor();
  await it.page.locator("main.scroll").evaluate((area) => {
    const card = area.querySelector('article[data-pane="%15"] .options');
    card?.scrollIntoView({ block: "start" });
  });
  const armed = it.page.getByRole("option", { selected: true });
  // This card has no option 1; the card that has one is above the screen.
  await it.page.keyboard.press("1");
  await it.page.keyboard.press("3");
  await becomes(() => armed.allTextContents(), ["3Choice 3"]);
  await it.page.keyboard.press("2");
  await becomes(() => armed.allTextContents(), ["2Choice 2"]);
  await it.page.keyboard.press("Home");
  await it.page.locator("main.scroll").evaluate((area) => area.scrollTo(0, 0));
  await it.page.keyboard.press("End");
  await becomes(() => armed.allTextContents(), ["2Twice"]);
  await it.page.waitForFunction(() => {
    const row = document.querySelector('[role="option"][aria-selected="true"]');
    const area = row?.closest(".scroll")?.getBoundingClientRect();
    return area !== undefined && (row?.getBoundingClientRect().bottom ?? 9999) <= area.bottom + 1;
  });
  expect(it.sent()).toEqual([]);
});

test("a token that is refused while sending keeps the text and sends nothing later", async () => {
  await it.answer(ASKING, "3").tap();
  await it.card(ASKING).getByRole("textbox", { name: "Reply" }).fill("kept");
  await it.settle();
  it.server.hook = ({ path }) => {
    if (path !== "/api/select") return undefined;
    it.server.token = "new";
    return Response.json({ detail: "bad or missing token" }, { status: 401 });
  };
  await it.card(ASKING).getByRole("button", { name: "Send", exact: true }).tap();
  await it.page.getByRole("textbox", { name: "Token" }).fill("new");
  // Whether "Sign in on this machine" stands below it depends on which end is heard of first.
  await tapCalmly(it.page.getByRole("button", { name: "Sign in", exact: true }));
  const reply = it.card(ASKING).getByRole("textbox", { name: "Reply" });
  await reply.waitFor();
  await chip("Live").waitFor();
  await it.settle();
  await becomes(() => reply.inputValue(), "kept");
  expect(it.server.asked("/api/select").length).toBe(1);
});

test("two tabs share a draft, and once one has sent it neither offers it again", async () => {
  await it.openPane(IDLE);
  await it.composer.fill("from the first");
  const tab = await openTab(`#/pane/${encodeURIComponent(IDLE)}`);
  await composer(tab).waitFor();
  const shows = (page: Page, text: string) =>
    page.waitForFunction(
      (value) => document.querySelector<HTMLTextAreaElement>("[data-composer]")?.value === value,
      text,
    );
  await shows(tab, "from the first");
  await composer(tab).fill("from the second");
  await shows(it.page, "from the second");
  // The draft changes between press and release.
  await it.page.bringToFront();
  await it.pressOn(it.send);
  await composer(tab).fill("rm -rf build");
  await shows(it.page, "rm -rf build");
  await it.page.mouse.up();
  await it.settle();
  expect(it.sent()).toEqual([]);
  await it.send.tap();
  await shows(it.page, "");
  await shows(tab, "");
  await becomes(it.sent, [["/api/text", "rm -rf build"]]);
  await tab.close();
});

rare("tabs keep each other's preferences, and signing out of one signs out of both", async () => {
  const tab = await openTab("#/settings");
  await tab.keyboard.press("Control+,");
  await tab.getByRole("button", { name: /^Terminal/ }).click();
  await tab.getByRole("switch", { name: "Wrap lines" }).click();
  // The first tab has the change by then.
  await it.settle();
  await it.page.keyboard.press("t");
  const stored = () =>
    tab.evaluate(() => {
      const { wrap, theme } = JSON.parse(localStorage.getItem("panewatch.preferences") ?? "{}");
      return { wrap, theme };
    });
  await becomes(stored, { wrap: false, theme: "light" });

  await tab.evaluate(() => localStorage.setItem("panewatch.token", "x"));
  await chip("Live").waitFor();
  await tab.evaluate(() => localStorage.removeItem("panewatch.token"));
  await it.page.getByRole("textbox", { name: "Token" }).waitFor();
  await tab.close();
});

test("a double tap that closes a menu does not reach the answer below it", async () => {
  await it.page.locator('[data-pane="%12"] .card-title').tap();
  await it.page.getByRole("button", { name: "More", exact: true }).tap();
  await it.page.locator(".scrim-close").evaluate((close: HTMLElement) => {
    close.click();
    close.click();
  });
  await it.page.getByRole("dialog").waitFor({ state: "detached" });
  await it.settle();
  expect(it.page.url()).toContain("#/pane/%2512");
  await it.page.getByRole("button", { name: "Attach or insert" }).tap();
  const snippet = it.page.getByRole("button", { name: "continue", exact: true });
  await snippet.waitFor();
  await it.settle();
  // Both clicks in one task of the page.
  await snippet.evaluate((button: HTMLElement) => {
    button.click();
    document.querySelectorAll<HTMLElement>("[role=option]")[1]?.click();
  });
  await it.page.getByText("This prompt just changed").waitFor();
  expect(it.sent()).toEqual([]);
});

test("after sleep the page reconnects and refreshes before anything is sent", async () => {
  const it = await AnswerPage.open(lab);
  it.server.isSilent = true;
  const [before, sockets] = [it.server.requests.length, it.sockets];
  await it.answer(ASKING, "1").evaluate((row: HTMLElement) => {
    const now = Date.now;
    Date.now = () => now() + 3_600_000;
    row.click();
  });
  await becomes(() => it.sockets > sockets, true);
  // What the page reads beside the panes may have been on its way before.
  const asked = () =>
    it.server.requests
      .slice(before)
      .flatMap(({ method, path }) => (method === "GET" && path !== "/api/state" ? [] : [path]));
  await becomes(() => asked()[0], "/api/state");
});

test("a prompt that changes beside a terminal scrolled up shows its evidence", async () => {
  const { page, server } = it;
  server.change(ASKING, { lines: Array.from({ length: 200 }, (_, i) => `line ${i}`) });
  await it.openPane(ASKING);
  await page.getByText("line 199", { exact: true }).waitFor();
  const prompt = page.getByRole("region", { name: "Question" });
  expect(await prompt.locator(".excerpt").count()).toBe(0);
  await page.locator("[data-terminal]").evaluate((area) => area.scrollBy(0, -1e6));
  const toEnd = page.getByRole("button", { name: /To the end|new line/ });
  await toEnd.waitFor();
  expect(await prompt.locator(".excerpt").count()).toBe(0);
  // The same question over another diff, which the terminal does not show now.
  server.change(ASKING, { evidence: ["src/auth/session.ts", " 42 +    drop();"] });
  await prompt.locator(".excerpt").getByText("drop();").waitFor();
  await toEnd.tap();
  await prompt.locator(".excerpt").waitFor({ state: "detached" });
  expect(it.sent()).toEqual([]);
});

test("a key that comes with a new prompt sends nothing at once", async () => {
  const { page, server } = it;
  const { capabilities } = server.find(ASKING);
  server.change(ASKING, { capabilities: { ...capabilities, keys: ["Enter"] } });
  await it.openPane(ASKING);
  await page.locator('[data-key="Enter"]').waitFor();
  await becomes(() => page.locator('[data-key="Escape"]').count(), 0);
  await it.settle();
  await page.evaluate(() => {
    const observer = new MutationObserver(() => {
      const key = document.querySelector<HTMLElement>('[data-key="Escape"]');
      if (key === null) return;
      observer.disconnect();
      key.click();
      document.body.dataset["pressed"] = "";
    });
    observer.observe(document.body, { childList: true, subtree: true });
  });
  server.change(ASKING, {
    question: "Drop the table?",
    capabilities: { ...capabilities, keys: ["Enter", "Escape"] },
  });
  await page.locator("body[data-pressed]").waitFor();
  await it.settle();
  expect(it.sent()).toEqual([]);
});

test("an unconfirmed answer can be repeated once the terminal was inspected", async () => {
  const live = it.page.locator(".connection", { hasText: "Live" });
  await tapCalmly(it.answer(ASKING, "1"));
  await it.card(ASKING).getByText("Yes, sent").waitFor();
  for (let i = 0; i < 6; i++) await it.page.clock.runFor(1000);
  await it.card(ASKING).getByText("Not confirmed yet").waitFor();
  await live.waitFor();
  expect(await it.card(ASKING).getByRole("option").count()).toBe(0);
  await it.card(ASKING).getByRole("button", { name: "Open pane" }).tap();
  const again = it.page.locator('[role="option"][aria-disabled="false"][data-key="1"]');
  await again.waitFor();
  expect(it.sent()).toEqual([["/api/select", "1"]]);
  await tapCalmly(again);
  await becomes(() => it.sent().length, 2);
});

test("an on-screen keyboard leaves the composer in view", async () => {
  const { page, server } = it;
  await page.goto(`${server.url}#/pane/%2514`);
  for (const [width, height, left] of [
    [320, 640, 340],
    [1024, 768, 400],
  ] as const) {
    await page.setViewportSize({ width, height });
    const { composer } = it;
    await composer.tap();
    // As browsers do that resize the page for the keyboard.
    await page.setViewportSize({ width, height: left });
    await page.keyboard.type("half");
    await becomes(() => composer.inputValue(), "half");
    const bottom = () => composer.evaluate((field) => field.getBoundingClientRect().bottom);
    await becomes(async () => (await bottom()) < left, true);
    await composer.fill("");
    await composer.blur();
    await page.setViewportSize({ width, height });
  }
  // The prompt shrinks for a composer of several lines.
  await page.goto(`${server.url}#/pane/${encodeURIComponent(ASKING)}`);
  await page.setViewportSize({ width: 360, height: 740 });
  await it.composer.tap();
  await page.setViewportSize({ width: 360, height: 430 });
  await it.composer.fill("one\ntwo\nthree\nfour");
  await becomes(() => it.send.evaluate((one) => one.getBoundingClientRect().bottom <= 430), true);
  await it.composer.blur();
  // A low screen without a keyboard has no docked composer.
  await page.setViewportSize({ width: 640, height: 360 });
  await page.getByRole("button", { name: "Keys and message" }).waitFor();
});

rare("a long pane name keeps the composer one line high", async () => {
  await it.page.evaluate((hash) => (location.hash = hash), `#/pane/${encodeURIComponent(IDLE)}`);
  const height = () => composer(it.page).evaluate((field) => field.clientHeight);
  await composer(it.page).waitFor();
  const usual = await height();
  it.server.change(IDLE, { name: LONG_NAME });
  await becomes(
    async () => ((await composer(it.page).getAttribute("placeholder")) ?? "").length > 9999,
    true,
  );
  expect(await height()).toBe(usual);
});

test("a shell that is listed no more is not called closed: it may be idle", async () => {
  const server = lab.server();
  server.config = { ...server.config, include_shells: false };
  const page = await lab.open(`${server.url}#/pane/%2517`);
  server.change("%17", { status: "needs_input", question: "Go on?" });
  const question = page.getByText("Go on?", { exact: true });
  await question.waitFor();
  server.panes = server.panes.filter(({ id }) => id !== "%17");
  server.pass();
  await page.getByText("Its shell is idle, which is not listed, or it was closed.").waitFor();
  expect(await page.getByText("This pane is gone").count()).toBe(0);
  // Nobody can answer it any more.
  expect(await question.count()).toBe(0);
});

test("a draft survives a reload, a changed prompt, a sign-out by the server and the loss of its pane", async () => {
  await it.answer(ASKING, "3").tap();
  await it.card(ASKING).getByRole("textbox", { name: "Reply" }).fill("my careful words");
  await it.page.waitForFunction(() => JSON.stringify(localStorage).includes("my careful words"));
  await it.page.reload();
  const field = it.card(ASKING).getByRole("textbox", { name: "Reply" });
  await field.waitFor();
  await becomes(() => field.inputValue(), "my careful words");
  expect(await field.evaluate((one) => one === document.activeElement)).toBe(false);

  // When the prompt changes the draft moves to the composer.
  it.server.change(ASKING, { question: "Another question?" });
  await it.answer(ASKING, "1").waitFor();
  await it.page.goto(`${it.server.url}#/pane/${encodeURIComponent(ASKING)}`);
  const { composer } = it;
  await composer.waitFor();
  await becomes(() => composer.inputValue(), "my careful words");

  it.server.token = "secret";
  it.server.closeSockets(1008);
  await it.page.getByRole("textbox", { name: "Token" }).fill("secret");
  await it.page.getByRole("button", { name: "Sign in", exact: true }).tap();
  await composer.waitFor();
  await becomes(() => composer.inputValue(), "my careful words");

  const words = `my careful words\n${"of many lines\n".repeat(9)}`;
  await composer.fill(words);
  it.server.panes = it.server.panes.filter(({ id }) => id !== ASKING);
  it.server.pass();
  await it.page.getByText("This pane is gone").waitFor();
  await it.page.goto(`${it.server.url}#/all`);
  await it.page.getByText("Unsent drafts").waitFor();
  await it.page.getByText("my careful words of many lines").waitFor();
  const copied = await watchCopied(it.page);
  await it.page.getByRole("button", { name: /^Copy the draft for/ }).tap();
  await becomes(copied, words);
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

test("a text is refused when a prompt has appeared meanwhile, and stays in the composer", async () => {
  await it.openPane("%16");
  const { composer } = it;
  await composer.fill("please continue");
  await it.settle();
  // The prompt appears while the text is being sent.
  const asks = { status: "needs_input", question: "Delete?" } as const;
  it.server.hook = ({ path }) => {
    if (path === "/api/text") it.server.changeUnseen("%16", asks);
    return undefined;
  };
  await it.composer.press("ControlOrMeta+Enter");
  await it.page.getByText("a prompt has appeared").waitFor();
  expect(await composer.inputValue()).toBe("please continue");
  expect(it.server.actions.map(({ body }) => body["expected"])).toEqual([
    { prompt_fingerprint: null, options_fingerprint: null },
  ]);
});
