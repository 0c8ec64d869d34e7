import { beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { type Viewport } from "../support/browser.ts";
import { calm } from "../support/calm.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { until } from "../support/until.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";

const lab = PageLab.ofFile();
let server: FixtureServer;

beforeEach(() => {
  server = lab.server();
  server.switchWorkspace(true);
});

const open = (hash: string, viewport?: Viewport) => lab.open(server.url + hash, viewport);

const idOf = (title: string) => server.agents.find(title).work.agent.id;
const sentTo = (part: string) => server.requests.filter(({ path }) => path.endsWith(part));

const hashIs = (page: Page, hash: string) => page.waitForFunction((h) => location.hash === h, hash);
const tab = (page: Page, name: RegExp) =>
  page.getByRole("navigation", { name: "Page" }).getByRole("link", { name });
const chosenTab = (page: Page) =>
  page.getByRole("navigation", { name: "Page" }).locator("[aria-current]").innerText();
const chat = (page: Page) => page.getByRole("region", { name: "Chat" });

describe("the page of a pane and its agent", () => {
  test("opens its chat from a list, has the screen beside it, and Back leads to the list", async () => {
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
    expect(await page.getByRole("toolbar", { name: "Keys" }).count()).toBe(0);
    await page.getByRole("button", { name: /Back/ }).tap();
    await hashIs(page, "#/active");
  });

  it("has no chat where no agent is known for certain in it, or the workspace is off; old places lead to it", async () => {
    const id = idOf("query-planner");
    const page = await open(`#/agent/${id}`);
    for (const old of ["/now", "/timeline", "/chat", "/decisions"]) {
      await hashIs(page, "#/pane/%2514/chat");
      await chat(page).waitFor();
      await page.goto(`${server.url}#/agent/${id}${old}`);
    }
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

  test("is answered from its chat, by the prompt on its screen", async () => {
    const page = await open(`#/agent/${idOf("list-endpoints")}`);
    await chat(page).waitFor();
    const option = page.getByRole("option", { name: /Cursor/ });
    await option.waitFor();
    // However long what it asks about is, the answers stand below it.
    const evidence = Array.from({ length: 40 }, (_, i) => ` ${i} +  const line = ${i};`);
    server.change("%15", { evidence });
    await page.getByText("const line = 1;").waitFor();
    await calm(page);
    const last = await page.getByRole("option").last().boundingBox();
    const composer = await page.locator("[data-composer]").boundingBox();
    expect((last?.y ?? 844) + (last?.height ?? 0)).toBeLessThan(composer?.y ?? 0);
    await option.tap();
    await until(() => (sentTo("/select").length === 1 ? true : null));
    expect(sentTo("/select")[0]?.body).toMatchObject({ id: "%15" });
  });

  it("says in its details what is known of the work, and what is not", async () => {
    const { context } = server.agents.find("query-planner").work.agent;
    server.agents.changeAgent("query-planner", { context: { ...context, goal: null } });
    const page = await open("#/pane/%2514/chat");
    await chat(page).waitFor();
    await page.getByRole("button", { name: "More", exact: true }).tap();
    await page.getByRole("button", { name: "Details" }).tap();
    const sheet = page.getByRole("dialog");
    await sheet.getByText("Not known yet").first().waitFor();
    await sheet.getByText("Read from its log").waitFor();
    server.agents.changeAgent("query-planner", { context: { ...context, goal: "A new goal" } });
    await sheet.getByText("A new goal").waitFor();
    const { work } = server.agents.find("query-planner");
    await calm(page);
    await sheet.getByRole("button", { name: "Reviewed" }).tap();
    const put = await until(() => sentTo("/review").find(({ method }) => method === "PUT") ?? null);
    expect(put.body).toEqual({ snapshot_id: work.current?.id });
  });

  it("that does not load is asked for again", async () => {
    const id = idOf("query-planner");
    server.hook = ({ path }) =>
      path.endsWith(id) || path.startsWith("/api/review") || path === "/api/agents"
        ? new Response("bad gateway", { status: 502 })
        : undefined;
    const page = await open("#/pane/%2514/chat");
    await page.getByText("This agent could not be loaded").waitFor();
    await page.getByRole("heading", { name: "query-planner" }).waitFor();
    // The page asks once more by itself when its socket comes: what is still shown then is for a tap.
    await calm(page);
    server.hook = () => undefined;
    await page.getByRole("button", { name: "Retry" }).tap();
    await chat(page).getByText("The index alone brings most of it").waitFor();
  });
});

describe("a session that is in no pane", () => {
  test("opens from the title of its card, and Back leads to the queue; one that is not kept says so", async () => {
    const page = await open("#/queue");
    await page.getByRole("button", { name: /invoice-export/ }).tap();
    await page.getByRole("heading", { name: "invoice-export" }).waitFor();
    await hashIs(page, `#/agent/${idOf("invoice-export")}`);
    await chat(page).getByText("PDF totals match the ledger").first().waitFor();
    await page.getByText("No pane is known for it").waitFor();
    expect(await page.getByRole("textbox").count()).toBe(0);
    await page.getByRole("button", { name: "Back" }).tap();
    await page.getByRole("article", { name: "invoice-export" }).waitFor();
    await hashIs(page, "#/queue");
    await page.goto(`${server.url}#/agent/11111111-1111-4111-8111-111111111111`);
    await page.getByText("No such agent").waitFor();
  });

  it("stands below all panes, is searched with them, and goes with the workspace", async () => {
    const none = { association: "unavailable", pane_id: null, target: null } as const;
    server.agents.changeAgent("css-audit", { ...none, lifecycle: "offline" });
    const page = await open("#/all");
    await page.getByRole("heading", { name: /^Ended/ }).waitFor();
    await page.getByRole("heading", { name: /^Pane not known/ }).waitFor();
    expect(await page.getByRole("link", { name: /query-planner/ }).count()).toBe(1);
    await page.getByRole("searchbox").fill("styles nothing uses");
    await page.getByRole("link", { name: /css-audit/ }).waitFor();
    await page.getByRole("heading", { name: /^Pane not known/ }).waitFor({ state: "detached" });
    server.switchWorkspace(false);
    await page.getByRole("heading", { name: /^Ended/ }).waitFor({ state: "detached" });
  });
});

it("the agent workspace is introduced once, and says why it cannot run", async () => {
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
  await until(() => (server.config.experimental_agent_workspace_enabled ? true : null));
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "What it reads" }).waitFor({ state: "detached" });

  server.switchWorkspace(false);
  server.config._info.capabilities.agent_context_v1.degraded_reason = "disk is full";
  await page.reload();
  await page.getByRole("button", { name: "Settings" }).tap();
  await page.getByRole("button", { name: /Agent workspace/ }).tap();
  await page.getByText("disk is full").waitFor();
  expect(await page.getByRole("switch", { name: "Read agent sessions" }).count()).toBe(0);
});
