import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import { calm, clickCalmly, tapCalmly, taps } from "../support/calm.ts";
import { DESK, openFixture } from "../support/fixture-page.ts";
import { limited, parkFleet } from "../support/fixture-parked.ts";
import { KeptMessages } from "../support/fixture-waiting.ts";
import { agentId } from "../support/fixture-work.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";
import { tellsInPassing } from "../support/told.ts";
import { until } from "../support/until.ts";
import { paneHash } from "./scene.ts";

const lab = PageLab.ofFile();
const PANE = "%14";
const OTHER = "%23";

async function open(options: { hash?: string; prepare?: (kept: KeptMessages) => void } = {}) {
  const { hash = paneHash(PANE), prepare } = options;
  const server = lab.server();
  const kept = new KeptMessages(server);
  prepare?.(kept);
  const { page } = await openFixture(lab, { server, hash: paneHash(PANE) });
  if (hash !== paneHash(PANE)) await page.goto(`${server.url}${hash}`);
  return { server, page, kept };
}

const dock = (page: Page) => page.getByRole("region", { name: "Messages that wait" });
const rows = (page: Page) => dock(page).getByRole("listitem").locator("p").allTextContents();

async function write(page: Page, text: string): Promise<void> {
  await page.locator("[data-composer]").fill(text);
  await tapCalmly(page.getByRole("button", { name: "Add to what it sends when it is free" }));
}

test("messages for a working agent are queued, moved, edited, deleted and sent now", async () => {
  const { server, page, kept } = await open();
  await dock(page).getByText("Working").waitFor();
  for (const text of ["first", "second"]) {
    await write(page, text);
    await becomes(() => kept.texts(PANE).includes(text), true);
    await becomes(() => page.locator("[data-composer]").inputValue(), "");
  }
  await becomes(() => rows(page), ["first", "second"]);
  const up = (place: number) => page.getByRole("button", { name: `Move up, ${place} of 2` });
  expect(await up(1).isDisabled()).toBe(true);
  await tapCalmly(up(2));
  await becomes(() => rows(page), ["second", "first"]);

  const more = page.getByRole("button", { name: "Edit, delete, send now" });
  await tapCalmly(more.nth(1));
  await page.getByRole("button", { name: "Edit", exact: true }).tap();
  await page.getByRole("textbox", { name: "Message", exact: true }).fill("the first");
  await tapCalmly(page.getByRole("button", { name: "Save" }));
  await becomes(() => rows(page), ["second", "the first"]);
  await tapCalmly(page.getByRole("button", { name: "Send now", exact: true }));
  await becomes(() => rows(page), ["second"]);
  await tapCalmly(more);
  await page.getByRole("button", { name: "Delete", exact: true }).tap();
  await becomes(() => kept.texts(PANE), []);
  await becomes(() => rows(page), []);
  const done = server.asked("/api/queue", "POST").map(({ body }) => body["operation"]);
  expect(done).toEqual(["add", "add", "move", "edit", "send", "delete"]);
  expect(server.actions).toEqual([]);
});

test("an edit of a queued message survives a reload and the end of the message", async () => {
  const { server, page, kept } = await open({ prepare: (kept) => kept.keep(PANE, ["run it"]) });
  await taps(page, "Edit, delete, send now", "Edit");
  const field = page.getByRole("textbox", { name: "Message", exact: true });
  await field.fill("run it, but not on main");
  await page.reload();
  await becomes(() => field.inputValue(), "run it, but not on main");
  expect(await page.getByRole("button", { name: "Save" }).isEnabled()).toBe(true);
  kept.keep(PANE, []);
  server.change(PANE, { queued: null });
  await page.getByRole("alert").getByText("Your words are here").waitFor();
  expect(await page.locator("[data-composer]").inputValue()).toBe("run it, but not on main");
});

it("the queue shows what it waits for; lost messages are listed and discarded", async () => {
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
  server.refuse("POST /api/queue", { reason: "the disk is full", code: "" });
  await tapCalmly(page.getByRole("button", { name: "Discard" }));
  await page.getByText("Not changed: the disk is full").waitFor();
  server.takes();
  await tapCalmly(page.getByRole("button", { name: "Discard" }));
  await becomes(() => page.getByText("2 messages were not sent").count(), 0);
  await becomes(() => kept.texts(PANE), []);
});

