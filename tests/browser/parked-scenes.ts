import { idOf } from "../support/fixture-work.ts";
import { FREE_AT, limited, parkFleet } from "../support/fixture-parked.ts";
import { KeptMessages } from "../support/fixture-waiting.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { paneHash, scene, type Scene } from "./scene.ts";

const withAgents = (server: FixtureServer) => {
  server.switchWorkspace(true);
  parkFleet(server);
  new KeptMessages(server).keep("%14", ["Run the planner tests before you go on."]);
};
const DOCKED = ["phone", "small", "tablet", "desktop"] as const;

/** Agents that a limit holds: the queue, a pane, and an agent's page. */
export const PARKED_SCENES: readonly Scene[] = [
  scene("parked-queue", "#/queue", "text=Parked, free at", {
    prepare: parkFleet,
    act: async (page) => {
      await page.getByText("Parked, free at").first().scrollIntoViewIfNeeded();
    },
  }),
  scene("parked-pane", paneHash("%14"), ".parked-box [role=switch]", {
    prepare: parkFleet,
    sizes: DOCKED,
  }),
  scene(
    "parked-agent",
    `#/agent/${idOf("agent", "query-planner")}/chat`,
    ".parked-box [role=switch]",
    {
      prepare: withAgents,
      sizes: DOCKED,
    },
  ),
  scene("parked-not-continued", paneHash("%35"), ".parked-box [role=status]", {
    prepare: (server) => {
      parkFleet(server);
      const fate = { state: "not_sent", at: FREE_AT - 60, text: "continue" } as const;
      server.change(
        "%35",
        limited("weekly limit", null, {
          continue_then: { ...fate, reason: "its screen had changed" },
        }),
      );
    },
    sizes: DOCKED,
  }),
  scene("context-pane", paneHash("%35"), ".context-bar", {
    prepare: (server) => server.change("%35", { context_percent: 72 }),
    sizes: DOCKED,
  }),
  scene("parked-active", "#/active", "text=Parked", { prepare: parkFleet }),
];
