import { beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { PHONE } from "../support/browser.ts";
import { calm, tapCalmly, taps } from "../support/calm.ts";
import { watchCopied } from "../support/copied.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { PageLab } from "../support/page-lab.ts";
import { PageTime } from "../support/page-time.ts";
import { rare as it } from "../support/thorough.ts";
import { tellsInPassing } from "../support/told.ts";
import { until } from "../support/until.ts";

const lab = PageLab.ofFile();
let server: FixtureServer;

beforeEach(() => {
  server = lab.server();
  server.switchWorkspace(true);
});

const open = (hash: string) => lab.open(server.url + hash);

const sessionOf = (title: string) => server.agents.find(title);
const hashOf = (title: string, part = "") => `#/agent/${sessionOf(title).id}${part}`;
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).last();
const radio = (page: Page, name: string) => page.getByRole("radio", { name });
const more = (page: Page) => page.getByRole("button", { name: "More", exact: true }).click();
const hashIs = (page: Page, hash: string) => page.waitForFunction((h) => location.hash === h, hash);
const tab = (page: Page, name: RegExp) =>
  page.getByRole("navigation", { name: "Page" }).getByRole("link", { name });
const chosenTab = (page: Page) =>
  page.getByRole("navigation", { name: "Page" }).locator("[aria-current]").innerText();
const chat = (page: Page) => page.getByRole("region", { name: "Chat" });

describe("the page of a pane and its agent", () => {
  test("opens at its chat, keeps the draft on its screen, and Back leads to the list", async () => {
    const page = await open("#/active");
    await page.getByRole("link", { name: /query-planner/ }).tap();
    await hashIs(page, "#/pane/%2514/chat");
    await chat(page).getByText("The index alone brings most of it").waitFor();
    await page.getByRole("textbox", { name: /Message/ }).fill("half a thought");
    await tab(page, /Screen/).tap();
    await hashIs(page, "#/pane/%2514");
    await page.locator('[data-terminal="%14"]').waitFor();
    expect(await page.getByRole("textbox", { name: /Message/ }).inputValue()).toBe(
      "half a thought",
    );
    await page.getByRole("toolbar", { name: "Keys" }).waitFor();
    await tab(page, /Chat/).tap();
    await page.getByRole("toolbar", { name: "Keys" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: /Back/ }).tap();
    await hashIs(page, "#/active");
  });

  test("has a chat as soon as a workspace that was starting is on", async () => {
    const { _info, ...live } = server.config;
    const agent_context_v1 = { ..._info.capabilities.agent_context_v1, enabled: false };
    const capabilities = { ..._info.capabilities, agent_context_v1 };
    server.replies["/api/config"] = () => ({
      ...{ ...live, experimental_agent_workspace_enabled: true },
      _info: { ..._info, capabilities },
    });
    const page = await open("#/pane/%2514/chat");
    await page.getByRole("status", { name: "Loading" }).waitFor();
    const words = chat(page).getByText("The index alone brings most of it");
    expect(await words.count()).toBe(0);
    delete server.replies["/api/config"];
    await words.waitFor();
  });

  it("opens by its earlier addresses, and has no chat where its agent is ambiguous or the workspace is off", async () => {
    const page = await open(hashOf("query-planner", "/decisions"));
    await hashIs(page, "#/pane/%2514/chat");
    await page.getByRole("button", { name: "Decisions", pressed: true }).tap();
    await page.getByRole("button", { name: "All", exact: true, pressed: true }).waitFor();
    await page.goto(`${server.url}#/pane/%2514/context`);
    await hashIs(page, "#/pane/%2514/context");
    expect(await chosenTab(page)).toContain("Chat");
    server.agents.makeAmbiguous("query-planner", ["%14"]);
    await page.locator('[data-terminal="%14"]').waitFor();
    await page.goto(`${server.url}#/pane/%2514/chat`);
    await hashIs(page, "#/pane/%2514");
    expect(await page.getByRole("link", { name: "Chat" }).count()).toBe(0);
    server.switchWorkspace(false);
    await page.goto(`${server.url}#/pane/%2515/context`);
    await hashIs(page, "#/pane/%2515");
    await page.locator('[data-terminal="%15"]').waitFor();
    expect(await page.getByRole("link", { name: "Chat" }).count()).toBe(0);
  });

  test("is answered from its chat with the prompt of its screen", async () => {
    const page = await open(`#/agent/${sessionOf("list-endpoints").id}`);
    await chat(page).waitFor();
    const option = page.getByRole("option", { name: /Cursor/ });
    await option.waitFor();
    // However long the evidence is, the answers stand above the composer.
    const evidence = Array.from({ length: 40 }, (_, i) => ` ${i} +  const line = ${i};`);
    server.change("%15", { evidence });
    await page.getByText("const line = 1;").waitFor();
    await page.getByRole("button", { name: /^\d+ more lines$/ }).waitFor();
    await calm(page);
    const last = await page.getByRole("option").last().boundingBox();
    const composer = await page.locator("[data-composer]").boundingBox();
    expect((last?.y ?? 844) + (last?.height ?? 0)).toBeLessThan(composer?.y ?? 0);
    await option.tap();
    await until(() => server.asked("/select").length === 1);
    expect(server.asked("/select")[0]?.body).toMatchObject({ id: "%15" });
  });

  it("lists in its details what is known of the work and what is not", async () => {
    const { context } = server.agents.find("query-planner");
    server.agents.changeAgent("query-planner", { context: { ...context, goal: null } });
    const page = await open("#/pane/%2514/chat");
    await chat(page).waitFor();
    await taps(page, "More", /details$/);
    const sheet = page.getByRole("dialog");
    await sheet.getByText("Not known yet").first().waitFor();
    await sheet.getByText("Read from its log").waitFor();
    server.agents.changeAgent("query-planner", { context: { ...context, goal: "A new goal" } });
    // What is marked comes with the cards, in the frame of this name.
    server.change("%14", { name: "planner" });
    await page.getByText("planner", { exact: true }).first().waitFor();
    await sheet.getByText("A new goal").waitFor();
    await tapCalmly(sheet.getByRole("button", { name: "Reviewed" }));
    const put = await until(() => server.asked("/review", "PUT")[0]);
    expect(put.body).toEqual({ snapshot_id: server.agents.snapshotOf("query-planner") });
  });

  it("that fails to load is loaded by Retry", async () => {
    server.hook = ({ path }) =>
      /review|agents/.test(path) ? new Response("bad gateway", { status: 502 }) : undefined;
    const { page } = await lab.page(PHONE, { isTimed: true });
    const time = await PageTime.of(page);
    await page.goto(`${server.url}#/pane/%2514/chat`);
    await page.getByText("This agent could not be loaded").waitFor();
    await page.getByRole("heading", { name: "query-planner" }).waitFor();
    // The page retries once when its socket opens; the error that is left is for Retry.
    await time.stop();
    await time.pass(500);
    server.takes();
    await page.getByRole("button", { name: "Retry" }).tap();
    await time.goOn();
    await chat(page).getByText("The index alone brings most of it").waitFor();
  });
});

