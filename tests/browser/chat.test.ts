import { beforeEach, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { PHONE, type Viewport } from "../support/browser.ts";
import { becomes } from "../support/becomes.ts";
import { calm } from "../support/calm.ts";
import { DESK } from "../support/fixture-page.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { KeptMessages } from "../support/fixture-waiting.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";
import { paneHash } from "./scene.ts";

/** Idle, in an idle pane. */
const AGENT = "rate-limits";
const PANE = "%16";
/** Asks, in its pane. */
const ASKING = "list-endpoints";
const TEXT = "Run the limiter test there.";

const lab = PageLab.ofFile();
let server: FixtureServer;
let kept: KeptMessages;

beforeEach(() => {
  server = lab.server();
  server.switchWorkspace(true);
  kept = new KeptMessages(server);
});

const idOf = (title: string) => server.agents.find(title).work.agent.id;
const chatOf = (title: string) => `${server.url}#/agent/${idOf(title)}/chat`;

async function open(viewport: Viewport = PHONE, title = AGENT): Promise<Page> {
  const { page } = await lab.page(viewport);
  await page.goto(chatOf(title));
  await field(page, title).waitFor();
  return page;
}

const field = (page: Page, title = AGENT) =>
  page.getByRole("textbox", { name: `Message ${title}` });
const texts = () => server.requests.filter(({ path }) => path === "/api/text");

test("one draft stands in the chat and below the screen, and leaves once", async () => {
  const page = await open();
  await field(page).fill(TEXT);
  await page.goto(`${server.url}${paneHash(PANE)}`);
  await becomes(() => field(page).inputValue(), TEXT);
  await page.goto(chatOf(AGENT));
  await becomes(() => field(page).inputValue(), TEXT);
  await calm(page);
  await page.getByRole("button", { name: "Send", exact: true }).tap();
  await becomes(() => field(page).inputValue(), "");
  expect(texts().map(({ body }) => [body["id"], body["text"]])).toEqual([[PANE, TEXT]]);
});

test("what is written while it asks waits in its list, and its question stays", async () => {
  const page = await open(PHONE, ASKING);
  const pane = server.agents.find(ASKING).work.agent.pane_id ?? "";
  expect(await field(page, ASKING).getAttribute("placeholder")).toBe("Sends when it is free");
  await field(page, ASKING).fill(TEXT);
  await calm(page);
  await page.getByRole("button", { name: "Add to what it sends when it is free" }).tap();
  await becomes(() => kept.texts(pane), [TEXT]);
  await page.getByRole("option", { name: "Cursor" }).waitFor();
  await becomes(() => field(page, ASKING).getAttribute("placeholder"), "Add a message");
  expect([texts(), server.actions]).toEqual([[], []]);
});

it("the field says what becomes of a text: an answer, or typed into a shell", async () => {
  const { page } = await lab.page(PHONE);
  const placeholder = () => page.locator("[data-composer]").getAttribute("placeholder");
  await page.goto(`${server.url}${paneHash(PANE)}`);
  await becomes(placeholder, `Message ${AGENT}`);
  server.change(PANE, { status: "needs_input", question: "Name of the branch?", menu: [] });
  await becomes(placeholder, "Your answer");
  server.change(PANE, { status: "idle", question: null, kind: "shell", agent: null });
  await becomes(placeholder, `Type into ${AGENT}`);
});

it("by keyboard alone, where Enter ends a line and Mod+Enter sends", async () => {
  const page = await open(DESK);
  await field(page).focus();
  await page.keyboard.type("First");
  await page.keyboard.press("Enter");
  await page.keyboard.type("second");
  expect(await field(page).inputValue()).toBe("First\nsecond");
  await calm(page);
  await page.keyboard.press("ControlOrMeta+Enter");
  await becomes(() => texts().map(({ body }) => body["text"]), ["First\nsecond"]);
});
