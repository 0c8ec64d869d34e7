import type { Page } from "playwright-core";
import { calm } from "../support/calm.ts";
import { NOW, option } from "../support/fixture-panes.ts";
import type { Step } from "../../src/protocol/agents.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { idOf } from "../support/fixture-work.ts";
import { AGENTS, NARROW, paneHash, scene, type Scene, sheet } from "./scene.ts";

const agentRoute = (title: string, part = "") =>
  `#/agent/${idOf("agent", title)}${part === "" ? "" : `/${part}`}`;

/** What an agent did between its messages, and what was answered. */
export function doing(server: FixtureServer): void {
  server.switchWorkspace(true);
  const agent = server.agents.find("query-planner");
  const at = NOW - 9 * 60;
  const step = (n: number, kind: Step["kind"], title: string, more: Partial<Step> = {}): Step => ({
    ...{ id: `step ${n}`, at: at + n, kind, title, added: null, removed: null, state: "done" },
    ...more,
  });
  agent.steps = [
    step(1, "read", "src/plan/join.ts"),
    step(2, "read", "src/plan/cost.ts"),
    step(3, "read", "bench/reports.sql"),
    step(4, "edit", "src/plan/join.ts", { added: 64, removed: 3 }),
    step(5, "search", "hint("),
    step(6, "run", "npm run bench -- --only reports", { state: "failed" }),
    step(7, "run", "npm run bench -- --only reports --warm"),
    step(500, "edit", "src/plan/cost.ts", { added: 2, removed: 2 }),
  ];
  server.record.push({
    ...{ key: "k", pane_id: "%14", target: "api:14.1", kind: "select", label: "Yes" },
    ...{ about: { kind: "command", text: "npm run bench" }, at: at + 20 },
    ...{ by: { grant: "g", name: "Pixel 9" }, state: "confirmed", reason: null },
  });
}

/** The workspace, and on the screen of each pane the very question that its session has logged. */
function asking(server: FixtureServer): void {
  server.switchWorkspace(true);
  for (const { work } of server.agents.agents) {
    const { agent, decisions } = work;
    const open = decisions.find(({ status }) => status === "pending");
    if (open === undefined || agent.pane_id === null) continue;
    const menu = open.options.map(({ label }, index) => option(String(index + 1), label));
    const rows = menu.map(({ key, label }) => `${key === "1" ? "❯" : " "} ${key}. ${label}`);
    const said = agent.context.progress_summary;
    const lines = [...(said === null ? [] : [`● ${said}`, ""]), open.title, "", ...rows];
    const asks = { question: open.title, menu, lines, evidence: [] };
    server.change(agent.pane_id, { ...asks, status: "needs_input" });
  }
}

/** A window of half an hour that has just ended with work. */
function collecting(server: FixtureServer): void {
  server.switchWorkspace(true);
  const { timer } = server.agents;
  const half = {
    interval_minutes: 30,
    next_due_at: NOW + 1800,
    last_digest_at: NOW,
    due_since: NOW,
  };
  server.agents.timer = { ...timer, ...half, urgent_pane_errors: 1 };
}

/** Chooses on a card, as a tap does, where answers are collected. */
async function choose(page: Page, card: string, option: string): Promise<void> {
  // A tap right after another one was meant for what stood there before.
  await calm(page);
  const isBeside = (page.viewportSize()?.width ?? 0) >= 768;
  if (isBeside) await page.locator("[data-row]", { hasText: card }).click();
  const place = isBeside ? page : page.locator("article", { hasText: card });
  const chosen = place.getByRole("option", { name: option });
  // Cards that have only just come may move away from below a tap.
  while ((await chosen.getAttribute("aria-selected")) !== "true") {
    await chosen.click();
    await calm(page);
  }
}

async function collect(page: Page): Promise<void> {
  await page.getByRole("radio", { name: "Collect answers" }).click();
  await choose(page, "checkout-migration", "Tonight at 02:00");
  await choose(page, "list-endpoints", "Cursor");
  await choose(page, "integration-tests", "Clamp to zero and log");
}

/** The agent workspace: review, plan, sessions and what is known of one. */
export const REVIEW_SCENES: readonly Scene[] = [
  scene("queue-agents", "#/queue", "role=button[name=/^Reviewed/]", { prepare: asking }),
  scene("queue-unseen", "#/queue", "text=Warehouse 3", { sizes: NARROW, ...AGENTS }),
  scene("queue-page", "#/queue/one", "text=Waiting, 1 of", { prepare: asking }),
  scene("queue-page-end", "#/queue/one", "text=left for later", {
    ...AGENTS,
    act: async (page) => {
      const later = page.locator(".pass").getByRole("button", { name: "Later" });
      await later.waitFor();
      // A tap right after a card was swapped is not taken.
      while ((await later.count()) > 0) {
        await calm(page);
        await later.evaluateAll((buttons: HTMLElement[]) => buttons[0]?.click());
      }
    },
  }),
  scene("settings-review", "#/queue", "text=Last one", {
    prepare: collecting,
    act: async (page) => {
      await sheet("settings-review")(page);
      await page.getByText("Errors of panes").waitFor();
    },
  }),
  scene("page-chat", agentRoute("query-planner"), "text=failed", {
    prepare: doing,
    act: (page) => page.getByRole("button", { name: /^7 steps/ }).click(),
  }),
  scene("page-chat-asks", agentRoute("list-endpoints"), "role=option >> nth=0", AGENTS),
  scene("page-screen", paneHash("%14"), "role=log", AGENTS),
  scene("page-details", paneHash("%14"), "text=Read from its log", {
    sizes: NARROW,
    ...AGENTS,
    act: sheet("pane-details", "%14"),
  }),
  scene("workspace-on", "#/active", "text=13 sessions >> visible=true", {
    ...AGENTS,
    act: sheet("settings-workspace"),
  }),
  scene("all-ended", "#/all", "text=Ended >> visible=true", {
    prepare: (server) => {
      server.switchWorkspace(true);
      const none = { association: "unavailable", pane_id: null, target: null } as const;
      server.agents.changeAgent("css-audit", { ...none, lifecycle: "offline" });
    },
  }),
  scene("queue-collect", "#/queue", "text=3 chosen", { prepare: asking, act: collect }),
  scene("queue-sending", "#/queue", "text=Sending 2 of 3", {
    prepare: (server) => {
      asking(server);
      let sent = 0;
      server.hook = ({ path }) => {
        if (path !== "/api/select" || ++sent < 2) return undefined;
        return new Promise<Response>(() => {});
      };
    },
    act: async (page) => {
      await collect(page);
      await calm(page);
      await page.getByRole("button", { name: "Send 3" }).click();
    },
  }),
];
