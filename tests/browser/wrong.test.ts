import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import { caseDraft } from "../support/fixture-replies.ts";
import { openFixture } from "../support/fixture-page.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";

const lab = PageLab.ofFile();
const sheet = (page: Page) => page.getByRole("dialog", { name: "This is wrong" });
const save = (page: Page) => sheet(page).getByRole("button", { name: "Save", exact: true });
const words = (page: Page) => sheet(page).getByRole("textbox", { name: "Blank out" });
const saved = (page: Page) =>
  sheet(page).getByRole("textbox", { name: "What will be saved" }).inputValue();

async function openByTouch(page: Page, url: string, pane = "%12"): Promise<void> {
  await page.goto(`${url}#/pane/${encodeURIComponent(pane)}`);
  await page.getByRole("button", { name: "More", exact: true }).tap();
  await page.getByRole("button", { name: "Why this status?" }).tap();
  await page.getByRole("button", { name: "This is wrong" }).tap();
  await sheet(page).getByText("What will be saved", { exact: true }).waitFor();
}

test("what is written is blanked out wherever it stands; what is saved is what was looked at", async () => {
  const fixture = await openFixture(lab);
  const { page, server } = fixture;
  const asked = (path: string) => server.requests.filter((request) => request.path === path);
  await openByTouch(page, server.url);
  expect(await saved(page)).toStartWith("Title: ✳ Rotate session keys\nCommand: claude\n");
  await words(page).fill("acme-billing\n");
  await becomes(async () => (await saved(page)).split("x".repeat(12)).length - 1, 4);
  expect(await saved(page)).not.toContain("acme");
  await page.getByRole("combobox", { name: "What it really was" }).selectOption("needs_input");
  await page.getByRole("textbox", { name: "What was read wrong" }).fill("It waits in a box.");
  await save(page).tap();
  await page.getByText(/^Saved as agent_a-5f4f1d1f, /).waitFor();
  expect(asked("/api/cases").map(({ body }) => body)).toEqual([{ id: "%12" }]);
  expect(asked("/api/cases/save").map(({ body }) => body)).toEqual([
    {
      draft: caseDraft().draft,
      blank: ["acme-billing"],
      status: "needs_input",
      note: "It waits in a box.",
    },
  ]);
  expect(server.actions).toEqual([]);
  await page.getByRole("button", { name: "Back to why" }).tap();
  await page.getByRole("dialog", { name: "Why this status?" }).waitFor();
});

it("a screen that is held no more is taken again, and what was written stays", async () => {
  const fixture = await openFixture(lab);
  const { page, server } = fixture;
  await openByTouch(page, server.url);
  await words(page).fill("claude");
  server.hook = ({ path }) =>
    path === "/api/cases/save"
      ? Response.json({ detail: { reason: "draft_gone" } }, { status: 409 })
      : undefined;
  await save(page).tap();
  await page.getByText(/holds this screen no more/).waitFor();
  server.hook = () => undefined;
  server.replies["/api/cases"] = () => ({ ...caseDraft(), lines: ["claude asks again"] });
  await page.getByRole("button", { name: "Take the screen again" }).tap();
  await becomes(
    () => saved(page),
    [
      "Title: ✳ Rotate session keys",
      "Command: xxxxxx",
      "Process: xxxxxx --model opus /home/dev/acme-billing",
      "",
      "xxxxxx asks again",
    ].join("\n"),
  );
  await save(page).tap();
  await page.getByText(/^Saved as /).waitFor();
});

it("a server that keeps no screens is not asked to", async () => {
  const fixture = await openFixture(lab, {
    prepare: (server) => {
      delete server.config._info.capabilities.screen_cases_v1;
    },
  });
  const { page, server } = fixture;
  await page.goto(`${server.url}#/pane/%2512`);
  await page.getByRole("button", { name: "More", exact: true }).tap();
  await page.getByRole("button", { name: "Why this status?" }).tap();
  await page.getByText("by agent_a.permission.footer").waitFor();
  expect(await page.getByRole("button", { name: "This is wrong" }).count()).toBe(0);
});