test("a text that the queue refuses stays in the composer with the reason", async () => {
  const { server, page, kept } = await open({ prepare: (messages) => messages.withAgents() });
  await page.goto(`${server.url}#/agent/${agentId("query-planner")}/chat`);
  server.refuse("POST /api/queue", { reason: "20 messages wait already", code: "queue_full" });
  await write(page, "one more");
  await page.getByText("Not changed: 20 messages wait already").waitFor();
  expect(await page.locator("[data-composer]").inputValue()).toBe("one more");
  server.takes();
  await tapCalmly(page.getByRole("button", { name: "Add to what it sends when it is free" }));
  await becomes(() => rows(page), ["one more"]);
  await becomes(() => page.locator("[data-composer]").inputValue(), "");
  expect(kept.texts(PANE)).toEqual(["one more"]);
  // The note on one that may not be queued goes once it was sent.
  server.lose("POST /api/queue");
  await write(page, "another");
  const note = page.getByText("Nobody said whether this arrived");
  await note.waitFor();
  server.takes();
  server.change(PANE, { status: "idle", queued: null });
  await tapCalmly(page.getByRole("button", { name: "Send", exact: true }));
  await becomes(() => page.locator("[data-composer]").inputValue(), "");
  await becomes(() => server.actions.map(({ body }) => body["text"]), ["another"]);
  await becomes(() => note.count(), 0);
});

test("text typed while an edit is being saved is kept", async () => {
  const { server, page, kept } = await open({
    prepare: (messages) => messages.keep(PANE, ["run it", "and that"]),
  });
  const row = (place: number) => dock(page).getByRole("listitem").nth(place);
  const field = (place: number) => row(place).getByRole("textbox", { name: "Message" });
  const edit = async (place: number) => {
    await row(place).getByRole("button", { name: "Edit, delete, send now" }).tap();
    await row(place).getByRole("button", { name: "Edit", exact: true }).tap();
    await field(place).waitFor();
  };
  await edit(0);
  await field(0).fill("run it once");
  const late = Promise.withResolvers<null>();
  server.hook = ({ method, path, body }) => {
    if (method !== "POST" || path !== "/api/queue") return undefined;
    server.takes();
    const list = { ok: true, list: null };
    kept.keep(PANE, [String(body["text"]), "and that"]);
    return late.promise.then(() => Response.json(list));
  };
  await tapCalmly(row(0).getByRole("button", { name: "Save" }));
  await becomes(() => kept.texts(PANE), ["run it once", "and that"]);
  await field(0).fill("run it once, later");
  await edit(1);
  await field(1).fill("and that too");
  const replied = page.waitForResponse(/api\/queue$/);
  late.resolve(null);
  await replied;
  await calm(page);
  expect(await field(0).inputValue()).toBe("run it once, later");
  expect(await field(1).inputValue()).toBe("and that too");
});

test("Stop asks the server once, shows the outcome or the refusal, and can be repeated", async () => {
  const { server, page } = await open();
  const stop = dock(page).getByRole("button", { name: "Stop" });
  await stop.waitFor();
  await calm(page);
  await tellsInPassing(page, "Stopped", () => stop.tap());
  expect(server.asked("/api/stop", "POST").map(({ body }) => body["id"])).toEqual([PANE]);
  expect(server.actions).toEqual([]);
  // An agent that goes on working can be stopped again, by the key too.
  server.replies["/api/stop"] = () => ({ ok: true });
  await page.goto(`${server.url}${paneHash(OTHER)}`);
  await dock(page).getByRole("button", { name: "Stop" }).waitFor();
  await calm(page);
  await tellsInPassing(page, "Stopping", () => page.keyboard.press("Control+."));
  await dock(page).getByText("Still working").waitFor();
  await dock(page).getByRole("button", { name: "Stop again" }).waitFor();
  // Its pane takes nothing else until the reply has come.
  const replied = page.waitForResponse(/\/api\/stop$/);
  await page.keyboard.press("Control+.");
  await replied;
  expect(server.asked("/api/stop", "POST")).toHaveLength(3);
  // A refused one shows the reason, and an idle pane's menu does not offer it.
  for (const [code, reason, words] of [
    ["pane_unreadable", `cannot read pane ${OTHER}`, "Its screen could not be read."],
    ["not_working", "it does not work any more", "it does not work any more"],
  ] as const) {
    server.refuse("/api/stop", { reason, code });
    await page.getByRole("button", { name: "More", exact: true }).tap();
    const stop = page.getByRole("dialog").getByRole("button", { name: "Stop" });
    await tellsInPassing(page, `Not stopped: ${words}`, () => stop.tap());
  }
  server.change(OTHER, { status: "idle" });
  await page.getByRole("button", { name: "More", exact: true }).tap();
  const menu = page.getByRole("dialog");
  await menu.getByRole("button", { name: "Rename" }).waitFor();
  await menu.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
});

