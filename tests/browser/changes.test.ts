import { beforeEach, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import { PHONE } from "../support/browser.ts";
import { calm, clickCalmly, tapCalmly } from "../support/calm.ts";
import { changedFolder } from "../support/fixture-changes.ts";
import { fixturePanes, option } from "../support/fixture-panes.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { KeptMessages } from "../support/fixture-waiting.ts";
import { DESK } from "../support/fixture-page.ts";
import { PageLab } from "../support/page-lab.ts";
import { paneHash } from "./scene.ts";
import { until } from "../support/until.ts";
import { rare as it } from "../support/thorough.ts";

const ID = "%12";

const lab = PageLab.ofFile();
let server: FixtureServer;
let page: Page;
let changes: ReturnType<typeof changedFolder>;

beforeEach(async () => {
  server = lab.server(fixturePanes());
  changes = changedFolder(server);
  ({ page } = await lab.page(PHONE));
});

const line = (key: string) => page.locator(`[data-line="${key}"]`);
const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true });
const field = () => page.getByRole("textbox", { name: "Your remark" });
const asked = (path: string) => server.requests.filter((request) => request.path === path).length;
const sent = () => server.asked("/api/text");

async function remark(key: string, words: string): Promise<void> {
  await clickCalmly(line(key));
  await field().fill(words);
  await button("Add").click();
  await field().waitFor({ state: "detached" });
}

async function openFile(): Promise<void> {
  await page.goto(`${server.url}${paneHash(ID)}/changes`);
  await page.getByRole("button", { name: /session\.ts/ }).click();
  await line("new42").waitFor();
}

const files = (text: string) => page.getByRole("region", { name: "Changes" }).getByText(text);

it("the terminal below the tabs has its own background; left scrolled up, it shows its end when it is opened from a file", async () => {
  const lines = Array.from({ length: 200 }, (_, i) => `line ${i}`);
  server.change(ID, { lines });
  const terminal = page.locator("[data-terminal]");
  await page.goto(`${server.url}${paneHash(ID)}`);
  await terminal.getByText("line 199", { exact: true }).waitFor();
  await page.getByRole("navigation", { name: "Page" }).waitFor();
  const grounds = await terminal.evaluate((area) => {
    const groundOf = (one: Element): string => {
      const ground = getComputedStyle(one).backgroundColor;
      const { parentElement: above } = one;
      return ground === "rgba(0, 0, 0, 0)" && above !== null ? groundOf(above) : ground;
    };
    const own = document.createElement("i");
    own.style.background = "var(--term-bg)";
    document.body.append(own);
    return [groundOf(area), groundOf(own)];
  });
  expect(grounds[0]).toBe(grounds[1]);
  await terminal.evaluate((area) => area.scrollBy(0, -1000));
  await button("To the end").waitFor();
  await page.getByRole("navigation", { name: "Page" }).getByText("Changes").click();
  await page.getByRole("button", { name: /session\.ts/ }).click();
  await line("new42").waitFor();
  await page.getByRole("navigation", { name: "Page" }).getByText("Screen").click();
  await terminal.waitFor();
  const toEnd = () =>
    terminal.evaluate((area) => {
      const end = area.querySelector("pre")?.getBoundingClientRect().bottom ?? 0;
      return end - area.getBoundingClientRect().top - area.clientHeight;
    });
  await becomes(async () => Math.abs(await toEnd()) < 2, true);
});

