import { expect, test } from "bun:test";
import { AnswerPage } from "../support/answer-page.ts";
import { becomes } from "../support/becomes.ts";
import { PHONE } from "../support/browser.ts";
import { calm } from "../support/calm.ts";
import { DESK } from "../support/fixture-page.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare } from "../support/thorough.ts";

const lab = PageLab.ofFile();
let it: AnswerPage;

rare.each([
  ["All on a phone", PHONE, "#/all"],
  ["a pane on a desk", DESK, "#/pane/%2512"],
] as const)("%s has no ids of a multiplexer", async (_, size, hash) => {
  const server = lab.server();
  server.change("%12", { title: "build-machine" });
  const page = await lab.open(server.url + hash, size);
  await page.getByText("session-rotation").first().waitFor();
  await calm(page);
  expect(await page.locator("body").innerText()).not.toMatch(/(^|[\s·›])%\d+|build-machine/);
});

test("All is searched without accents, filtered by chips, folded and sorted, and remembers the last two", async () => {
  it = await AnswerPage.open(lab);
  const { page, server } = it;
  server.change("%14", { name: "requête-planner" });
  await page.getByRole("link", { name: "All" }).tap();
  const rows = () =>
    page.locator("[data-row]").evaluateAll((all) => all.map((row) => row.getAttribute("data-row")));
  const field = page.getByRole("searchbox");
  await field.fill("REQUETE planner");
  await becomes(rows, ["%14"]);
  const chip = page.getByRole("button", { name: /^Waiting/, pressed: false });
  await chip.tap();
  await page.getByText("No match").waitFor();
  await page.getByRole("button", { name: "Clear", exact: true }).tap();
  await becomes(() => field.inputValue(), "");

  const api = page.getByRole("button", { name: /^api/ });
  await api.tap();
  await becomes(() => api.getAttribute("aria-expanded"), "false");
  // A search shows its matches whatever is folded.
  await field.fill("session-rotation");
  await becomes(rows, ["%12"]);
  await page.getByRole("button", { name: "Clear search" }).tap();
  await becomes(() => field.inputValue(), "");
  await becomes(() => field.evaluate((element) => element === document.activeElement), true);
  await page.getByRole("button", { name: "Sort: By session" }).tap();
  await page.getByRole("radio", { name: "By name" }).tap();
  await page.goBack();
  await page.getByRole("button", { name: "Sort: By name" }).waitFor();
  const kept = await page.evaluate(() => localStorage.getItem("panewatch.preferences") ?? "");
  expect(JSON.parse(kept)).toMatchObject({ sort: "name", collapsed: ["$api"] });
  await page.getByRole("button", { name: "Sort: By name" }).tap();
  await page.getByRole("radio", { name: "By session" }).tap();
  await page.goBack();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Queue" }).tap();
  await page.getByRole("link", { name: "All" }).tap();
  await becomes(() => api.getAttribute("aria-expanded"), "false");
  await becomes(() => page.locator('[data-row="%12"]').count(), 0);
});

rare(
  "a pane says how many others wait, folds its prompt to one line, and keeps all across a breakpoint",
  async () => {
    it = await AnswerPage.open(lab);
    const { page, server } = it;
    const lines = Array.from({ length: 300 }, (_, i) => `line number ${i}`);
    const about = { kind: "file", text: "Edit src/auth/session.ts", file: "src/auth/session.ts" };
    server.change("%12", { lines, about: { ...about, kind: "file", added: 2, removed: 1 } });
    await it.openPane("%12");
    await page.getByRole("button", { name: "Back, 2 more waiting" }).waitFor();
    await page.getByRole("button", { name: "Hide prompt" }).tap();
    await becomes(() => page.getByRole("option").count(), 0);
    await page
      .getByRole("region", { name: "Prompt" })
      .getByText("Edit src/auth/session.ts")
      .waitFor();
    await page.locator("[data-composer]").fill("half a thought");
    await page
      .getByText("line number 100", { exact: true })
      .evaluate((row) => row.scrollIntoView());
    await page.getByRole("button", { name: "To the end" }).waitFor();
    for (const [width, height] of [
      [1440, 900],
      [1024, 768],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.getByRole("heading", { name: "session-rotation", level: 1 }).waitFor();
      await becomes(() => page.locator("[data-composer]").inputValue(), "half a thought");
      const first = () =>
        page.locator("[data-terminal]").evaluate((area) => {
          const { top } = area.getBoundingClientRect();
          const rows = [...area.querySelectorAll(".line")];
          return rows.find((row) => row.getBoundingClientRect().bottom > top + 1)?.textContent;
        });
      await becomes(first, "line number 100");
    }
    await page.getByRole("button", { name: "Answer" }).tap();
    await page.getByRole("option").first().waitFor();
  },
);

test("the ready reply to an error goes out under the same guard", async () => {
  it = await AnswerPage.open(lab);
  const { page, server } = it;
  const reply = page.getByRole("button", { name: "Reply “continue”" });
  // Only agents get it.
  await reply.waitFor();
  server.change("%41", { agent: null, kind: "generic" });
  await reply.waitFor({ state: "detached" });
  server.change("%41", { agent: { id: "agent_d", label: "OpenCode" }, kind: "agent_d" });
  await reply.waitFor();
  await it.settle();
  await it.pressOn(reply);
  const before = server.panes.find(({ id }) => id === "%41");
  const lines = [...(before?.preview ?? []).slice(0, -1), "Error: something else"];
  server.change("%41", { preview: lines, lines });
  const card = it.card("%41");
  await card.getByText("something else").waitFor();
  await page.mouse.up();
  await card.getByText("This prompt just changed").waitFor();
  expect(it.sent()).toEqual([]);
  await it.settle();
  await reply.tap();
  await card.getByText(/, (sent|confirmed)$/).waitFor();
  // It stands in the place of the reply, below what it replies to.
  expect([await card.getByText("something else").count(), await reply.count()]).toEqual([1, 0]);
  expect(server.actions.map(({ body }) => body)).toEqual([
    {
      id: "%41",
      text: "continue",
      enter: true,
      expected: { prompt_fingerprint: null, options_fingerprint: null },
      idempotency_key: expect.any(String),
    },
  ]);
});

rare(
  "of a question that does not fit a row the end goes, also from right to left; the name of a narrow pane stays",
  async () => {
    it = await AnswerPage.open(lab);
    const { page, server } = it;
    const question = "هل أتابع تنفيذ الترحيل على قاعدة البيانات الرئيسية الآن أم لاحقًا؟";
    server.change("%12", { question });
    // Beside a list a narrow pane keeps its name.
    await page.goto(`${server.url}#/pane/%2512`);
    const name = page.getByRole("heading", { name: "session-rotation", level: 1 });
    const isWhole = () =>
      name.evaluate((h1) => h1.clientWidth > 0 && h1.scrollWidth <= h1.clientWidth);
    for (const [width, height] of [
      [820, 1180],
      [1024, 768],
    ] as const) {
      await page.setViewportSize({ width, height });
      await becomes(isWhole, true);
    }
    await page.goto(`${server.url}#/queue`);
    const text = page.locator('[data-row="pane:%12"]').getByText(question);
    await text.waitFor();
    const [first, last] = await text.evaluate((element) => {
      const row = element.parentElement?.getBoundingClientRect() ?? new DOMRect();
      const node = element.firstChild;
      if (node === null) return [];
      return [0, (node.textContent?.length ?? 0) - 1].map((at) => {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        const box = range.getBoundingClientRect();
        return box.left >= row.left - 1 && box.right <= row.right + 1;
      });
    });
    expect([first, last]).toEqual([true, false]);
  },
);
