import { expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import { PHONE } from "../support/browser.ts";
import { caseDraft } from "../support/fixture-replies.ts";
import { DESK, openFixture } from "../support/fixture-page.ts";
import { parseCase } from "../support/screens.ts";
import { PageLab } from "../support/page-lab.ts";

const lab = PageLab.ofFile();
const sheet = (page: Page) => page.getByRole("dialog", { name: "This is wrong" });
const save = (page: Page) => sheet(page).getByRole("button", { name: "Save", exact: true });
const blanked = (page: Page) => sheet(page).locator(".wrong-blanked").allInnerTexts();

async function openByTouch(page: Page, url: string, pane = "%12"): Promise<void> {
  await page.goto(`${url}#/pane/${encodeURIComponent(pane)}`);
  await page.getByRole("button", { name: "Why this status?" }).tap();
  await page.getByRole("button", { name: "This is wrong" }).tap();
  await sheet(page).getByText("Saved beside it").waitFor();
}

test("a finger marks words and takes that back; what is saved is what was looked at", async () => {
  const fixture = await openFixture(lab);
  const { page, server } = fixture;
  const asked = (path: string) => server.requests.filter((request) => request.path === path);
  await openByTouch(page, server.url);
  const path = page.locator('[data-word="/home/dev/acme-billing/src/session.ts"]');
  await path.tap();
  await becomes(() => blanked(page), ["x".repeat(37)]);
  await path.tap();
  await becomes(() => blanked(page), []);
  await page.locator('[data-word="acme-billing"]').first().tap();
  // Wherever it stands: in the first line, in two paths, and in what the process was started with.
  await becomes(() => blanked(page), Array(4).fill("x".repeat(12)));
  await page.getByRole("button", { name: "Show “acme-billing” again" }).tap();
  await becomes(() => blanked(page), []);
  await page.locator('[data-word="acme-billing"]').first().tap();
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

test("the keyboard alone marks, saves and leads back, and never leaves the sheet", async () => {
  const fixture = await openFixture(lab, { viewport: DESK });
  const { page, server } = fixture;
  const focusedInSheet = () =>
    page.evaluate(() => document.activeElement?.closest("[role=dialog]") !== null);
  await page.goto(`${server.url}#/pane/%2512`);
  await page.getByRole("button", { name: "Why this status?" }).waitFor();
  await page.getByRole("button", { name: "Why this status?" }).press("Enter");
  await page.getByRole("button", { name: "This is wrong" }).press("Enter");
  await sheet(page).getByText("Saved beside it").waitFor();
  expect(await focusedInSheet()).toBeTrue();
  const word = page.getByRole("combobox", { name: "Word or path" });
  await word.focus();
  await page.keyboard.type("/home/dev/");
  await page.keyboard.press("Enter");
  await becomes(() => blanked(page), Array(3).fill("x".repeat(10)));
  expect(await word.inputValue()).toBe("");
  await page.getByRole("button", { name: "Show “/home/dev/” again" }).press("Enter");
  await becomes(() => blanked(page), []);
  await save(page).press("Enter");
  await page.getByText(/^Saved as /).waitFor();
  await page.getByRole("button", { name: "Back to why" }).press("Enter");
  await page.getByRole("dialog", { name: "Why this status?" }).waitFor();
  expect(await focusedInSheet()).toBeTrue();
});

test("a screen that is held no more is taken again, and what was marked stays marked", async () => {
  const fixture = await openFixture(lab);
  const { page, server } = fixture;
  await openByTouch(page, server.url);
  await page.locator("[data-word=claude]").first().tap();
  server.hook = ({ path }) =>
    path === "/api/cases/save"
      ? Response.json({ detail: { reason: "draft_gone" } }, { status: 409 })
      : undefined;
  await save(page).tap();
  await page.getByText(/holds this screen no more/).waitFor();
  server.hook = () => undefined;
  server.replies["/api/cases"] = () => ({ ...caseDraft(), lines: ["claude asks again"] });
  await page.getByRole("button", { name: "Take the screen again" }).tap();
  await page.locator(".wrong-lines").getByText("asks").waitFor();
  await becomes(() => blanked(page), Array(3).fill("xxxxxx"));
  await save(page).tap();
  await page.getByText(/^Saved as /).waitFor();
});

test("a server that keeps no screens is not asked to", async () => {
  const fixture = await openFixture(lab, {
    prepare: (server) => {
      delete server.config._info.capabilities.screen_cases_v1;
    },
  });
  const { page, server } = fixture;
  await page.goto(`${server.url}#/pane/%2512`);
  await page.getByRole("button", { name: "Why this status?" }).tap();
  await page.getByText("by agent_a.permission.footer").waitFor();
  expect(await page.getByRole("button", { name: "This is wrong" }).count()).toBe(0);
});

test("over the real service: the folder holds the screen without what was marked", async () => {
  const tmux = await lab.tmux();
  const pane = await tmux.open([
    "sh",
    "-c",
    "printf 'Deploy acme-billing to production?\\nacme-billing is live. Continue? [y/N] '; read answer",
  ]);
  const service = await lab.service({ tmux });
  await service.publishes(pane);
  const { page } = await lab.page(PHONE);
  await openByTouch(page, `${service.url}/`, pane);
  await page.locator("[data-word=acme-billing]").first().tap();
  await save(page).tap();
  await page.getByText(/^Saved as /).waitFor();
  const cases = join(service.stateDir, "cases");
  const [name = ""] = await readdir(cases);
  const folder = join(cases, name);
  const files = await readdir(folder);
  expect(files.toSorted()).toEqual(["case.json", "joined.txt", "styled.txt"]);
  const read = (file: string) => readFile(join(folder, file), "utf8");
  for (const file of files) expect(Bun.stripANSI(await read(file))).not.toContain("acme");
  expect(await read("joined.txt")).toContain("xxxxxxxxxxxx is live. Continue? [y/N]");
  expect(parseCase(await read("case.json")).expected.status).toBe("needs_input");
});