it("from a card to the changed files, to one diff, and back", async () => {
  await page.goto(`${server.url}#/queue`);
  const card = page.locator(`article[data-pane="${ID}"]`);
  // The count of files stands on the card and in the header of Go through.
  await card.getByRole("button", { name: /^6 files ?added/ }).waitFor();
  await page.goto(`${server.url}#/queue/one`);
  await page
    .locator(".pass-header")
    .getByRole("button", { name: /^\d files/ })
    .waitFor();
  await page.goto(`${server.url}#/queue`);
  await card.getByRole("button", { name: /^6 files/ }).click();
  await files("6 files").waitFor();
  await page.getByText("one other agent works in this folder").waitFor();
  // The counts are aligned at the end of their rows.
  const ends = await page
    .locator(".changes-files .counts")
    .evaluateAll((all) => all.map((counts) => Math.round(counts.getBoundingClientRect().right)));
  expect(new Set(ends).size).toBe(1);
  await page.getByRole("button", { name: /session\.ts.*added 14, removed 9/ }).click();
  await page.getByText("32 unchanged lines").waitFor();
  expect(await line("new42").locator(".word").textContent()).toBe("ttl(s.device)");
  await button("Next file").click();
  await page.getByRole("heading", { name: "ttl.ts" }).waitFor();
  await button("Changes").click();
  await files("6 files").waitFor();
  await page.getByRole("button", { name: /logo\.png/ }).click();
  await page.getByText("Its lines are not shown").waitFor();
});

const chip = (n: number) => button(n === 1 ? "1 remark" : `${n} remarks`);
const calmly = async (name: string) => {
  await clickCalmly(button(name));
};
/** Of a pane that asks nothing. */
const QUIET = { question: null, menu: [], evidence: [], prompt_since: null };

