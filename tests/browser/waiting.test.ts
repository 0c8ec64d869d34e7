import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import { calm } from "../support/calm.ts";
import { DESK, openFixture } from "../support/fixture-page.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { KeptMessages } from "../support/fixture-waiting.ts";
import { idOf } from "../support/fixture-work.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";
import { paneHash } from "./scene.ts";

const lab = PageLab.ofFile();
const PANE = "%14";
const OTHER = "%23";

async function open(
  options: { viewport?: typeof DESK; hash?: string; prepare?: (kept: KeptMessages) => void } = {},
) {
  let kept: KeptMessages | null = null;
  const { viewport, hash = paneHash(PANE), prepare } = options;
  const { server, page } = await openFixture(lab, {
    ...(viewport === undefined ? {} : { viewport }),
    prepare: (fixture) => {
      kept = new KeptMessages(fixture);
      prepare?.(kept);
    },
  });
  await page.goto(`${server.url}${hash}`);
  if (kept === null) throw new Error("not prepared");
  return { server, page, kept: kept as KeptMessages };
}

const dock = (page: Page) => page.getByRole("region", { name: "Messages that wait" });
const rows = (page: Page) => dock(page).getByRole("listitem").locator("p").allTextContents();
const asked = (server: FixtureServer, path: string) =>
  server.requests.filter((one) => one.path === path && one.method === "POST");

async function write(page: Page, text: string): Promise<void> {
  await page.locator("[data-composer]").fill(text);
  await calm(page);
  await page.getByRole("button", { name: "Add to what it sends when it is free" }).tap();
}

test("what is written to an agent that works waits in order, is moved, changed, deleted and sent now", async () => {
  const { server, page, kept } = await open();
  await dock(page).getByText("Working").waitFor();
  for (const text of ["first", "second", "third"]) {
    await write(page, text);
    await becomes(() => kept.texts(PANE).includes(text), true);
    await becomes(() => page.locator("[data-composer]").inputValue(), "");
  }
  await becomes(() => rows(page), ["first", "second", "third"]);
  const up = (place: number) => page.getByRole("button", { name: `Move up, ${place} of 3` });
  expect(await up(1).isDisabled()).toBe(true);
  await calm(page);
  await up(3).tap();
  await becomes(() => rows(page), ["first", "third", "second"]);
  await calm(page);
  await up(2).tap();
  await becomes(() => rows(page), ["third", "first", "second"]);

  const more = page.getByRole("button", { name: "Edit, delete, send now" });
  await calm(page);
  await more.nth(1).tap();
  await page.getByRole("button", { name: "Edit", exact: true }).tap();
  await page.getByRole("textbox", { name: "Message", exact: true }).fill("the first");
  await calm(page);
  await page.getByRole("button", { name: "Save" }).tap();
  await becomes(() => rows(page), ["third", "the first", "second"]);
  await calm(page);
  await page.getByRole("button", { name: "Send now", exact: true }).tap();
  await becomes(() => rows(page), ["third", "second"]);
  await calm(page);
  await more.nth(1).tap();
  await page.getByRole("button", { name: "Delete", exact: true }).tap();
  await becomes(() => rows(page), ["third"]);
  const done = asked(server, "/api/queue").map(({ body }) => body["operation"]);
  expect(done).toEqual(["add", "add", "add", "move", "move", "edit", "send", "delete"]);
  expect(server.actions).toEqual([]);
});

test("words that change a message are not lost when it leaves, nor when its row is folded", async () => {
  const { server, page, kept } = await open({ prepare: (kept) => kept.keep(PANE, ["run it"]) });
  await page.getByRole("button", { name: "Edit, delete, send now" }).tap();
  await page.getByRole("button", { name: "Edit", exact: true }).tap();
  const field = page.getByRole("textbox", { name: "Message", exact: true });
  await field.fill("run it, but not on main");
  await page.getByRole("button", { name: "Fold" }).tap();
  expect(await field.inputValue()).toBe("run it, but not on main");
  kept.keep(PANE, []);
  server.change(PANE, { queued: null });
  await page.getByRole("alert").getByText("Your words are here").waitFor();
  expect(await page.locator("[data-composer]").inputValue()).toBe("run it, but not on main");
});

it("what the list waits for is said, and what is lost can be copied and put away", async () => {
  const { server, page, kept } = await open({
    prepare: (messages) => messages.keep(PANE, ["first", "second"]),
  });
  kept.hold(PANE, "typed");
  await dock(page).getByText("Something is typed into its input line").waitFor();
  kept.keep(PANE, ["first", "second"], { lost: "other_program" });
  const notice = dock(page).getByText("2 messages were not sent");
  await notice.waitFor();
  await dock(page).getByText("query-planner: another program runs in its pane now").waitFor();
  await page.goto(`${server.url}#/active`);
  await page.getByText("2 messages were not sent").waitFor();
  await calm(page);
  await page.getByRole("button", { name: "Discard" }).tap();
  await becomes(() => page.getByText("2 messages were not sent").count(), 0);
  expect(kept.texts(PANE)).toEqual([]);
});

