import type { Page } from "playwright-core";
import type { MessageSearch } from "../../src/protocol/agent-replies.ts";
import type { ChatMessage, Step } from "../../src/protocol/agents.ts";
import type { AnsweredState } from "../../src/protocol/acts.ts";
import { calm, clickCalmly } from "../support/calm.ts";
import { NOW, option } from "../support/fixture-panes.ts";
import { FREE_AT, limited, parkFleet } from "../support/fixture-parked.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { KeptMessages } from "../support/fixture-waiting.ts";
import { agentId, messageOf } from "../support/fixture-work.ts";
import { AGENTS, DOCKED, loseServer, NARROW, paneHash, scene, type Scene, sheet } from "./scene.ts";

const agentRoute = (title: string, part = "") =>
  `#/agent/${agentId(title)}${part === "" ? "" : `/${part}`}`;

const PLANNER = "query-planner";
const PLANNER_CHAT = agentRoute(PLANNER, "chat");
/** Of a session whose program has ended. */
const ENDED = {
  association: "unavailable",
  pane_id: null,
  target: null,
  lifecycle: "offline",
} as const;

/** What an agent did between its messages, and what was answered. */
export function withSteps(server: FixtureServer): void {
  server.switchWorkspace(true);
  const at = NOW - 9 * 60;
  const step = (n: number, kind: Step["kind"], title: string, more: Partial<Step> = {}): Step => ({
    ...{ id: `step ${n}`, at: at + n, kind, title, added: null, removed: null, state: "done" },
    ...more,
  });
  server.agents.steps.set(agentId(PLANNER), [
    step(1, "read", "src/plan/join.ts"),
    step(2, "read", "src/plan/cost.ts"),
    step(3, "read", "bench/reports.sql"),
    step(4, "edit", "src/plan/join.ts", { added: 64, removed: 3 }),
    step(5, "search", "hint("),
    step(6, "run", "npm run bench -- --only reports", { state: "failed" }),
    step(7, "run", "npm run bench -- --only reports --warm"),
    step(500, "edit", "src/plan/cost.ts", { added: 2, removed: 2 }),
  ]);
  server.record.push({
    ...{ key: "k", pane_id: "%14", target: "api:14.1", kind: "select", label: "Yes" },
    ...{ about: { kind: "command", text: "npm run bench" }, at: at + 20 },
    ...{ by: { grant: "g", name: "Pixel 9" }, state: "confirmed", reason: null },
  });
}

/** The workspace, and on the screen of each pane the very question that its session has logged. */
function asking(server: FixtureServer): void {
  server.switchWorkspace(true);
  for (const agent of server.agents.sessions()) {
    const open = server.agents.decisionOf(agent);
    if (open?.status !== "pending" || agent.pane_id === null) continue;
    const menu = open.options.map(({ label }, index) => option(String(index + 1), label));
    const rows = menu.map(({ key, label }) => `${key === "1" ? "❯" : " "} ${key}. ${label}`);
    const summary = agent.context.progress_summary;
    const lines = [...(summary === null ? [] : [`● ${summary}`, ""]), open.title, "", ...rows];
    const asks = { question: open.title, menu, lines, evidence: [] };
    server.change(agent.pane_id, { ...asks, status: "needs_input" });
  }
}

/** Of the fleet only the panes of these names, and the sessions in them: each card more takes time. */
export function keepOnly(server: FixtureServer, names: readonly string[]): void {
  server.panes = server.panes.filter(({ name }) => names.includes(name));
  const isShown = (id: string | null) => server.panes.some((pane) => pane.id === id);
  for (const { title, pane_id } of server.agents.sessions())
    if (!isShown(pane_id)) server.agents.remove(title ?? "");
}

/** A window of half an hour that has just ended with work. */
function collecting(server: FixtureServer): void {
  server.switchWorkspace(true);
  const half = { interval_minutes: 30, next_due_at: NOW + 1800, last_digest_at: NOW };
  server.agents.timer.change((off) => ({
    ...{ ...off, ...half, due_since: NOW, urgent_pane_errors: 1 },
  }));
}

