import { idOf } from "../support/fixture-work.ts";
import { FREE_AT, limited, parkFleet, takesContinue } from "../support/fixture-parked.ts";
import { KeptMessages } from "../support/fixture-waiting.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { paneHash, type Scene } from "./scene.ts";

const parked = (server: FixtureServer) => {
  parkFleet(server);
  takesContinue(server);
};
const withAgents = (server: FixtureServer) => {
  server.switchWorkspace(true);
  parked(server);
  new KeptMessages(server).keep("%14", ["Run the planner tests before you go on."]);
};
const DOCKED = ["phone", "small", "tablet", "desktop"] as const;

/** Agents that a limit holds: the queue, a pane, and an agent's page. */
export const PARKED_SCENES: readonly Scene[] = [
  {
    name: "parked-queue",
    hash: "#/queue",
    prepare: parked,
    act: async (page) => {
      await page.getByText("Parked, free at").first().scrollIntoViewIfNeeded();
    },
    shows: "text=Parked, free at",
  },
  {
    name: "parked-pane",
    hash: paneHash("%14"),
    prepare: parked,
    shows: ".parked-box [role=switch]",
    sizes: DOCKED,
  },
  {
    name: "parked-pane-set",
    hash: paneHash("%24"),
    prepare: parked,
    shows: '.parked-box [aria-checked="true"]',
    sizes: DOCKED,
  },
  {
    name: "parked-agent",
    hash: `#/agent/${idOf("agent", "query-planner")}/chat`,
    prepare: withAgents,
    shows: ".parked-box [role=switch]",
    sizes: DOCKED,
    mocks: { phone: "agent-parked" },
  },
  {
    name: "parked-not-continued",
    hash: paneHash("%35"),
    prepare: (server) => {
      parked(server);
      const fate = { state: "not_sent", at: FREE_AT - 60, text: "continue" } as const;
      server.change(
        "%35",
        limited("weekly limit", null, {
          continue_then: { ...fate, reason: "its screen had changed" },
        }),
      );
    },
    shows: ".parked-box .continued",
    sizes: DOCKED,
  },
  {
    name: "context-pane",
    hash: paneHash("%35"),
    prepare: (server) => server.change("%35", { context_percent: 72 }),
    shows: ".context-bar",
    sizes: DOCKED,
  },
  {
    name: "context-agent",
    hash: `#/agent/${idOf("agent", "query-planner")}/chat`,
    prepare: (server) => {
      server.switchWorkspace(true);
      server.change("%14", { context_percent: 92 });
    },
    shows: ".context-bar.high",
    sizes: DOCKED,
    mocks: { phone: "agent-working" },
  },
  {
    name: "context-queue",
    hash: "#/queue",
    prepare: (server) => server.change("%12", { context_percent: 88 }),
    act: async (page) => {
      await page.getByText("of its context").first().scrollIntoViewIfNeeded();
    },
    shows: "text=88 % of its context.",
  },
  { name: "parked-active", hash: "#/active", prepare: parked, shows: "text=Parked" },
];
