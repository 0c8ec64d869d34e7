import type { MessageSearch } from "../../src/protocol/agent-replies.ts";
import type { AnsweredState } from "../../src/protocol/answered.ts";
import { NOW } from "../support/fixture-panes.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { idOf, messageOf } from "../support/fixture-work.ts";
import { scene, type Scene, sheet } from "./scene.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
const AT = "list-endpoints";
const PLANNER = "query-planner";

type Find = MessageSearch["finds"][number];

const find = (
  title: string,
  members: Omit<Find, "agent_id" | "match" | "role"> & { role?: Find["role"] },
): Find => ({ role: "assistant", match: "cursor", ...members, agent_id: idOf("agent", title) });

const FINDS: readonly Find[] = [
  find(AT, {
    id: "f1",
    created_at: NOW - 6 * 60,
    before: "That leaves pagination as the last open point. An opaque ",
    after: " stays stable while rows are inserted, but there is no total count.",
  }),
  find(AT, {
    id: "f2",
    created_at: NOW - 17 * HOUR,
    role: "user",
    before: "Ask me before you use a ",
    after: " on anything that web pages through.",
  }),
  find(AT, {
    id: "f3",
    created_at: NOW - 18 * HOUR,
    before: "/events already returns a next_",
    after: ".",
  }),
  find(AT, {
    id: "f4",
    created_at: NOW - 19 * HOUR,
    before: "The ",
    after: " is a base64 string.",
  }),
  find(PLANNER, {
    id: "f5",
    created_at: NOW - 5 * DAY,
    before: "A server-side ",
    after: " keeps the export under 80 MB.",
  }),
];

function found(server: FixtureServer, finds: readonly Find[] = FINDS): void {
  server.switchWorkspace(true);
  const { capabilities } = server.config._info;
  server.config._info.capabilities = { ...capabilities, search_v1: { version: 1 } };
  const titles = [...new Set(finds.map(({ agent_id }) => agent_id))];
  const agents = [AT, PLANNER]
    .map((title) => server.agents.find(title).work.agent)
    .filter(({ id }) => titles.includes(id))
    .map((agent) =>
      agent.title === PLANNER
        ? { ...agent, pane_id: null, target: null, lifecycle: "offline" as const }
        : agent,
    );
  server.hook = ({ path }) =>
    path === "/api/messages"
      ? Response.json({ finds, agents, next_cursor: null, retained_from: NOW - 15 * DAY })
      : undefined;
}

function longChat(server: FixtureServer): void {
  found(server);
  const id = idOf("agent", AT);
  server.agents.find(AT).messages = Array.from({ length: 40 }, (_, i) => ({
    ...messageOf(
      id,
      i % 2 === 0 ? "user" : "assistant",
      `What was said in place ${i}.`,
      NOW - DAY + i * 60,
    ),
    id: `m${i}`,
  }));
}

const HABITS: AnsweredState = {
  questions: [
    {
      id: "q1",
      folder: "/home/mina/code/shop",
      command: "pnpm vitest run --coverage",
      count: 12,
      since: NOW - 6 * DAY,
      last: NOW - HOUR,
      setting: {
        file: ".claude/settings.local.json",
        rule: "Bash(pnpm vitest run --coverage)",
      },
    },
  ],
};

function allowed(server: FixtureServer): void {
  const { capabilities } = server.config._info;
  server.config._info.capabilities = { ...capabilities, answered_v1: { version: 1 } };
  server.replies["/api/answered"] = () => HABITS;
}

/** What was said in all sessions, searched; and what was always allowed. */
export const SAID_SCENES: readonly Scene[] = [
  scene("said-all", "#/all", ".said-find", {
    prepare: found,
    act: (page) => page.getByRole("searchbox").first().fill("cursor"),
  }),
  scene("said-palette", "#/queue", ".sheet-palette mark", {
    prepare: found,
    act: async (page) => {
      await sheet("palette")(page);
      await page.getByRole("combobox").fill("cursor");
    },
  }),
  scene("said-around", `#/agent/${idOf("agent", AT)}/chat/m20`, ".found-message", {
    prepare: longChat,
  }),
  scene(
    "said-gone",
    `#/agent/${idOf("agent", AT)}/chat/none`,
    "text=This message is no longer kept",
    {
      prepare: (server) => {
        longChat(server);
        const { hook } = server;
        server.hook = (request) =>
          request.path.endsWith(`/${idOf("agent", AT)}/messages`)
            ? Response.json({ detail: "unknown agent resource: none" }, { status: 404 })
            : hook(request);
      },
      sizes: ["phone", "desktop"],
    },
  ),
  scene("always-allowed", "#/queue", ".always-allowed", {
    prepare: allowed,
    act: (page) => page.locator(".always-allowed").scrollIntoViewIfNeeded(),
  }),
];