test("a text that is not taken stays in the field of the chat, with the reason; one that is waits", async () => {
  const { server, page, kept } = await open({ prepare: (messages) => messages.withAgents() });
  await page.goto(`${server.url}#/agent/${idOf("agent", "query-planner")}/chat`);
  server.hook = ({ path, method }) =>
    path === "/api/queue" && method === "POST"
      ? Response.json(
          { detail: { reason: "20 messages wait already", code: "queue_full" } },
          { status: 409 },
        )
      : undefined;
  await write(page, "one more");
  await page.getByText("Not changed: 20 messages wait already").waitFor();
  expect(await page.locator("[data-composer]").inputValue()).toBe("one more");
  server.hook = () => undefined;
  await calm(page);
  await page.getByRole("button", { name: "Add to what it sends when it is free" }).tap();
  await becomes(() => rows(page), ["one more"]);
  await becomes(() => page.locator("[data-composer]").inputValue(), "");
  expect(kept.texts(PANE)).toEqual(["one more"]);
});

test("Stop sends one Esc and says what becomes of it", async () => {
  const { server, page } = await open();
  const stop = dock(page).getByRole("button", { name: "Stop" });
  await stop.waitFor();
  await calm(page);
  await stop.tap();
  await dock(page).getByText("Stopped").waitFor();
  expect(asked(server, "/api/stop").map(({ body }) => body["id"])).toEqual([PANE]);
  expect(server.actions).toEqual([]);
  // One that goes on working says so, and can be stopped again, by the key too.
  server.replies["/api/stop"] = () => ({ ok: true });
  await page.goto(`${server.url}${paneHash(OTHER)}`);
  await dock(page).getByRole("button", { name: "Stop" }).waitFor();
  await calm(page);
  await page.keyboard.press("Control+.");
  await dock(page).getByText("Stopping").waitFor();
  await dock(page).getByText("Still working").waitFor();
  await dock(page).getByRole("button", { name: "Stop again" }).waitFor();
  await page.keyboard.press("Control+.");
  await becomes(() => asked(server, "/api/stop").length, 3);
});

test("what asks meanwhile is not stopped, and the menu of its pane offers it no more", async () => {
  const { server, page } = await open();
  server.replies["/api/stop"] = () => ({ ok: true });
  server.hook = ({ path }) =>
    path === "/api/stop"
      ? Response.json(
          { detail: { reason: "it does not work any more", code: "not_working" } },
          { status: 409 },
        )
      : undefined;
  await calm(page);
  await page.getByRole("button", { name: "More", exact: true }).tap();
  await page.getByRole("dialog").getByRole("button", { name: "Stop" }).tap();
  await dock(page).getByText("Not stopped: it does not work any more").waitFor();
  server.change(PANE, { status: "idle" });
  await page.getByRole("button", { name: "More", exact: true }).tap();
  const menu = page.getByRole("dialog");
  await menu.getByRole("button", { name: "Rename" }).waitFor();
  await menu.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
});

/** The chat of a session, with the field below it. */
async function openChat(title: string, viewport?: typeof DESK) {
  const opened = await open({
    ...(viewport === undefined ? {} : { viewport }),
    hash: `#/agent/${idOf("agent", title)}/chat`,
    prepare: (messages) => messages.withAgents(),
  });
  const field = opened.page.getByRole("textbox", { name: `Message ${title}` });
  await field.waitFor();
  return { ...opened, field };
}

test("what is written while it asks waits in its list, and its question stays", async () => {
  const { server, page, kept, field } = await openChat("list-endpoints");
  expect(await field.getAttribute("placeholder")).toBe("Sends when it is free");
  await write(page, "Run the limiter test there.");
  await becomes(() => kept.texts("%15"), ["Run the limiter test there."]);
  await page.getByRole("option", { name: "Cursor" }).waitFor();
  await becomes(() => field.getAttribute("placeholder"), "Add a message");
  expect([asked(server, "/api/text"), server.actions]).toEqual([[], []]);
});

it("the field says what becomes of a text: an answer, or typed into a shell", async () => {
  const { server, page } = await open({ hash: paneHash("%16") });
  const placeholder = () => page.locator("[data-composer]").getAttribute("placeholder");
  await becomes(placeholder, "Message rate-limits");
  server.change("%16", { status: "needs_input", question: "Name of the branch?", menu: [] });
  await becomes(placeholder, "Your answer");
  server.change("%16", { status: "idle", question: null, kind: "shell", agent: null });
  await becomes(placeholder, "Type into rate-limits");
});

it("by keyboard alone, where Enter ends a line and Mod+Enter sends", async () => {
  const { server, page, field } = await openChat("rate-limits", DESK);
  await field.focus();
  await page.keyboard.type("First");
  await page.keyboard.press("Enter");
  await page.keyboard.type("second");
  expect(await field.inputValue()).toBe("First\nsecond");
  await calm(page);
  await page.keyboard.press("ControlOrMeta+Enter");
  await becomes(
    () => asked(server, "/api/text").map(({ body }) => body["text"]),
    ["First\nsecond"],
  );
});