/** Chooses on a card, as a tap does, where answers are collected. */
async function choose(page: Page, card: string, option: string): Promise<void> {
  const isBeside = (page.viewportSize()?.width ?? 0) >= 768;
  if (isBeside) await page.locator("[data-row]", { hasText: card }).click();
  const place = isBeside ? page : page.locator("article", { hasText: card });
  const chosen = place.getByRole("option", { name: option });
  // A tap right after that, after another one or after scrolling was meant for what stood there before.
  await chosen.scrollIntoViewIfNeeded();
  await calm(page);
  // Cards that have only just come may move away from below a tap.
  while ((await chosen.getAttribute("aria-selected")) !== "true") {
    await chosen.click();
    await calm(page);
  }
}

function askingFew(server: FixtureServer): void {
  asking(server);
  keepOnly(server, ["checkout-migration", "list-endpoints", "integration-tests"]);
}

async function collect(page: Page): Promise<void> {
  await page.getByRole("radio", { name: "Collect answers" }).click();
  await choose(page, "checkout-migration", "Tonight at 02:00");
  await choose(page, "list-endpoints", "Cursor");
  await choose(page, "integration-tests", "Clamp to zero and log");
}

/** Idle, in an idle pane. */
const IDLE = "rate-limits";
const IDLE_CHAT = agentRoute(IDLE, "chat");
const minutesAgo = (ago: number) => NOW - ago * 60;

const OWN = "Add redis:7 to compose.ci.yml, without persistence, and run the test there.";
const CHAT: readonly (readonly [ChatMessage["role"], number, string])[] = [
  ["user", 75, "Limit the public API for each key, not for each address."],
  [
    "assistant",
    49,
    "Token bucket per API key is in, one Redis key for each minute. The middleware answers 429 above 600 a minute.",
  ],
  ["user", 29, "Use a sliding window instead. The shop bursts at full hours."],
  [
    "assistant",
    12,
    'Done. Two buckets are weighted by how much of the minute has passed, so a burst at :59 counts against the next minute as well. `Retry-After` is in whole seconds, as https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3 wants it:\n\n```ts\nconst weight = 1 - (now % MINUTE) / MINUTE;\nconst used = previous * weight + current;\nif (used >= limit) return reply.code(429).header("Retry-After", Math.ceil(MINUTE - (now % MINUTE)));\n```\n\nOne thing I cannot finish: the limiter test needs Redis, and the CI compose file has none.',
  ],
];

function withChat(server: FixtureServer, own: ChatMessage["status"] | null = null): void {
  server.switchWorkspace(true);
  const id = agentId(IDLE);
  const messages = CHAT.map(([role, ago, text]) => messageOf(id, role, text, minutesAgo(ago)));
  const message = messageOf(id, "user", OWN, minutesAgo(1));
  if (own !== null)
    messages.push({ ...message, status: own, client_message_id: "own", native_event_id: null });
  server.agents.setMessages(IDLE, messages);
}

async function search(page: Page, words: string): Promise<void> {
  await page.getByRole("button", { name: "Search what was said" }).click();
  await page.getByRole("searchbox").fill(words);
}

/** Two sessions of one folder, of which nobody knows which is in which pane. */
function makeTwo(server: FixtureServer): void {
  server.switchWorkspace(true);
  server.agents.makeAmbiguous("query-planner", ["%14", "%16"]);
  server.agents.makeAmbiguous("rate-limits", ["%14", "%16"]);
}

const openSheet = (name: string) => async (opened: Page) => {
  await opened.getByRole("button", { name: "More", exact: true }).click();
  if (name !== "") await opened.getByRole("button", { name }).click();
};

const parkedAgents = (server: FixtureServer) => {
  server.switchWorkspace(true);
  parkFleet(server);
  new KeptMessages(server).keep("%14", ["Run the planner tests before you go on."]);
};

const PANE = "%14";
const TEXTS = [
  "Then add the refund cases to docs/testing.md.",
  "Open a draft PR, no reviewers.",
] as const;

