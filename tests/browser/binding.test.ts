import { beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { PHONE, type Viewport } from "../support/browser.ts";
import { DESK } from "../support/fixture-page.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { calm } from "../support/calm.ts";
import { PageLab } from "../support/page-lab.ts";

const lab = PageLab.ofFile();
let server: FixtureServer;

beforeEach(() => {
  server = lab.server();
  server.switchWorkspace(true);
});

async function open(hash: string, viewport: Viewport = PHONE): Promise<Page> {
  const { page } = await lab.page(viewport);
  await page.goto(server.url + hash);
  return page;
}

const sessionOf = (title: string) => server.agents.find(title).work.agent;
const hashOf = (title: string, part = "") => `#/agent/${sessionOf(title).id}${part}`;
const said = (method: string, part: string) =>
  server.requests.filter((one) => one.method === method && one.path.endsWith(part));
const hashIs = (page: Page, hash: string) => page.waitForFunction((h) => location.hash === h, hash);
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const radio = (page: Page, name: string) => page.getByRole("radio", { name });
const more = (page: Page) => page.getByRole("button", { name: "More", exact: true }).click();

describe("a session whose pane nobody knows for certain", () => {
  beforeEach(() => {
    server.agents.makeAmbiguous("query-planner", ["%14", "%16"]);
  });

  test("is told its pane from the screens beside its last words, under what was drawn", async () => {
    const page = await open(hashOf("query-planner"));
    await button(page, "Choose the pane").tap();
    await page.getByText("The index alone brings most of it").last().waitFor();
    await page.getByText("Rewriting the join order for").waitFor();
    expect(await page.getByRole("radio", { checked: true }).count()).toBe(0);
    expect(await button(page, "Choose a pane").isDisabled()).toBe(true);
    await radio(page, "query-planner").tap();
    expect(said("PUT", "/binding")).toEqual([]);
    await button(page, "It is query-planner").tap();
    await page.getByText("It is query-planner from now on.").waitFor();
    expect(said("PUT", "/binding").map(({ body }) => body)).toEqual([
      { pane_id: "%14", expected_binding_revision: 2 },
    ]);
    await button(page, "Choose the pane").waitFor({ state: "detached" });
    await hashIs(page, "#/pane/%2514/chat");
  });

  test("is asked about again where something changed meanwhile, and never told twice", async () => {
    const page = await open(hashOf("query-planner"));
    await button(page, "Choose the pane").tap();
    await radio(page, "query-planner").tap();
    // What it reads before the agents' socket has spoken it reads once more.
    await calm(page);
    // Only the server knows: its event has not come yet.
    const { publish } = server.agents;
    server.agents.publish = () => {};
    server.agents.makeAmbiguous("query-planner", ["%14", "%15"]);
    server.agents.publish = publish;
    await button(page, "It is query-planner").tap();
    await page.getByText("Not chosen: something changed").waitFor();
    await page.getByText("Other panes could be its own now.").waitFor();
    expect(await button(page, "It is query-planner").isDisabled()).toBe(true);
    expect(said("PUT", "/binding")).toHaveLength(1);
    await button(page, "Show them anew").tap();
    await radio(page, "list-endpoints").waitFor();
    expect(await page.getByRole("radio", { checked: true }).count()).toBe(0);
    await radio(page, "list-endpoints").tap();
    await button(page, "It is list-endpoints").tap();
    await page.getByText("It is list-endpoints from now on.").waitFor();
    expect(said("PUT", "/binding").map(({ body }) => body)).toEqual([
      { pane_id: "%14", expected_binding_revision: 2 },
      { pane_id: "%15", expected_binding_revision: 3 },
    ]);
  });

  test("shows a pane that goes meanwhile as gone, and a pane that was found as found", async () => {
    const page = await open(hashOf("query-planner"));
    await button(page, "Choose the pane").tap();
    await radio(page, "rate-limits").tap();
    server.panes = server.panes.filter(({ id }) => id !== "%16");
    server.pass();
    await page.getByText("This pane is not there any more.").waitFor();
    expect(await button(page, /^It is /).isDisabled()).toBe(true);
    server.agents.changeAgent("query-planner", {
      association: "confirmed",
      pane_id: "%14",
      binding_candidates: [],
    });
    await page.getByText("Its pane has been found meanwhile.").waitFor();
    expect(said("PUT", "/binding")).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().tap();
    await hashIs(page, "#/pane/%2514/chat");
  });

  test("says that the pane is gone where only the server knows it", async () => {
    const page = await open(hashOf("query-planner"));
    await button(page, "Choose the pane").tap();
    await radio(page, "rate-limits").tap();
    server.hook = ({ method, path }) =>
      method === "PUT" && path.endsWith("/binding")
        ? Response.json({ detail: "pane %16 is not observed" }, { status: 404 })
        : undefined;
    await button(page, "It is rate-limits").tap();
    await page.getByText("Not chosen: that pane is gone").waitFor();
    await button(page, "Show them anew").tap();
    await page.getByText("Not chosen: that pane is gone").waitFor({ state: "detached" });
  });

  test("is told its pane by the keyboard alone", async () => {
    const page = await open(hashOf("query-planner"), DESK);
    const choose = button(page, "Choose the pane");
    await choose.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Which pane is it?" }).waitFor();
    const isAt = async () =>
      (await page.evaluate(() => document.activeElement?.getAttribute("role"))) === "radio";
    for (let tabs = 0; tabs < 6 && !(await isAt()); tabs += 1) await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowDown");
    expect(await radio(page, "rate-limits").getAttribute("aria-checked")).toBe("true");
    await page.keyboard.press("ArrowDown");
    expect(await radio(page, "query-planner").getAttribute("aria-checked")).toBe("true");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("It is query-planner from now on.").waitFor();
    expect(said("PUT", "/binding")).toHaveLength(1);
  });

  test("leaves with Escape, and nothing was told", async () => {
    const page = await open(hashOf("query-planner"), DESK);
    await button(page, "Choose the pane").click();
    await radio(page, "rate-limits").click();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(said("PUT", "/binding")).toEqual([]);
  });
});

describe("a pane that is let go", () => {
  test("is asked about no further, and can be chosen again", async () => {
    const page = await open(hashOf("query-planner"));
    await more(page);
    await button(page, "Unlink this pane").tap();
    await page.getByText("Unlinked. You can choose a pane again.").waitFor();
    expect(said("DELETE", "/binding")).toHaveLength(1);
    await page.locator('[data-terminal="%14"]').waitFor();
    await page.goto(`${server.url}${hashOf("query-planner")}`);
    await page.getByText("Its pane was unlinked.").waitFor();
    await button(page, "Choose the pane").tap();
    await radio(page, "query-planner").tap();
    await button(page, "It is query-planner").tap();
    await hashIs(page, "#/pane/%2514/chat");
    expect(said("PUT", "/binding")[0]?.body).toEqual({
      pane_id: "%14",
      expected_binding_revision: 2,
    });
  });

  test("that has become another one says so and is left", async () => {
    const page = await open(hashOf("query-planner"));
    await more(page);
    server.hook = ({ method, path }) => {
      if (method !== "DELETE" || !path.endsWith("/binding")) return undefined;
      const detail = { message: "stale binding revision", current: sessionOf("query-planner") };
      return Response.json({ detail }, { status: 409 });
    };
    await button(page, "Unlink this pane").tap();
    await page.getByText("Not unlinked: something changed").waitFor();
    expect(said("DELETE", "/binding")).toHaveLength(1);
  });
});

describe("the history of a session", () => {
  test("is deleted after a look at what goes and what stays, with all that is cached", async () => {
    const page = await open(hashOf("list-endpoints", "/chat"));
    await page.getByText("I will look at what there is first.").waitFor();
    await more(page);
    await button(page, "Delete what was read").tap();
    await page.getByText("Its open question can only be answered").waitFor();
    expect(said("DELETE", "/history")).toEqual([]);
    await button(page, "Delete what was read").tap();
    await page.getByText("Its history is deleted.").waitFor();
    expect(said("DELETE", "/history")).toHaveLength(1);
    await page.getByText("I will look at what there is first.").waitFor({ state: "detached" });
  });

  test("stays where the server does not say that it is gone, and is not deleted again", async () => {
    const page = await open(hashOf("query-planner"));
    await more(page);
    server.hook = ({ method, path }) =>
      method === "DELETE" && path.endsWith("/history")
        ? new Response("bad gateway", { status: 502 })
        : undefined;
    await button(page, "Delete what was read").tap();
    await button(page, "Delete what was read").tap();
    await page.getByText("Nobody knows whether it was deleted").waitFor();
    await button(page, "Keep it").tap();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(said("DELETE", "/history")).toHaveLength(1);
  });
});

test("a session that has ended says how to go on, and the command is copied as it stands", async () => {
  server.agents.changeAgent("css-audit", {
    association: "unavailable",
    pane_id: null,
    lifecycle: "offline",
  });
  const page = await open(hashOf("css-audit"));
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByText(/^Offline since/).waitFor();
  await button(page, "Copy the command").tap();
  await page.getByText("Copied").waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(`codex resume ${sessionOf("css-audit").native_session_id}`);
});

describe("a session that has ended, where it can be taken up", () => {
  const SHOWN = { command: "codex resume x", cwd: "/home/dev/code/web", reason: null };
  let state: { cwd: string | null; reason: string | null };
  beforeEach(() => {
    state = SHOWN;
    const { capabilities } = server.config._info;
    server.config._info.capabilities = { ...capabilities, session_resume_v1: { version: 1 } };
    server.agents.changeAgent("css-audit", {
      association: "unavailable",
      pane_id: null,
      lifecycle: "offline",
    });
    server.hook = ({ method, path }) => {
      if (!path.startsWith("/api/mux/resume")) return undefined;
      if (method === "GET") return Response.json({ ...SHOWN, ...state });
      return Response.json({ pane_id: "%14", target: "web:4.0" }, { status: 201 });
    };
  });

  test("is started with a second tap, under what will be run and where, and its pane is opened", async () => {
    const page = await open(hashOf("css-audit"));
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

  test("says why it cannot be", async () => {
    state = { cwd: null, reason: "its program is not installed" };
    const page = await open(hashOf("css-audit"));
    await button(page, "Resume in a new pane").tap();
    await page.getByText("It cannot be resumed from here: its program is not installed.").waitFor();
    expect(await button(page, "Start it").count()).toBe(0);
  });
});

test("what stands about a session closes when the workspace is switched off meanwhile", async () => {
  const page = await open(hashOf("query-planner"));
  await more(page);
  server.switchWorkspace(false);
  await button(page, "Delete what was read").waitFor({ state: "detached" });
  await page.locator('[data-terminal="%14"]').waitFor({ state: "attached" });
});

describe("all that was read", () => {
  const openSettings = async (page: Page) => {
    await page.getByRole("button", { name: "Settings" }).first().click();
    await button(page, /^Agent workspace/).click();
    await button(page, "Delete all that was read").click();
  };
  const deletions = () => said("DELETE", "/api/agents");

  test("is deleted after a second word, and the pages of it say so", async () => {
    const page = await open("#/all");
    await page.getByRole("link", { name: /query-planner/ }).waitFor();
    await openSettings(page);
    await page.getByText("It cannot be taken back.").waitFor();
    expect(deletions()).toEqual([]);
    await button(page, "Delete all").tap();
    await page.getByText("All that was read is deleted.").waitFor();
    expect(deletions()).toHaveLength(1);
    await page
      .getByRole("heading", { name: /^Ended|^Pane not known/ })
      .waitFor({ state: "detached" });
  });

  test("is gone from the page of a session as well", async () => {
    const page = await open(hashOf("invoice-export"));
    await page.getByText("PDF totals match the ledger").first().waitFor();
    await page.evaluate(() => fetch("/api/agents", { method: "DELETE" }));
    await page.getByText("No such agent").waitFor();
  });

  test("stays where the server refuses, and the page says why", async () => {
    server.hook = ({ method, path }) =>
      method === "DELETE" && path === "/api/agents"
        ? Response.json({ detail: "cannot delete what was read" }, { status: 507 })
        : undefined;
    const page = await open("#/all", DESK);
    await page.getByRole("link", { name: /query-planner/ }).waitFor();
    await openSettings(page);
    await button(page, "Delete all").click();
    await page.getByText("Not deleted: cannot delete what was read").waitFor();
    expect(deletions()).toHaveLength(1);
  });
});