it("a session that is in no pane opens from its card, and Back leads to the queue; an unknown id says so", async () => {
  const page = await open("#/queue");
  await page.getByRole("button", { name: /invoice-export/ }).tap();
  await page.getByRole("heading", { name: "invoice-export" }).waitFor();
  await hashIs(page, `#/agent/${sessionOf("invoice-export").id}`);
  await chat(page).getByText("PDF totals match the ledger").first().waitFor();
  await page.getByText("No pane is known for it").waitFor();
  expect(await page.getByRole("textbox").count()).toBe(0);
  await page.getByRole("button", { name: "Back" }).tap();
  await page.getByRole("article", { name: "invoice-export" }).waitFor();
  await hashIs(page, "#/queue");
  await page.goto(`${server.url}#/agent/11111111-1111-4111-8111-111111111111`);
  await page.getByText("No such agent").waitFor();
  // It stands below all panes, is searched with them, and goes when the workspace is off.
  const none = { association: "unavailable", pane_id: null, target: null } as const;
  server.agents.changeAgent("css-audit", { ...none, lifecycle: "offline" });
  await page.goto(`${server.url}#/all`);
  await page.getByRole("heading", { name: /^Ended/ }).waitFor();
  await page.getByRole("heading", { name: /^Pane not known/ }).waitFor();
  expect(await page.getByRole("link", { name: /query-planner/ }).count()).toBe(1);
  await page.getByRole("searchbox").fill("styles nothing uses");
  await page.getByRole("link", { name: /css-audit/ }).waitFor();
  await page.getByRole("heading", { name: /^Pane not known/ }).waitFor({ state: "detached" });
  server.switchWorkspace(false);
  await page.getByRole("heading", { name: /^Ended/ }).waitFor({ state: "detached" });
});