function waitingIn(server: FixtureServer): KeptMessages {
  server.switchWorkspace(true);
  const says = (text: string, ago: number) =>
    messageOf(agentId(PLANNER), "assistant", text, minutesAgo(ago));
  server.agents.setMessages(PLANNER, [
    says("The payment sandbox answers again, so I went on with the refund specs.", 19),
    says("212 specs pass. orders.spec.ts is the last file, 18 tests are left in it.", 8),
  ]);
  const kept = new KeptMessages(server);
  kept.keep(PANE, TEXTS);
  return kept;
}

/** The acts of the first that waits. */
async function unfold(page: Page): Promise<void> {
  await clickCalmly(page.getByRole("button", { name: "Edit, delete, send now" }).first());
}

const HOUR = 3600;
const DAY = 24 * HOUR;
const AT = "list-endpoints";

type Find = MessageSearch["finds"][number];

/** Of whom, seconds ago, who said it, and what stands around the match. */
const FOUND: readonly (readonly [string, number, Find["role"], string, string])[] = [
  [
    ...([AT, 6 * 60, "assistant"] as const),
    "That leaves pagination as the last open point. An opaque ",
    " stays stable while rows are inserted, but there is no total count.",
  ],
  [AT, 17 * HOUR, "user", "Ask me before you use a ", " on anything that web pages through."],
  [AT, 18 * HOUR, "assistant", "/events already returns a next_", "."],
  [AT, 19 * HOUR, "assistant", "The ", " is a base64 string."],
  [PLANNER, 5 * DAY, "assistant", "A server-side ", " keeps the export under 80 MB."],
];
const FINDS = FOUND.map(([title, ago, role, before, after], n): Find => ({
  ...{ id: `f${n}`, agent_id: agentId(title), created_at: NOW - ago },
  ...{ role, match: "cursor", before, after },
}));

function withFinds(server: FixtureServer): void {
  server.switchWorkspace(true);
  server.config._info.capabilities.search_v1 = { version: 1 };
  const agents = [server.agents.find(AT), { ...server.agents.find(PLANNER), ...ENDED }];
  const found = { finds: FINDS, agents, next_cursor: null, retained_from: NOW - 15 * DAY };
  server.replies["/api/messages"] = () => found;
}

function longChat(server: FixtureServer): void {
  withFinds(server);
  const id = agentId(AT);
  const messages = Array.from({ length: 40 }, (_, i) => {
    const role = i % 2 === 0 ? "user" : "assistant";
    const message = messageOf(id, role, `What was said in place ${i}.`, NOW - DAY + i * 60);
    return { ...message, id: `m${i}` };
  });
  server.agents.setMessages(AT, messages);
}

/** Messages, steps and events come one after another, and nothing marks that more are on their way. */
async function chatLoaded(page: Page): Promise<void> {
  await page.locator(".message-block .messages").first().waitFor();
  await page.waitForLoadState("networkidle");
}

const COVERAGE = "pnpm vitest run --coverage";
export const ALWAYS_ALLOWED: AnsweredState["questions"][number] = {
  ...{ id: "q1", folder: "/home/mina/code/shop", command: COVERAGE, count: 12 },
  ...{ since: NOW - 6 * DAY, last: NOW - HOUR },
  setting: { file: ".claude/settings.local.json", rule: `Bash(${COVERAGE})` },
};

/** A server with a question that was always allowed, until it is dismissed. */
export function withAlwaysAllowed(server: FixtureServer): void {
  server.config._info.capabilities.answered_v1 = { version: 1 };
  let questions = [ALWAYS_ALLOWED];
  server.replies["/api/answered"] = () => ({ questions });
  server.replies["/api/answered/hide"] = ({ id }) => {
    questions = questions.filter((one) => one.id !== id);
    return { questions };
  };
}

