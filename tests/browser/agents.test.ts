import { beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { PHONE, type Viewport } from "../support/browser.ts";
import { DESK } from "../support/fixture-page.ts";
import { calm } from "../support/calm.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { until } from "../support/until.ts";
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

const idOf = (title: string) => server.agents.find(title).work.agent.id;
const sentTo = (part: string) => server.requests.filter(({ path }) => path.endsWith(part));

describe("a session", () => {
  test("without a pane opens from the title of its card, and Back leads to the queue", async () => {
    const page = await open("#/queue");
    await page.getByRole("button", { name: /invoice-export/ }).tap();
    await page.getByRole("heading", { name: "invoice-export" }).waitFor();
    expect(new URL(page.url()).hash).toBe(`#/agent/${idOf("invoice-export")}`);
    await page.getByRole("link", { name: "Timeline" }).tap();
    await page.getByText("PDF totals match the ledger").first().waitFor();
    await page.getByRole("button", { name: "Back" }).tap();
    await page.getByRole("article", { name: "invoice-export" }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/queue");
  });

  test("is marked with the snapshot that stands on its page", async () => {
    const { work } = server.agents.find("query-planner");
    const page = await open(`#/agent/${work.agent.id}`);
    await page.getByText("Plan of /reports/daily uses the index").first().waitFor();
    await page.getByRole("button", { name: "Reviewed" }).tap();
    const put = await until(() => sentTo("/review").find(({ method }) => method === "PUT") ?? null);
    expect(put.body).toEqual({ snapshot_id: work.current?.id });
  });

  test("is answered from its page, by the prompt on its screen, and goes on beside its chat", async () => {
    const page = await open(`#/agent/${idOf("list-endpoints")}/chat`);
    const option = page.getByRole("option", { name: /Cursor/ });
    await option.waitFor();
    await calm(page);
    await option.tap();
    await until(() => (sentTo("/select").length === 1 ? true : null));
    expect(sentTo("/select")[0]?.body).toMatchObject({ id: "%15" });
    expect(sentTo("/reply")).toHaveLength(0);
  });

  test("that asks what no screen shows says so on its page, and leads to its pane", async () => {
    server.change("%15", { status: "idle", question: null, menu: [] });
    const page = await open(`#/agent/${idOf("list-endpoints")}`);
    await page.getByText("Waiting ·").waitFor();
    const asks = page.getByRole("region", { name: "Question" });
    await asks.getByRole("heading", { name: /Which pagination/ }).waitFor();
    await asks.getByRole("button", { name: "Open pane" }).tap();
    await page.locator('[data-terminal="%15"]').waitFor();
    expect(sentTo("/reply")).toEqual([]);
  });

  test("whose screen asks is said to wait, also where its log says nothing of it", async () => {
    server.agents.changeAgent("query-planner", { lifecycle: "idle", pending_decisions_count: 0 });
    server.change("%14", { status: "needs_input", question: "Allow npm test?", menu: [] });
    const page = await open(`#/agent/${idOf("query-planner")}`);
    await page.getByText("Waiting ·").waitFor();
    await page.getByText("Your answer", { exact: true }).waitFor();
    await page.getByRole("heading", { name: "Allow npm test?" }).waitFor();
    await page.getByRole("link", { name: "Timeline" }).tap();
    await page.getByRole("heading", { name: "Allow npm test?" }).waitFor();
  });

  test("tells what was decided, where its timeline is narrowed to decisions", async () => {
    const { work, events } = server.agents.find("list-endpoints");
    const [open_] = work.decisions;
    const [event] = events;
    if (open_ === undefined || event === undefined) throw new Error("a decision");
    const ended = {
      ...{ ...open_, id: "00000000-0000-4000-8000-00000000e0de", title: "Which error format?" },
      ...{ status: "resolved" as const, selected_option_id: "2" },
    };
    work.decisions = [open_, ended];
    const delta = { decisions_resolved: [ended] };
    events.push({
      ...{ ...event, id: "00000000-0000-4000-8000-00000000e1de" },
      ...{ type: "decision" as const, delta },
    });
    const page = await open(`#/agent/${idOf("list-endpoints")}/decisions`);
    await page.getByRole("button", { name: "Decisions", pressed: true }).waitFor();
    await page.getByText("Decided: Offset and limit").waitFor();
    await page.getByText("Which error format?").waitFor();
  });

  test("says what is not known as not known, and follows what it writes", async () => {
    const { context } = server.agents.find("query-planner").work.agent;
    server.agents.changeAgent("query-planner", { context: { ...context, goal: null } });
    const page = await open(`#/agent/${idOf("query-planner")}`);
    await page.getByText("Not known yet").first().waitFor();
    server.agents.changeAgent("query-planner", { context: { ...context, goal: "A new goal" } });
    await page.getByText("A new goal").waitFor();
  });

  test("that is not kept any more says so", async () => {
    const page = await open("#/agent/11111111-1111-4111-8111-111111111111");
    await page.getByText("No such agent").waitFor();
  });

  test("that does not load is asked for again", async () => {
    const id = idOf("css-audit");
    server.hook = ({ path }) =>
      path.endsWith(id) || path === "/api/review"
        ? new Response("bad gateway", { status: 502 })
        : undefined;
    const page = await open(`#/agent/${id}`);
    await page.getByText("This agent could not be loaded").waitFor();
    // The page asks once more by itself when its socket comes: what is still shown then is for a tap.
    await calm(page);
    const asked = sentTo(id).length;
    await page.getByRole("button", { name: "Retry" }).tap();
    await until(() => (sentTo(id).length > asked ? true : null));
    server.hook = () => undefined;
    await page.goto(`${server.url}#/agent/${idOf("query-planner")}`);
    await page.goto(`${server.url}#/agent/${id}`);
    await page.getByText("Remove styles that nothing uses").first().waitFor();
  });

  test("that does not load is shown as the review knows it, and said to be old", async () => {
    const id = idOf("css-audit");
    server.hook = ({ path }) =>
      path.endsWith(id) ? new Response("bad gateway", { status: 502 }) : undefined;
    const page = await open(`#/agent/${id}`);
    await page.getByText(/^Not updated since/).waitFor();
    await page.getByText("Remove styles that nothing uses").first().waitFor();
  });

  test("stands beside the list that it was opened from, with what is known of it in the third column", async () => {
    const page = await open("#/agents", DESK);
    await page.getByRole("link", { name: /query-planner/ }).click();
    await page.getByText("Read from its log").waitFor();
    expect(await page.getByRole("link", { name: /rate-limits/ }).count()).toBe(1);
    const known = page.getByRole("complementary", { name: "Now" });
    await known.getByRole("button", { name: "Reviewed" }).waitFor();
    expect(await page.locator(".inspector-prompt").count()).toBe(0);
    await page.getByRole("button", { name: "Open pane o" }).click();
    await page.locator('[data-terminal="%14"]').waitFor();
  });
});

describe("the list of sessions", () => {
  test("is a part of All while the workspace is on, and is searched", async () => {
    const page = await open("#/all");
    await page.getByRole("link", { name: "Agents" }).tap();
    await page.getByRole("searchbox").fill("invoices pdf");
    await until(async () => ((await page.locator("[data-row]").count()) === 1 ? true : null));
    await page.getByRole("link", { name: /invoice-export/ }).waitFor();
    await page.getByRole("searchbox").fill("nothing like it");
    await page.getByText("No match").waitFor();
  });

  test("goes when the workspace is switched off", async () => {
    const page = await open("#/agents");
    await page.getByRole("link", { name: /invoice-export/ }).waitFor();
    server.switchWorkspace(false);
    await page.getByRole("searchbox", { name: /Search \d+ panes/ }).waitFor();
    expect(await page.getByRole("link", { name: "Timeline" }).count()).toBe(0);
  });

  test("comes page by page", async () => {
    const [first] = server.agents.agents;
    if (first === undefined) throw new Error("an agent");
    server.agents.agents = Array.from({ length: 60 }, (_, index) => ({
      ...first,
      work: {
        ...first.work,
        agent: {
          ...first.work.agent,
          id: `00000000-0000-4000-8000-0000000000${10 + index}`,
          title: `session ${index}`,
          pane_id: null,
          association: "unavailable" as const,
        },
      },
    }));
    const page = await open("#/agents");
    await page.getByRole("button", { name: "Older" }).tap();
    await until(async () => ((await page.locator("[data-row]").count()) === 60 ? true : null));
    expect(await page.getByRole("button", { name: "Older" }).count()).toBe(0);
  });
});

test("agents stand under one word for each state, those that wait first and longest", async () => {
  const page = await open("#/agents");
  await page.locator("a[data-row]").first().waitFor();
  const headings = await page.getByRole("main").getByRole("heading", { level: 2 }).allInnerTexts();
  const states = headings.map((text) => text.replace(/[\s,]*\d+$/, ""));
  expect(states).toEqual(["Waiting", "Error", "Working", "Idle"]);
  const first = await page.locator("a[data-row]").first().innerText();
  expect(first).toContain("checkout-migration");
});

test("the timeline of all leads to the session, and colours only what still waits", async () => {
  const page = await open("#/timeline");
  await page.getByRole("link", { name: "list-endpoints" }).first().waitFor();
  const asked = () => page.locator('.timeline [data-kind="waits"]').allInnerTexts();
  expect((await asked()).some((text) => text.includes("Which pagination"))).toBe(true);
  server.agents.changeAgent("list-endpoints", { pending_decisions_count: 0 });
  await until(async () =>
    (await asked()).some((text) => text.includes("Which pagination")) ? null : true,
  );
  await page.getByRole("link", { name: "list-endpoints" }).first().tap();
  await page.getByRole("heading", { name: "list-endpoints" }).waitFor();
});

test("beside a list the timeline of all has the wider column, and no other pane stands there", async () => {
  const page = await open("#/timeline", DESK);
  const main = page.getByRole("main", { name: "Timeline" });
  await main.locator(".timeline li").first().waitFor();
  await page
    .getByRole("link", { name: /css-audit/ })
    .first()
    .waitFor();
  expect(await page.locator("[data-terminal]").count()).toBe(0);
  await main.getByRole("link", { name: "list-endpoints" }).first().click();
  await page.getByRole("heading", { name: "list-endpoints" }).waitFor();
});

test("a timeline is narrowed to a kind, and says so when nothing of it is there", async () => {
  const page = await open(`#/agent/${idOf("query-planner")}/timeline`);
  await page.getByText("New goal").waitFor();
  await page.getByRole("button", { name: "Done", exact: true }).tap();
  await page.getByText("New goal").waitFor({ state: "detached" });
  await page.getByText("Bench repeats within 3 %").waitFor();
  await page.getByRole("button", { name: "Blockers" }).tap();
  await page.getByRole("status").getByText("No match").waitFor();
  await page.getByRole("button", { name: "Everything" }).tap();
  await page.getByText("New goal").waitFor();
});

describe("the agent workspace", () => {
  beforeEach(() => server.switchWorkspace(false));

  test("is introduced once, says what it reads, and is switched on there", async () => {
    const page = await open("#/active");
    await page.getByRole("button", { name: "What it reads" }).tap();
    await page.getByText("It never writes there").waitFor();
    expect(server.config.experimental_agent_workspace_enabled).toBe(false);
    await page.getByRole("switch", { name: "Read agent sessions" }).tap();
    await until(() => (server.config.experimental_agent_workspace_enabled ? true : null));
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "What it reads" }).waitFor({ state: "detached" });
  });

  test("is not introduced again after Not now", async () => {
    const page = await open("#/active");
    await page.getByRole("button", { name: "Not now" }).tap();
    await page.reload();
    await page.getByText("integration-tests").first().waitFor();
    await page.getByText("Live", { exact: true }).first().waitFor();
    expect(await page.getByRole("button", { name: "What it reads" }).count()).toBe(0);
  });

  test("that cannot run says why, and has no switch", async () => {
    const { _info, ...live } = server.config;
    const { capabilities } = _info;
    const agent_context_v1 = { ...capabilities.agent_context_v1, degraded_reason: "disk is full" };
    server.config = {
      ...live,
      _info: { ..._info, capabilities: { ...capabilities, agent_context_v1 } },
    };
    const page = await open("#/all");
    await page.getByRole("button", { name: "Settings" }).tap();
    await page.getByRole("button", { name: /Agent workspace/ }).tap();
    await page.getByText("disk is full").waitFor();
    expect(await page.getByRole("switch", { name: "Read agent sessions" }).count()).toBe(0);
  });
});