test("while a remark is written the composer leaves it its room; remarks survive a reload of the page, stand in the composer of every tab, and are sent as one message", async () => {
  server.change(ID, { status: "idle", ...QUIET });
  await openFile();
  const composer = page.locator("[data-composer]");
  await composer.waitFor();
  await line("new43").click();
  await field().waitFor();
  expect(await composer.isVisible()).toBe(false);
  await button("Cancel").click();
  await composer.waitFor();
  await remark("new42", "ttl() may return 0.");
  await remark("old42", "Why did DAY go?");
  await becomes(() => page.getByPlaceholder("Add a word, or just send them").count(), 1);
  await page.goto(`${server.url}${paneHash(ID)}`);
  await page.reload();
  await chip(2).click();
  await page.getByRole("dialog").getByText("ttl() may return 0.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await composer.fill("Please look at these:");
  await calmly("Send");
  await until(() => sent()[0] ?? null);
  expect(sent().map(({ body }) => body["text"])).toEqual([
    "Please look at these:\n\n" +
      "src/auth/session.ts:42\n> s.expires = now() + ttl(s.device);\nttl() may return 0.\n\n" +
      "src/auth/session.ts:42 (removed)\n> s.expires = now() + DAY;\nWhy did DAY go?",
  ]);
  await becomes(() => chip(2).count(), 0);
  await calm(page);
  await openFile();
  expect(await page.locator(".remark").count()).toBe(0);
});

test("below the changes a folded prompt names its command; unfolded, the question stands apart from the evidence", async () => {
  await page.goto(`${server.url}#/pane/%2521/changes`);
  const prompt = page.getByRole("region", { name: "Question" });
  await prompt.getByText("pnpm prisma migrate deploy").waitFor();
  expect(await prompt.getByRole("option").count()).toBe(0);
  await prompt.getByRole("button", { name: "Answer" }).click();
  await prompt.getByRole("option").first().waitFor();
  const gap = await prompt.evaluate((card) => {
    const edge = (name: string) => card.querySelector(name)?.getBoundingClientRect();
    return (edge(".question")?.top ?? 0) - (edge(".excerpt")?.bottom ?? 0);
  });
  expect(gap).toBeGreaterThanOrEqual(10);
});

test("remarks written while the agent asks are queued, and the prompt stays; or they are sent as the refusal, with the guard of that option", async () => {
  const kept = new KeptMessages(server);
  await openFile();
  await remark("new43", "Log the device class too.");
  await calmly("Add to what it sends when it is free");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("It asks:").waitFor();
  await calmly("Send when it is free");
  await becomes(() => kept.texts(ID).join().includes("Log the device class too."), true);
  await becomes(() => page.locator(".remark").count(), 0);
  expect([sent(), server.actions]).toEqual([[], []]);

  const menu = server.find(ID).menu.slice(0, -1);
  const label = "No, and tell Claude what to do differently";
  server.change(ID, { menu: [...menu, option("3", label, { freeform: true, declines: true })] });
  await remark("new43", "And its age.");
  await calmly("Add to what it sends when it is free");
  await page.getByText("tell Claude what to do differently” with them, now.").waitFor();
  await calmly("No, with these remarks");
  await becomes(() => page.locator(".remark").count(), 0);
  const text = expect.stringContaining("And its age.");
  expect(server.asked("/api/select").map(({ body }) => body)).toEqual([
    expect.objectContaining({ id: ID, text, expected: expect.anything() }),
  ]);
});

it("a remark is edited and deleted, kept when its line changes, and all are discarded", async () => {
  await openFile();
  await remark("new44", "Why?");
  await button("Edit").click();
  await field().fill("Why return it?");
  await field().press("Control+Enter");
  await page.getByText("Why return it?").waitFor();
  changes.file.hunks = changes.file.hunks.map((hunk) => ({
    ...hunk,
    lines: hunk.lines.map((one) => (one.new === 44 ? { ...one, text: "  return null;" } : one)),
  }));
  await page.reload();
  await page.getByText("The line has changed: Line 44").waitFor();
  await button("Delete").click();
  await page.getByText("Why return it?").waitFor({ state: "detached" });
  // All are discarded after a confirmation.
  await remark("new43", "Log the device class too.");
  await chip(1).click();
  await button("Discard").click();
  await page.getByText("Discard 1 remark?").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await page.locator(".remark").waitFor({ state: "detached" });
});

it("a remark being written survives a move, the loss of its line and the loss of its file", async () => {
  server.change(ID, { status: "working", question: null, menu: [], evidence: [] });
  await openFile();
  await line("new43").click();
  await field().fill("Why return it?");
  await button("The line below").click();
  await page.getByText("Line 44").waitFor();
  expect(await field().inputValue()).toBe("Why return it?");
  await field().pressSequentially(" Tell me.");
  changes.file.hunks = changes.file.hunks.map((hunk) => ({
    ...hunk,
    lines: hunk.lines.filter((one) => one.new !== 44),
  }));
  server.change(ID, { status: "idle" });
  await page.getByText("The line has changed: Line 44").waitFor();
  expect(await field().inputValue()).toBe("Why return it? Tell me.");
  server.change(ID, { status: "working" });
  await calm(page);
  changes.list.files = changes.list.files.filter(({ path }) => path !== changes.file.path);
  server.change(ID, { status: "idle" });
  await page.getByText("This file has not changed any more").waitFor();
  expect(await field().inputValue()).toBe("Why return it? Tell me.");
  await button("Add").click();
  await chip(1).waitFor();
});

/** So many panes with the same prompt. */
function waitInPanes(count: number): void {
  const asking = server.find(ID);
  server.panes = Array.from({ length: count }, (_, n) => ({ ...asking, id: `%9${n}` }));
}

it("at most four cards ask for their changed files at a time", async () => {
  waitInPanes(7);
  const open: ReadableStreamDefaultController[] = [];
  server.hook = ({ path }) =>
    path === "/api/changes"
      ? new Response(new ReadableStream({ start: (controller) => void open.push(controller) }))
      : undefined;
  await page.setViewportSize({ width: 390, height: 4000 });
  await page.goto(`${server.url}#/queue`);
  await becomes(() => page.getByRole("article").count(), 7);
  await becomes(() => asked("/api/changes"), 4);
  await calm(page);
  expect(asked("/api/changes")).toBe(4);
  // A failed request makes room for the next one too.
  open[0]?.close();
  await becomes(() => asked("/api/changes"), 5);
});

test("a card asks for its changed files one screen ahead, and again once its answer is confirmed", async () => {
  waitInPanes(9);
  const ids: string[] = [];
  server.replies["/api/changes"] = (_, query) => {
    ids.push(query.get("id") ?? "");
    return changes.list;
  };
  await page.goto(`${server.url}#/queue`);
  await page.getByRole("article").nth(8).getByRole("button", { name: "Later" }).waitFor();
  const feet = await page.getByRole("article").evaluateAll((cards) =>
    cards.map((card) => ({
      id: card.dataset["pane"] ?? "",
      screens: card.getBoundingClientRect().bottom / innerHeight,
    })),
  );
  const below = feet.filter(({ screens }) => screens > 1.2 && screens < 1.8);
  const far = feet.filter(({ screens }) => screens > 2.3);
  expect([below.length > 0, far.length > 0]).toEqual([true, true]);
  const first = feet[0]?.id ?? "";
  const times = () => ids.filter((id) => id === first).length;
  // Requests of several cards arrive in any order.
  await becomes(() => below.every(({ id }) => ids.includes(id)), true);
  await becomes(times, 1);
  expect(far.filter(({ id }) => ids.includes(id))).toEqual([]);
  await tapCalmly(page.getByRole("article").first().getByRole("option").first());
  await until(() => server.asked("/api/select")[0]);
  server.change(first, { status: "working", ...QUIET });
  await becomes(times, 2);
  for (let pass = 0; pass < 5; pass++) server.change(first, { preview: [`line ${pass}`] });
  await calm(page);
  expect(times()).toBe(2);
});

it("the changes are read again when the turn ends, and not before", async () => {
  await page.goto(`${server.url}${paneHash(ID)}/changes`);
  await files("6 files").waitFor();
  server.change(ID, { status: "working", question: null, menu: [], evidence: [] });
  await becomes(() => asked("/api/changes"), 1);
  for (let pass = 0; pass < 5; pass++) server.change(ID, { preview: [`line ${pass}`] });
  await calm(page);
  changes.list.files = changes.list.files.slice(0, 2);
  changes.list.total = 2;
  expect(await files("6 files").isVisible()).toBe(true);
  server.change(ID, { status: "idle" });
  await files("2 files").waitFor();
  expect(asked("/api/changes")).toBe(2);
});

it("at a desk the list marks the open file, and keys move through files and lines", async () => {
  const { page: desk } = await lab.page(DESK);
  await desk.goto(`${server.url}${paneHash(ID)}/changes`);
  const marked = () => desk.locator(".changes-files .selected b").allTextContents();
  await becomes(marked, [changes.list.files[0]?.path.split("/").at(-1)]);
  await desk.getByRole("button", { name: /session\.ts.*added 14/ }).click();
  await becomes(marked, ["session.ts"]);
  const names = changes.list.files.map(({ path }) => path.split("/").at(-1));
  const at = names.indexOf("session.ts");
  for (const [key, to] of [
    ["j", at + 1],
    ["k", at],
  ] as const) {
    await desk.keyboard.press(key);
    await becomes(marked, [names[to]]);
  }
  await desk.getByText("remark on the line").waitFor();
  const lineAt = () => desk.evaluate(() => document.activeElement?.getAttribute("data-line"));
  await desk.locator('[data-line="new39"]').focus();
  for (const [key, to] of [
    ["n", "old42"],
    ["ArrowDown", "new42"],
    ["n", "old78"],
    ["p", "old42"],
  ] as const) {
    await desk.keyboard.press(key);
    await becomes(lineAt, to);
  }
  await desk.keyboard.press("r");
  await desk.getByRole("textbox", { name: "Your remark" }).waitFor();
  await desk.keyboard.press("Escape");
  await becomes(lineAt, "old42");
});

it("without a work tree the address of the changes shows the screen", async () => {
  server.refuse("/api/changes", { reason: "no_git", message: "no work tree" });
  await page.goto(`${server.url}${paneHash(ID)}/changes`);
  await page.locator(`[data-terminal="${ID}"]`).waitFor();
  await until(() => asked("/api/changes") > 0);
  await becomes(() => page.getByRole("link", { name: /Changes/ }).count(), 0);
});