/** Agents, their work and what is said with them, in every state. */
export const AGENT_SCENES: readonly Scene[] = [
  // The agent workspace: review, plan, sessions and what is known of one.
  scene("queue-agents", "#/queue", "role=button[name=/^Reviewed/]", { prepare: asking }),
  scene("queue-unseen", "#/queue", "text=Warehouse 3", { sizes: NARROW, ...AGENTS }),
  scene("queue-page", "#/queue/one", "text=Waiting, 1 of", { prepare: asking }),
  scene("queue-page-end", "#/queue/one", "text=left for later", {
    prepare: (server) => {
      server.switchWorkspace(true);
      keepOnly(server, ["checkout-migration", "list-endpoints", "rate-limits", "css-audit"]);
    },
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
    prepare: withSteps,
    act: (page) => page.getByRole("button", { name: /^7 steps/ }).click(),
  }),
  // Of the chat the events come last.
  scene("page-chat-asks", agentRoute("list-endpoints"), "text=Decided: Errors follow", AGENTS),
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
      server.agents.changeAgent("css-audit", ENDED);
    },
  }),
  scene("queue-collect", "#/queue", "text=3 chosen", { prepare: askingFew, act: collect }),
  scene("queue-sending", "#/queue", "text=Sending 2 of 3", {
    prepare: (server) => {
      askingFew(server);
      let sent = 0;
      server.hook = ({ path }) => {
        if (path !== "/api/select" || ++sent < 2) return undefined;
        return new Promise<Response>(() => {});
      };
    },
    act: async (page) => {
      await collect(page);
      await clickCalmly(page.getByRole("button", { name: "Send 3" }));
    },
  }),
  // The chat of one agent in every state that it can be read and written in.
  scene("agent-chat", IDLE_CHAT, "text=Sent to its terminal", {
    prepare: (server) => withChat(server, "sent"),
  }),
  scene("agent-chat-seen", IDLE_CHAT, "text=Open in a new tab", {
    prepare: (server) => withChat(server, "observed"),
    act: (page) => page.getByRole("button", { name: "https://www.rfc" }).click(),
    sizes: ["phone", "small", "desktop"],
  }),
  scene("agent-chat-working", PLANNER_CHAT, "role=button[name=Decisions][pressed]", {
    ...AGENTS,
    act: (page) => page.getByRole("button", { name: "Decisions" }).click(),
  }),
  scene("agent-chat-offline", IDLE_CHAT, "text=No connection", {
    prepare: (server) => withChat(server),
    act: async (page, server) => {
      const field = page.getByRole("textbox", { name: `Message ${IDLE}` });
      await field.fill("Kept while the train is in the tunnel");
      await page.getByText("One thing I cannot finish").waitFor();
      await loseServer(page, server);
    },
    sizes: ["phone", "desktop"],
    isOffline: true,
  }),
  scene("agent-chat-loading", IDLE_CHAT, ".chat .skeleton", {
    prepare: (server) => {
      withChat(server);
      server.hold("/messages");
    },
    sizes: ["phone"],
  }),
  scene("agent-chat-search", IDLE_CHAT, "text=3 messages", {
    prepare: (server) => {
      withChat(server, "sent");
      const { context } = server.agents.find(IDLE);
      const isCut = { ...context, message_history_truncated: true };
      server.agents.changeAgent(IDLE, { context: isCut });
    },
    act: (page) => search(page, "redis"),
  }),
  // Which pane a session is in: its page in every standing, and the sheets about it.
  scene("agent-ambiguous", agentRoute("query-planner"), "text=Which pane is it?", {
    prepare: makeTwo,
  }),
  scene("agent-nowhere", agentRoute("invoice-export"), "text=No pane is known for it", AGENTS),
  scene("agent-offline", agentRoute("css-audit"), "text=codex resume", {
    prepare: (server) => {
      server.switchWorkspace(true);
      const { updated_at } = server.agents.find("css-audit");
      const last_event_at = updated_at - 16 * 60 * 60;
      server.agents.changeAgent("css-audit", { ...ENDED, last_event_at });
    },
  }),
  scene("agent-choose-pane", agentRoute("query-planner"), "text=/^It is /", {
    prepare: makeTwo,
    act: async (opened) => {
      await opened.getByRole("button", { name: "Choose the pane" }).click();
      await opened.getByRole("dialog").getByRole("radio").first().click();
    },
  }),
  scene("agent-menu", agentRoute("session-rotation"), "text=Unlink this pane", {
    ...AGENTS,
    act: openSheet(""),
  }),
  scene("agent-delete", agentRoute("session-rotation"), "text=It cannot be taken back", {
    ...AGENTS,
    act: openSheet("Delete what was read"),
  }),
  scene("workspace-clear", "#/all", "text=not read again", {
    ...AGENTS,
    act: async (opened) => {
      await opened.getByRole("button", { name: "Settings" }).first().click();
      await opened.getByRole("button", { name: /^Agent workspace/ }).click();
      await opened.getByRole("button", { name: "Delete all that was read" }).click();
    },
  }),
  // Agents that a limit holds: the queue, a pane, and an agent's page.
  scene("parked-queue", "#/queue", "text=Parked, free at", {
    prepare: parkFleet,
    act: (page) => page.getByText("Parked, free at").first().scrollIntoViewIfNeeded(),
  }),
  scene("parked-pane", paneHash("%14"), ".parked-box [role=switch]", {
    prepare: parkFleet,
    sizes: DOCKED,
  }),
  scene("parked-agent", PLANNER_CHAT, ".parked-box [role=switch]", {
    prepare: parkedAgents,
    act: chatLoaded,
    sizes: DOCKED,
  }),
  scene("parked-not-continued", paneHash("%35"), ".parked-box [role=status]", {
    prepare: (server) => {
      parkFleet(server);
      const fate = { state: "not_sent", at: FREE_AT - 60, text: "continue" } as const;
      const continue_then = { ...fate, reason: "its screen had changed" };
      server.change("%35", limited("weekly limit", null, { continue_then }));
    },
    sizes: DOCKED,
  }),
  scene("context-pane", paneHash("%35"), ".context-bar", {
    prepare: (server) => server.change("%35", { context_percent: 72 }),
    sizes: DOCKED,
  }),
  scene("parked-active", "#/active", "text=Parked", { prepare: parkFleet }),
  // Messages that wait until an agent is free, and Stop.
  scene("waiting-agent", PLANNER_CHAT, ".waiting-acts", {
    prepare: waitingIn,
    act: unfold,
    sizes: DOCKED,
  }),
  scene("waiting-pane", paneHash(PANE), ".waiting-row", {
    prepare: waitingIn,
    sizes: DOCKED,
  }),
  scene("waiting-held", paneHash(PANE), ".waiting-note[role=status]", {
    prepare: (server) => {
      server.change(PANE, { status: "idle" });
      waitingIn(server).hold(PANE, "typed");
    },
    sizes: DOCKED,
  }),
  scene("waiting-edit", paneHash(PANE), ".waiting-row textarea", {
    prepare: waitingIn,
    act: async (page) => {
      await unfold(page);
      await page.getByRole("button", { name: "Edit", exact: true }).click();
    },
    sizes: DOCKED,
  }),
  scene("waiting-lost", "#/active", "text=were not sent", {
    prepare: (server) => waitingIn(server).keep(PANE, TEXTS, { lost: "gone" }),
  }),
  // What was said in all sessions, searched; and what was always allowed.
  scene("said-all", "#/all", ".said-find", {
    prepare: withFinds,
    act: (page) => page.getByRole("searchbox").first().fill("cursor"),
  }),
  scene("said-palette", "#/queue", ".sheet-palette mark", {
    prepare: withFinds,
    act: async (page) => {
      await sheet("palette")(page);
      await page.getByRole("combobox").fill("cursor");
    },
  }),
  scene("said-around", agentRoute(AT, "chat/m20"), ".found-message", {
    prepare: longChat,
    act: chatLoaded,
  }),
  scene("said-gone", agentRoute(AT, "chat/none"), "text=This message is no longer kept", {
    prepare: (server) => {
      longChat(server);
      const path = `/${agentId(AT)}/messages`;
      server.refuse(path, "unknown agent resource: none", 404);
    },
    sizes: ["phone", "desktop"],
  }),
  scene("always-allowed", "#/queue", ".always-allowed", {
    prepare: withAlwaysAllowed,
    act: (page) => page.locator(".always-allowed").scrollIntoViewIfNeeded(),
  }),
];
