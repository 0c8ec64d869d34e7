import type { Page } from "playwright-core";
import type { ChatMessage } from "../../src/protocol/agents.ts";
import { NOW } from "../support/fixture-panes.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { idOf, messageOf } from "../support/fixture-work.ts";
import { AGENTS, loseServer, scene, type Scene } from "./scene.ts";

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
  scene("agent-chat", hash, "text=Sent to its terminal", {
    prepare: (server) => said(server, "sent"),
  }),
  scene("agent-chat-seen", hash, "text=Open in a new tab", {
    prepare: (server) => said(server, "observed"),
    act: (page) => page.getByRole("button", { name: "https://www.rfc" }).click(),
    sizes: ["phone", "small", "desktop"],
  }),
  scene(
    "agent-chat-working",
    `#/agent/${idOf("agent", "query-planner")}/chat`,
    "role=button[name=Decisions][pressed]",
    {
      ...AGENTS,
      act: (page) => page.getByRole("button", { name: "Decisions" }).click(),
    },
  ),
  scene("agent-chat-offline", hash, "text=No connection", {
    prepare: (server) => said(server),
    act: async (page, server) => {
      const field = page.getByRole("textbox", { name: `Message ${AGENT}` });
      await field.fill("Kept while the train is in the tunnel");
      await loseServer(page, server);
    },
    sizes: ["phone", "desktop"],
    isOffline: true,
  }),
  scene("agent-chat-loading", hash, ".chat .skeleton", {
    prepare: (server) => {
      said(server);
      server.hook = ({ path }) =>
        path.endsWith("/messages") ? new Promise<Response>(() => {}) : undefined;
    },
    sizes: ["phone"],
  }),
  scene("agent-chat-search", hash, "text=3 messages", {
    prepare: (server) => {
      said(server, "sent");
      server.agents.isTruncated = true;
    },
    act: (page) => search(page, "redis"),
  }),
];