it("the agent workspace is introduced once, and shows why it cannot run", async () => {
  server.switchWorkspace(false);
  const page = await open("#/active");
  await page.getByRole("button", { name: "Not now" }).tap();
  await page.reload();
  await page.getByText("integration-tests").first().waitFor();
  await page.getByText("Live", { exact: true }).first().waitFor();
  expect(await page.getByRole("button", { name: "What it reads" }).count()).toBe(0);
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await page.getByRole("button", { name: "What it reads" }).tap();
  await page.getByText("It never writes there").waitFor();
  expect(server.config.experimental_agent_workspace_enabled).toBe(false);
  await page.getByRole("switch", { name: "Read agent sessions" }).tap();
  await until(() => server.config.experimental_agent_workspace_enabled);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "What it reads" }).waitFor({ state: "detached" });

  server.switchWorkspace(false);
  server.config._info.capabilities.agent_context_v1.degraded_reason = "disk is full";
  await page.reload();
  await taps(page, "Settings", /^Agent workspace/);
  await page.getByText("disk is full").waitFor();
  expect(await page.getByRole("switch", { name: "Read agent sessions" }).count()).toBe(0);
});

describe("a session whose pane is ambiguous", () => {
  beforeEach(() => {
    server.agents.makeAmbiguous("query-planner", ["%14", "%16"]);
  });

  test("is bound to the chosen pane under the revision that was shown, and asked again where it changed", async () => {
    const page = await open(hashOf("query-planner"));
    await button(page, "Choose the pane").tap();
    await page.getByText("The index alone brings most of it").last().waitFor();
    await page.getByText("Rewriting the join order for").waitFor();
    expect(await page.getByRole("radio", { checked: true }).count()).toBe(0);
    expect(await button(page, "Choose a pane").isDisabled()).toBe(true);
    await radio(page, "query-planner").tap();
    expect(server.asked("/binding", "PUT")).toEqual([]);
    // It changes while the choice is on its way, and the event of that is held back.
    server.hook = ({ method, path }) => {
      if (method !== "PUT" || !path.endsWith("/binding")) return undefined;
      server.takes();
      const { publish } = server.agents;
      server.agents.publish = () => {};
      server.agents.makeAmbiguous("query-planner", ["%14", "%15"]);
      server.agents.publish = publish;
      return undefined;
    };
    await button(page, "It is query-planner").tap();
    await page.getByText("Not chosen: stale binding revision").waitFor();
    await radio(page, "list-endpoints").waitFor();
    expect(await page.getByRole("radio", { checked: true }).count()).toBe(0);
    expect(await button(page, "Choose a pane").isDisabled()).toBe(true);
    await radio(page, "query-planner").tap();
    const choose = () => button(page, "It is query-planner").tap();
    await tellsInPassing(page, "It is query-planner from now on.", choose);
    expect(server.asked("/binding", "PUT").map(({ body }) => body)).toEqual([
      { pane_id: "%14", expected_binding_revision: 2 },
      { pane_id: "%14", expected_binding_revision: 3 },
    ]);
    await hashIs(page, "#/pane/%2514/chat");
  });

  test("keeps the open search of its chat once its pane is found", async () => {
    const page = await open(hashOf("query-planner"));
    await button(page, "Search what was said").tap();
    const focused = page
      .getByRole("searchbox", { name: "Search what was said" })
      .and(page.locator(":focus"));
    await focused.waitFor();
    const found = { association: "confirmed", pane_id: "%14" } as const;
    server.agents.changeAgent("query-planner", { ...found, binding_candidates: [] });
    await hashIs(page, "#/pane/%2514/chat");
    await focused.waitFor();
    await page.keyboard.type("join");
    expect(await focused.inputValue()).toBe("join");
    await button(page, "Done").tap();
    await button(page, "Search what was said").waitFor();
  });

  it("says so when a candidate is gone and when its pane has been found meanwhile", async () => {
    const page = await open(hashOf("query-planner"));
    await button(page, "Choose the pane").tap();
    await radio(page, "query-planner").tap();
    server.panes = server.panes.filter(({ id }) => id !== "%16");
    server.pass();
    await page.getByText("Its screen is not known here.").waitFor();
    const found = { association: "confirmed", pane_id: "%14", binding_candidates: [] } as const;
    server.agents.changeAgent("query-planner", { ...found, binding_candidates: [] });
    await page.getByText("Its pane has been found meanwhile.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().tap();
    await hashIs(page, "#/pane/%2514/chat");
  });
});

it("a pane is unlinked unless something changed meanwhile, and can be chosen again", async () => {
  const page = await open(hashOf("query-planner"));
  await more(page);
  const current = sessionOf("query-planner");
  server.refuse("/binding", { message: "stale binding revision", current });
  const unlink = () => button(page, "Unlink this pane").tap();
  await tellsInPassing(page, "Not unlinked: stale binding revision", unlink);
  expect(server.asked("/binding", "DELETE")).toHaveLength(1);
  server.takes();
  await page.reload();
  await more(page);
  await tellsInPassing(page, "Unlinked. You can choose a pane again.", unlink);
  await page.locator('[data-terminal="%14"]').waitFor();
  await page.goto(`${server.url}${hashOf("query-planner")}`);
  await page.getByText("Its pane was unlinked.").waitFor();
  await button(page, "Choose the pane").tap();
  await radio(page, "query-planner").tap();
  await button(page, "It is query-planner").tap();
  await hashIs(page, "#/pane/%2514/chat");
});

test("a history is deleted after a confirmation; without a reply the deletion is not repeated", async () => {
  const page = await open(hashOf("list-endpoints", "/chat"));
  const first = page.getByText("I will look at what there is first.");
  await first.waitFor();
  await more(page);
  await button(page, "Delete what was read").tap();
  await page.getByText("Its open question can only be answered").waitFor();
  expect(server.asked("/history", "DELETE")).toEqual([]);
  server.lose("/history");
  await button(page, "Delete what was read").tap();
  await page.getByText("Nobody knows whether it was deleted").waitFor();
  await button(page, "Keep it").tap();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(server.asked("/history", "DELETE")).toHaveLength(1);
  server.takes();
  await more(page);
  await button(page, "Delete what was read").tap();
  const deleteIt = () => button(page, "Delete what was read").tap();
  await tellsInPassing(page, "Its history is deleted.", deleteIt);
  await first.waitFor({ state: "detached" });
  expect(server.asked("/history", "DELETE")).toHaveLength(2);
  // All histories are deleted in the same way.
  await page.goto(`${server.url}#/all`);
  await page.getByRole("button", { name: "Settings" }).first().click();
  await button(page, /^Agent workspace/).click();
  await button(page, "Delete all that was read").click();
  await page.getByText("It cannot be taken back.").waitFor();
  expect(server.asked("/api/agents", "DELETE")).toEqual([]);
  server.refuse("DELETE /api/agents", "cannot delete what was read", 507);
  await button(page, "Delete all").tap();
  await page.getByText("Not deleted: cannot delete what was read").waitFor();
  // Asked anew, nothing has failed yet.
  await taps(page, "Cancel", "Delete all that was read");
  await page.getByText("It cannot be taken back.").waitFor();
  expect(await page.getByText("Not deleted").count()).toBe(0);
  server.takes();
  const deleteAll = () => button(page, "Delete all").tap();
  await tellsInPassing(page, "All that was read is deleted.", deleteAll);
});

test("an ended session gives the command to resume it, or resumes with a second tap", async () => {
  const { capabilities } = server.config._info;
  const ended = { association: "unavailable", pane_id: null, lifecycle: "offline" } as const;
  server.agents.changeAgent("css-audit", ended);
  const page = await open(hashOf("css-audit"));
  const copied = await watchCopied(page);
  await page.getByText(/^Offline since/).waitFor();
  await tellsInPassing(page, "Copied", () => button(page, "Copy").tap());
  expect(await copied()).toBe(`codex resume ${sessionOf("css-audit").native_session_id}`);

  server.config._info.capabilities = { ...capabilities, session_resume_v1: { version: 1 } };
  const shown = { command: "codex resume x", cwd: "/home/dev/code/web", reason: null };
  let state: object = { ...shown, cwd: null, reason: "its program is not installed" };
  server.hook = ({ method, path }) => {
    if (!path.startsWith("/api/mux/resume")) return undefined;
    if (method === "GET") return Response.json(state);
    return Response.json({ pane_id: "%14", target: "web:4.0" }, { status: 201 });
  };
  await page.reload();
  await button(page, "Resume in a new pane").tap();
  await page.getByText("It cannot be resumed from here: its program is not installed.").waitFor();
  expect(await button(page, "Start it").count()).toBe(0);
  // Nothing was started, so it can be tried again.
  state = shown;
  await button(page, "Resume in a new pane").tap();
  await page.getByText("in a new tmux session, in /home/dev/code/web.").waitFor();
  expect(server.asked("/api/mux/resume", "POST")).toEqual([]);
  await button(page, "Not now").tap();
  await button(page, "Resume in a new pane").tap();
  await tapCalmly(button(page, "Start it"));
  await hashIs(page, "#/pane/%2514");
  expect(server.asked("/api/mux/resume", "POST").map(({ body }) => body)).toEqual([
    { agent_id: sessionOf("css-audit").id },
  ]);
});