test("a phone on its side shows beside the terminal what waits to be sent, the limit and Stop, and that its pane is gone", async () => {
  const { server, page } = await open({ prepare: (kept) => kept.keep(PANE, ["first"]) });
  // One column, two, and three of which the last is closed.
  for (const [width, keys] of [
    [740, ""],
    [844, ""],
    [1280, "]"],
  ] as const) {
    await page.setViewportSize({ width, height: 390 });
    for (const key of keys) await page.keyboard.press(key);
    await becomes(() => rows(page), ["first"]);
    await dock(page).getByRole("button", { name: "Stop" }).waitFor();
    server.change(PANE, limited("5-hour limit", FREE_AT));
    await page.getByRole("heading", { name: "Parked: 5-hour limit" }).waitFor();
    server.change(PANE, { status: "working", parked: null, evidence: [] });
  }
  server.panes = server.panes.filter(({ id }) => id !== PANE);
  server.pass();
  await page.getByText("This pane is gone").waitFor();
});

test("a message to an agent that asks is queued, and the prompt stays", async () => {
  const { server, page, kept } = await open({
    hash: `#/agent/${agentId("list-endpoints")}/chat`,
    prepare: (messages) => messages.withAgents(),
  });
  const field = page.getByRole("textbox", { name: "Message list-endpoints" });
  await becomes(() => field.getAttribute("placeholder"), "Sends when it is free");
  await write(page, "Run the limiter test there.");
  await becomes(() => kept.texts("%15"), ["Run the limiter test there."]);
  await page.getByRole("option", { name: "Cursor" }).waitFor();
  await becomes(() => field.getAttribute("placeholder"), "Add a message");
  expect([server.asked("/api/text", "POST"), server.actions]).toEqual([[], []]);
});

it("the placeholder says whether a text is a message, an answer or typed into a shell", async () => {
  const { server, page } = await open({ hash: paneHash("%16") });
  const placeholder = () => page.locator("[data-composer]").getAttribute("placeholder");
  await becomes(placeholder, "Message rate-limits");
  server.change("%16", { status: "needs_input", question: "Name of the branch?", menu: [] });
  await becomes(placeholder, "Your answer");
  server.change("%16", { status: "idle", question: null, kind: "shell", agent: null });
  await becomes(placeholder, "Type into rate-limits");
});

/** In the future of the page's clock. */
const FREE_AT = Math.floor(Date.now() / 1000) + 2 * 3600;

test("panes parked by one limit are one group; Continue then is switched on and off", async () => {
  const { server, page } = await openFixture(lab, {
    prepare: (fixture) => {
      parkFleet(fixture);
      for (const id of ["%14", "%35"]) fixture.change(id, limited("5-hour limit", FREE_AT));
    },
  });
  const group = page.locator(".parked-group", { hasText: "query-planner" });
  await group.waitFor();
  expect(await group.locator("h3").textContent()).toStartWith("Parked, free");
  expect(await group.getByRole("listitem").count()).toBe(2);
  await group.getByRole("link", { name: "query-planner" }).tap();
  const box = page.locator(".parked-box");
  await box.getByRole("heading", { name: "Parked: 5-hour limit" }).waitFor();
  const toggle = box.getByRole("switch", { name: "Continue then" });
  expect(await toggle.getAttribute("aria-checked")).toBe("false");
  await tapCalmly(toggle);
  await becomes(() => toggle.getAttribute("aria-checked"), "true");
  const asked = () => server.asked("/api/continue");
  expect(asked().map(({ body }) => body)).toEqual([
    { id: "%14", on: true, until: FREE_AT, text: "continue" },
  ]);
  await tapCalmly(toggle);
  await becomes(() => toggle.getAttribute("aria-checked"), "false");
  expect(asked().at(-1)?.body).toEqual({ id: "%14", on: false });
  expect(server.actions).toEqual([]);
});

test("the outcome of Continue then is shown, and so is a refusal", async () => {
  const { server, page } = await openFixture(lab, {
    viewport: DESK,
    prepare: (fixture) => {
      fixture.change("%14", limited("5-hour limit", FREE_AT));
      const reason = "it tells another time now";
      fixture.refuse("/api/continue", { reason, code: "reset_changed" });
    },
  });
  await page.goto(`${server.url}#/pane/${encodeURIComponent("%14")}`);
  const box = page.locator(".inspector .parked-box");
  const toggle = box.getByRole("switch", { name: "Continue then" });
  await clickCalmly(toggle);
  await page.getByText("Not changed: it tells another time now").first().waitFor();
  expect(await toggle.getAttribute("aria-checked")).toBe("false");
  const at = Math.floor(Date.now() / 1000);
  const fate = { state: "not_sent", at, text: "continue" } as const;
  server.change("%14", { continue_then: { ...fate, reason: "its screen had changed" } });
  await box.getByText("Not continued: its screen had changed").waitFor();
  const sent = { state: "sent", at, text: "continue", reason: null } as const;
  server.change("%14", { status: "working", evidence: [], parked: null, continue_then: sent });
  await box.getByText("Continued at").waitFor();
  await until(async () => (await box.getByRole("heading").count()) === 0);
});
