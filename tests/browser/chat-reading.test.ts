import { beforeEach, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { watchCopied } from "../support/copied.ts";
import { calm } from "../support/calm.ts";
import { becomes } from "../support/becomes.ts";
import { PHONE } from "../support/browser.ts";
import { changedFolder } from "../support/fixture-changes.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { agentId, messageOf } from "../support/fixture-work.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";
import { withSteps } from "./agent-scenes.ts";

const AGENT = "query-planner";

const lab = PageLab.ofFile();
let server: FixtureServer;

beforeEach(() => {
  server = lab.server();
  server.switchWorkspace(true);
});

const ID = agentId(AGENT);
const numbered = (n: number, at = 1000 + n) =>
  messageOf(ID, n % 2 === 0 ? "user" : "assistant", `message ${n}.`, at);

function say(...texts: readonly string[]): void {
  const from = 9000 + server.agents.messages(AGENT).length;
  const messages = texts.map((text, i) => messageOf(ID, "assistant", text, from + i));
  server.agents.say(AGENT, ...messages);
}

async function open(messages: number | readonly string[]): Promise<Page> {
  server.agents.setMessages(
    AGENT,
    typeof messages === "number"
      ? Array.from({ length: messages }, (_, n) => numbered(n))
      : messages.map((text, n) => messageOf(ID, "assistant", text, 1000 + n)),
  );
  const page = await lab.open(`${server.url}#/agent/${ID}`);
  // Until its pane is known, and the chat stands on the page of that.
  await page.waitForFunction(() => location.hash.startsWith("#/pane/"));
  await page.locator(".messages li").last().waitFor();
  return page;
}

const scrollBy = (page: Page, pixels: number) =>
  page.locator(".agent-body").evaluate((body, by) => body.scrollBy(0, by), pixels);
/** Pixels from the top of the window. */
const placeOf = (page: Page, text: string) =>
  page.getByText(text, { exact: true }).evaluate((node) => node.getBoundingClientRect().top);
/** Of the message in the middle of the screen. */
const middle = (page: Page) =>
  page.evaluate(() => {
    const { x, y } = { x: innerWidth - 40, y: innerHeight / 2 };
    const near = [0, 12, -12, 24, -24, 36].flatMap((by) => document.elementsFromPoint(x, y + by));
    const item = near.find((element) => element.matches(".messages li"));
    return item?.querySelector(".message-text")?.textContent ?? "";
  });

describe("a chat", () => {
  it("keeps its scroll position over another page and a reload", async () => {
    const page = await open(200);
    await scrollBy(page, -3000);
    await calm(page);
    const read = await middle(page);
    const place = await placeOf(page, read);
    const isBack = async () => Math.abs((await placeOf(page, read)) - place) < 1;
    await page.evaluate(() => (location.hash = "#/all"));
    await page.locator(".agent-body").waitFor({ state: "detached" });
    await page.goBack();
    await becomes(isBack, true);
    await page.reload();
    await becomes(isBack, true);
  });

  test("does not move while it is scrolled up, and counts new messages", async () => {
    const page = await open(80);
    await scrollBy(page, -900);
    await calm(page);
    const read = await middle(page);
    expect(read).toContain("message ");
    const before = await placeOf(page, read);
    say("one more");
    await page.getByRole("button", { name: "1 new message" }).waitFor();
    say("and another");
    const button = page.getByRole("button", { name: "2 new messages" });
    await button.waitFor();
    // In whole pixels of the screen, each time.
    expect(Math.abs((await placeOf(page, read)) - before)).toBeLessThanOrEqual(2);
    await button.tap();
    await button.waitFor({ state: "detached" });
    await page.getByText("and another").waitFor();
    // At the end of the chat new messages scroll into view.
    say("the newest of all");
    await becomes(async () => (await placeOf(page, "the newest of all")) < PHONE.height, true);
  });

  test("that is opened around a message stays there though it was not yet told of its scrolling", async () => {
    server.agents.setMessages(
      AGENT,
      Array.from({ length: 40 }, (_, n) => ({ ...numbered(n), id: `m${n}` })),
    );
    const { page } = await lab.page(PHONE);
    // As on a busy machine, where the event comes after the next message.
    await page.addInitScript(() =>
      addEventListener("scroll", (event) => event.stopImmediatePropagation(), true),
    );
    await page.goto(`${server.url}#/agent/${ID}/chat/m20`);
    await page.locator(".found-message").waitFor();
    await calm(page);
    const before = await placeOf(page, "message 20.");
    say("one more");
    await page.getByRole("button", { name: "1 new message" }).waitFor();
    expect(Math.abs((await placeOf(page, "message 20.")) - before)).toBeLessThanOrEqual(2);
  });

  test("draws one block of messages at a time while it scrolls, and measures none outside the screen", async () => {
    const page = await open(100);
    await page.evaluate(() => {
      const drawn: number[] = [];
      const isNear = ({ target, oldValue }: MutationRecord) =>
        oldValue?.includes("far") === true && !(target as Element).matches(".far");
      const observer = new MutationObserver((records) => {
        const blocks = records.filter(isNear).length;
        if (blocks > 0) drawn.push(blocks);
      });
      const changes = { attributeFilter: ["class"], attributeOldValue: true };
      observer.observe(document.body, { subtree: true, ...changes });
      Object.assign(window, { drawn });
    });
    const drawn = () => page.evaluate(() => (window as unknown as { drawn: number[] }).drawn);
    await scrollBy(page, -1e7);
    await page.getByText("message 0.", { exact: true }).waitFor();
    await becomes(async () => (await drawn()).length > 2, true);
    const { length } = await drawn();
    // Blocks outside the screen are dropped, and are drawn again one by one.
    await scrollBy(page, 1e7);
    await becomes(async () => (await drawn()).length > length + 2, true);
    expect(new Set(await drawn())).toEqual(new Set([1]));

    const place = () =>
      page.evaluate((list) => history.state?.places?.[list] ?? null, `chat ${ID}`);
    await becomes(place, null);
    await page.evaluate(() => {
      const asked: (string | null)[] = [];
      const { getBoundingClientRect } = Element.prototype;
      Element.prototype.getBoundingClientRect = function () {
        const isLaidOut = this.checkVisibility({ contentVisibilityAuto: true });
        if (!isLaidOut) asked.push(this.textContent);
        return getBoundingClientRect.call(this);
      };
      Object.assign(window, { asked });
    });
    await scrollBy(page, -600);
    await becomes(async () => (await place()) !== null, true);
    const asked = await page.evaluate(() => (window as unknown as { asked: string[] }).asked);
    expect(asked).toEqual([]);
  });

  it("is searched by the server, marks the matches, and each leads to its message", async () => {
    const long = `${"Before it. ".repeat(40)}Here is Redis at last. ${"Behind it. ".repeat(40)}`;
    const page = await open([long, "nothing of it", "redis:7 is in"]);
    await page.getByRole("button", { name: "Search what was said" }).tap();
    await page.getByRole("searchbox").fill("redis");
    await page.getByText("2 messages").waitFor();
    expect(await page.locator(".agent-body").evaluate((body) => body.scrollTop)).toBe(0);
    expect(await page.locator(".searched mark").allInnerTexts()).toEqual(["redis", "Redis"]);
    const second = page.locator(".searched a").nth(1);
    expect((await second.innerText()).length).toBeLessThan(350);
    await second.tap();
    await page.locator(".found-message", { hasText: "Here is Redis at last." }).waitFor();
    await page.goBack();
    await page.getByRole("searchbox").fill("nobody said this");
    await page.getByText("No match").waitFor();
    await page.getByRole("button", { name: "Done" }).tap();
    await page.getByText("nothing of it").waitFor();
  });

  it("lists the steps between messages, and opens a changed file", async () => {
    withSteps(server);
    changedFolder(server);
    const page = await lab.open(`${server.url}#/pane/%2514/chat`);
    const fold = page.getByRole("button", { name: "7 steps added 64, removed 3" });
    await fold.waitFor();
    await page.getByText("Yes to npm run bench, Pixel 9, confirmed").waitFor();
    await page.getByText("Reviewed up to here").waitFor();
    await page.getByText("Done: Bench repeats within 3 %").waitFor();
    await fold.tap();
    expect(await fold.getAttribute("aria-expanded")).toBe("true");
    await page.getByText("Read src/plan/join.ts and 2 more").waitFor();
    const failed = page.locator(".steps li", { hasText: "failed" });
    expect((await failed.innerText()).replace(/\s+/g, " ")).toBe(
      "npm run bench -- --only reports failed",
    );
    const [message, decision] = [
      page.getByText("The index alone brings most of it"),
      page.getByText("Yes to npm run bench"),
    ];
    const shown = async () =>
      (await Promise.all([fold, message, decision].map((one) => one.count()))).join(" ");
    const expected = { Said: "0 1 0", Decisions: "0 0 1", Steps: "1 0 0", All: "1 1 1" };
    for (const [name, counts] of Object.entries(expected)) {
      await page.getByRole("button", { name, exact: true }).tap();
      await becomes(shown, counts);
    }
    await fold.tap();
    await page.getByRole("link", { name: "Edit src/plan/join.ts" }).tap();
    await page.waitForFunction(() => location.hash === "#/pane/%2514/changes/src%2Fplan%2Fjoin.ts");
  });
});

test("a filter that lets nothing through says so", async () => {
  const page = await open(3);
  await page.getByRole("button", { name: "Decisions" }).click();
  await page.getByText("No decisions yet").waitFor();
  await page.getByRole("button", { name: "All", exact: true }).click();
  await becomes(() => page.getByText("No decisions yet").count(), 0);
});

test("a message is text: links show their host and open on a second tap, code scrolls sideways", async () => {
  const lines = `const a = "${"long ".repeat(60)}";\n\n  use(a);`;
  const page = await open([
    '<img src=x onerror="document.title=1"> \u202eabc\n\n```\n<b>\n```',
    "See https://good.example@bad.example/x. Not javascript:alert(1)",
    `Now:\n\n\`\`\`ts\n${lines}\n\`\`\`\nDone.`,
  ]);
  await page.getByText("<img src=x").waitFor();
  expect(await page.locator(".messages img").count()).toBe(0);
  const bold = await page.locator(".messages b").allInnerTexts();
  expect([...new Set(bold)]).toEqual(["Claude Code"]);
  expect(await page.locator(".messages .hidden-mark").innerText()).toBe("RLO");

  expect(await page.locator(".messages a[href]").count()).toBe(0);
  const address = page.getByRole("button", { name: "https://good.example@bad.example/x" });
  await address.tap();
  await page.getByText("Leads to bad.example").waitFor();
  const link = page.getByRole("link", { name: "Open in a new tab" });
  expect(await link.getAttribute("href")).toBe("https://good.example@bad.example/x");
  expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
  expect(page.context().pages()).toHaveLength(1);
  await address.press("Enter");
  await becomes(() => link.count(), 0);

  const code = page.getByRole("group", { name: "Code" }).last();
  expect(await code.evaluate((box) => box.scrollWidth > box.clientWidth)).toBe(true);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  const copied = await watchCopied(page);
  const copy = page.getByRole("button", { name: "Copy this code" }).last();
  await copy.tap();
  await becomes(copied, lines);
  // As on plain HTTP.
  await page.evaluate(() => {
    const root = document.documentElement;
    root.removeAttribute("data-copied");
    Object.defineProperty(navigator, "clipboard", { value: undefined });
    document.addEventListener("copy", () => root.setAttribute("data-copied", `${getSelection()}`));
  });
  await copy.tap();
  await becomes(copied, lines);
});

it("a message has the direction of its words, beside code and in search results", async () => {
  const hebrew = "הבדיקות עברו ללא שגיאות";
  const texts = [hebrew, `\`npm test\` ${hebrew}`, `\u200f${hebrew}`, `All pass: ${hebrew}`];
  const page = await open(texts);
  const side = (text: Locator) =>
    text.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const [words, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
      return words.left - box.left < box.right - words.right ? "left" : "right";
    });
  const sides = async (texts: Locator) => Promise.all((await texts.all()).map(side));
  expect(await sides(page.locator(".message-text"))).toEqual(["right", "right", "right", "left"]);
  await page.getByRole("button", { name: "Search what was said" }).tap();
  await page.getByRole("searchbox").fill("שגיאות");
  await page.getByText("4 messages").waitFor();
  expect(await sides(page.locator(".said-text"))).toEqual(["left", "right", "left", "right"]);
});
