import type { Page } from "playwright-core";
import type { ChatMessage } from "../../src/protocol/agents.ts";
import { NOW } from "../support/fixture-panes.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { idOf, messageOf } from "../support/fixture-work.ts";
import { loseServer } from "./lost-server.ts";
import type { Scene } from "./scene.ts";

/** Idle, in an idle pane. */
const AGENT = "rate-limits";
const hash = `#/agent/${idOf("agent", AGENT)}/chat`;
const MINUTE = 60;
const at = (ago: number) => NOW - ago * MINUTE;

const OWN = "Add redis:7 to compose.ci.yml, without persistence, and run the test there.";
const SAID: readonly (readonly [ChatMessage["role"], number, string])[] = [
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

function said(server: FixtureServer, own: ChatMessage["status"] | null = null): void {
  server.switchWorkspace(true);
  const agent = server.agents.find(AGENT);
  const { id } = agent.work.agent;
  agent.messages = SAID.map(([role, ago, text]) => messageOf(id, role, text, at(ago)));
  if (own === null) return;
  const message = messageOf(id, "user", OWN, at(1));
  agent.messages.push({ ...message, status: own, client_message_id: "own", native_event_id: null });
}

async function search(page: Page, words: string): Promise<void> {
  await page.getByRole("button", { name: "Search what was said" }).click();
  await page.getByRole("searchbox").fill(words);
}

/** The chat of one agent in every state that it can be read and written in. */
export const CHAT_SCENES: readonly Scene[] = [
  {
    name: "agent-chat",
    hash,
    prepare: (server) => said(server, "sent"),
    shows: "text=Sent to its terminal",
    mocks: { phone: "agent-chat" },
  },
  {
    name: "agent-chat-seen",
    hash,
    prepare: (server) => said(server, "observed"),
    act: (page) => page.getByRole("button", { name: "https://www.rfc" }).click(),
    shows: "text=Open in a new tab",
    sizes: ["phone", "small", "desktop"],
    mocks: { phone: "agent-chat-states" },
  },
  {
    name: "agent-chat-working",
    hash: `#/agent/${idOf("agent", "query-planner")}/chat`,
    prepare: (server) => server.switchWorkspace(true),
    act: (page) => page.getByRole("button", { name: "Decisions" }).click(),
    shows: "role=button[name=Decisions][pressed]",
    mocks: { phone: "agent-chat-working" },
  },
  {
    name: "agent-chat-stale",
    hash,
    prepare: (server) => said(server),
    act: async (page, server) => {
      await page.getByText("Token bucket per API key").first().waitFor();
      server.hook = ({ path }) =>
        path.startsWith("/api/agents") ? new Response("bad gateway", { status: 502 }) : undefined;
      server.agents.changeMessages(AGENT, (messages) => messages);
    },
    shows: "text=This may be old",
    sizes: ["phone"],
    mocks: { phone: "agent-chat-states" },
  },
  {
    name: "agent-chat-offline",
    hash,
    prepare: (server) => said(server),
    act: async (page, server) => {
      const field = page.getByRole("textbox", { name: `Message ${AGENT}` });
      await field.fill("Kept while the train is in the tunnel");
      await loseServer(page, server);
    },
    shows: "text=No connection",
    sizes: ["phone", "desktop"],
    isOffline: true,
    mocks: { phone: "agent-chat-states" },
  },
  {
    name: "agent-chat-empty",
    hash,
    prepare: (server) => {
      said(server);
      server.agents.find(AGENT).messages = [];
    },
    shows: "text=Nothing was said yet",
    sizes: ["phone", "desktop"],
    mocks: { phone: "agent-chat-states" },
  },
  {
    name: "agent-chat-loading",
    hash,
    prepare: (server) => {
      said(server);
      server.hook = ({ path }) =>
        path.endsWith("/messages") ? new Promise<Response>(() => {}) : undefined;
    },
    shows: ".chat .skeleton",
    sizes: ["phone"],
  },
  {
    name: "agent-chat-error",
    hash,
    prepare: (server) => {
      said(server);
      server.hook = ({ path }) =>
        path.endsWith("/messages") ? new Response("bad gateway", { status: 502 }) : undefined;
    },
    shows: "text=The list could not be loaded",
    sizes: ["phone"],
  },
  {
    name: "agent-chat-truncated",
    hash,
    prepare: (server) => {
      said(server);
      server.agents.isTruncated = true;
    },
    shows: "text=Older messages are no longer kept.",
    sizes: ["phone"],
    mocks: { phone: "agent-chat" },
  },
  {
    name: "agent-chat-search",
    hash,
    prepare: (server) => {
      said(server, "sent");
      server.agents.isTruncated = true;
    },
    act: (page) => search(page, "redis"),
    shows: "text=3 messages",
    mocks: { phone: "agent-chat-search" },
  },
  {
    name: "agent-chat-no-hit",
    hash,
    prepare: (server) => said(server),
    act: (page) => search(page, "memcached"),
    shows: "text=No message fits.",
    sizes: ["phone"],
    mocks: { phone: "agent-chat-search" },
  },
];
