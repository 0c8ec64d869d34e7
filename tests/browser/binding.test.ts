import { beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { watchCopied } from "../support/copied.ts";
import { type Viewport } from "../support/browser.ts";
import { DESK } from "../support/fixture-page.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { calm } from "../support/calm.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";

const lab = PageLab.ofFile();
let server: FixtureServer;

beforeEach(() => {
  server = lab.server();
  server.switchWorkspace(true);
});

const open = (hash: string, viewport?: Viewport) => lab.open(server.url + hash, viewport);

const sessionOf = (title: string) => server.agents.find(title).work.agent;
const hashOf = (title: string, part = "") => `#/agent/${sessionOf(title).id}${part}`;
const said = (method: string, part: string) =>
  server.requests.filter((one) => one.method === method && one.path.endsWith(part));
const hashIs = (page: Page, hash: string) => page.waitForFunction((h) => location.hash === h, hash);
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).last();
const radio = (page: Page, name: string) => page.getByRole("radio", { name });
const more = (page: Page) => page.getByRole("button", { name: "More", exact: true }).click();
/** Of a request that this is said of, until it is taken back. */
const refuse = (method: string, part: string, reply: () => Response) => {
  server.hook = (request) =>
    request.method === method && request.path.endsWith(part) ? reply() : undefined;
};

describe("a session whose pane nobody knows for certain", () => {
  beforeEach(() => {
    server.agents.makeAmbiguous("query-planner", ["%14", "%16"]);
  });

  test("is told its pane under what was drawn, is asked about again where that changed, and never told twice", async () => {
    const page = await open(hashOf("query-planner"));
    await button(page, "Choose the pane").tap();
    await page.getByText("The index alone brings most of it").last().waitFor();
    await page.getByText("Rewriting the join order for").waitFor();
    expect(await page.getByRole("radio", { checked: true }).count()).toBe(0);
    expect(await button(page, "Choose a pane").isDisabled()).toBe(true);
    await radio(page, "query-planner").tap();
    // What it reads before the agents' socket has spoken it reads once more.
    await calm(page);
    expect(said("PUT", "/binding")).toEqual([]);
    // Only the server knows: its event has not come yet.
    const { publish } = server.agents;
    server.agents.publish = () => {};
    server.agents.makeAmbiguous("query-planner", ["%14", "%15"]);
    server.agents.publish = publish;
    await button(page, "It is query-planner").tap();
    await page.getByText("Not chosen: something changed").waitFor();
    await radio(page, "list-endpoints").waitFor();
    expect(await page.getByRole("radio", { checked: true }).count()).toBe(0);
    expect(await button(page, "Choose a pane").isDisabled()).toBe(true);
    await radio(page, "query-planner").tap();
    await button(page, "It is query-planner").tap();
    await page.getByText("It is query-planner from now on.").waitFor();
    expect(said("PUT", "/binding").map(({ body }) => body)).toEqual([
      { pane_id: "%14", expected_binding_revision: 2 },
      { pane_id: "%14", expected_binding_revision: 3 },
    ]);
    await hashIs(page, "#/pane/%2514/chat");
  });

  it("says that a pane is gone, and that another was found meanwhile", async () => {
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

  it("is told its pane by the keyboard alone; Escape tells nothing", async () => {
    const page = await open(hashOf("query-planner"), DESK);
    const choose = button(page, "Choose the pane");
    await choose.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Which pane is it?" });
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(said("PUT", "/binding")).toEqual([]);
    await choose.focus();
    await page.keyboard.press("Enter");
    await dialog.waitFor();
    const isAt = () =>
      page.evaluate(() => document.activeElement?.matches("input[type=radio]") === true);
    for (let tabs = 0; tabs < 6 && !(await isAt()); tabs += 1) await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowDown");
    expect(await radio(page, "rate-limits").isChecked()).toBe(true);
    await page.keyboard.press("ArrowDown");
    expect(await radio(page, "query-planner").isChecked()).toBe(true);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("It is query-planner from now on.").waitFor();
    expect(said("PUT", "/binding")).toHaveLength(1);
  });
});

it("a pane is let go where nothing changed meanwhile, and can be chosen again", async () => {
  const page = await open(hashOf("query-planner"));
  await more(page);
  refuse("DELETE", "/binding", () => {
    const detail = { message: "stale binding revision", current: sessionOf("query-planner") };
    return Response.json({ detail }, { status: 409 });
  });
  await button(page, "Unlink this pane").tap();
  await page.getByText("Not unlinked: something changed").waitFor();
  expect(said("DELETE", "/binding")).toHaveLength(1);
  server.hook = () => undefined;
  await page.reload();
  await more(page);
  await button(page, "Unlink this pane").tap();
  await page.getByText("Unlinked. You can choose a pane again.").waitFor();
  await page.locator('[data-terminal="%14"]').waitFor();
  await page.goto(`${server.url}${hashOf("query-planner")}`);
  await page.getByText("Its pane was unlinked.").waitFor();
  await button(page, "Choose the pane").tap();
  await radio(page, "query-planner").tap();
  await button(page, "It is query-planner").tap();
  await hashIs(page, "#/pane/%2514/chat");
});

test("a history is deleted after a look at what goes; where nobody confirms it, it stays and is not deleted again", async () => {
  const page = await open(hashOf("list-endpoints", "/chat"));
  const first = page.getByText("I will look at what there is first.");
  await first.waitFor();
  await more(page);
  await button(page, "Delete what was read").tap();
  await page.getByText("Its open question can only be answered").waitFor();
  expect(said("DELETE", "/history")).toEqual([]);
  refuse("DELETE", "/history", () => new Response("bad gateway", { status: 502 }));
  await button(page, "Delete what was read").tap();
  await page.getByText("Nobody knows whether it was deleted").waitFor();
  await button(page, "Keep it").tap();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(said("DELETE", "/history")).toHaveLength(1);
  server.hook = () => undefined;
  await more(page);
  await button(page, "Delete what was read").tap();
  await button(page, "Delete what was read").tap();
  await page.getByText("Its history is deleted.").waitFor();
  await first.waitFor({ state: "detached" });
  expect(said("DELETE", "/history")).toHaveLength(2);
});

test("a session that has ended says how to go on, or is started with a second tap where it can be", async () => {
  const { capabilities } = server.config._info;
  const ended = { association: "unavailable", pane_id: null, lifecycle: "offline" } as const;
  server.agents.changeAgent("css-audit", ended);
  const page = await open(hashOf("css-audit"));
  const copied = await watchCopied(page);
  await page.getByText(/^Offline since/).waitFor();
  await button(page, "Copy the command").tap();
  await page.getByText("Copied").waitFor();
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
  state = shown;
  await page.reload();
  await button(page, "Resume in a new pane").tap();
  await page.getByText("in a new tmux session, in /home/dev/code/web.").waitFor();
  expect(said("POST", "/api/mux/resume")).toEqual([]);
  await button(page, "Not now").tap();
  await button(page, "Resume in a new pane").tap();
  await calm(page);
  await button(page, "Start it").tap();
  await hashIs(page, "#/pane/%2514");
  expect(said("POST", "/api/mux/resume").map(({ body }) => body)).toEqual([
    { agent_id: sessionOf("css-audit").id },
  ]);
});

it("what stands about a session closes when the workspace is switched off meanwhile", async () => {
  const page = await open(hashOf("query-planner"));
  await more(page);
  server.switchWorkspace(false);
  await button(page, "Delete what was read").waitFor({ state: "detached" });
  await page.locator('[data-terminal="%14"]').waitFor({ state: "attached" });
});

it("all that was read is deleted after a second word, where the server does not refuse", async () => {
  const page = await open("#/all");
  await page.getByRole("link", { name: /query-planner/ }).waitFor();
  const deletions = () => said("DELETE", "/api/agents");
  await page.getByRole("button", { name: "Settings" }).first().click();
  await button(page, /^Agent workspace/).click();
  await button(page, "Delete all that was read").click();
  await page.getByText("It cannot be taken back.").waitFor();
  expect(deletions()).toEqual([]);
  refuse("DELETE", "/api/agents", () =>
    Response.json({ detail: "cannot delete what was read" }, { status: 507 }),
  );
  await button(page, "Delete all").tap();
  await page.getByText("Not deleted: cannot delete what was read").waitFor();
  server.hook = () => undefined;
  // The question stands, with why it was not done.
  await button(page, "Delete all").tap();
  await page.getByText("All that was read is deleted.").waitFor();
  expect(deletions()).toHaveLength(2);
  await page
    .getByRole("heading", { name: /^Ended|^Pane not known/ })
    .waitFor({ state: "detached" });
});
