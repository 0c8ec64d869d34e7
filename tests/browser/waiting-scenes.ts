import { calm } from "../support/calm.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { KeptMessages } from "../support/fixture-waiting.ts";
import { NOW } from "../support/fixture-panes.ts";
import { idOf, messageOf } from "../support/fixture-work.ts";
import { paneHash, scene, type Scene } from "./scene.ts";

const AGENT = "query-planner";
const PANE = "%14";
const TEXTS = [
  "Then add the refund cases to docs/testing.md.",
  "Open a draft PR, no reviewers.",
] as const;
const SIZES = ["phone", "small", "tablet", "desktop"] as const;

function waiting(server: FixtureServer): KeptMessages {
  server.switchWorkspace(true);
  const agent = server.agents.find(AGENT);
  const { id } = agent.work.agent;
  agent.messages = [
    messageOf(
      id,
      "assistant",
      "The payment sandbox answers again, so I went on with the refund specs.",
      NOW - 19 * 60,
    ),
    messageOf(
      id,
      "assistant",
      "212 specs pass. orders.spec.ts is the last file, 18 tests are left in it.",
      NOW - 8 * 60,
    ),
  ];
  const kept = new KeptMessages(server);
  kept.keep(PANE, TEXTS);
  return kept;
}

/** Messages that wait until an agent is free, and Stop. */
export const WAITING_SCENES: readonly Scene[] = [
  scene("waiting-agent", `#/agent/${idOf("agent", AGENT)}/chat`, ".waiting-acts", {
    prepare: (server) => void waiting(server),
    act: async (page) => {
      await calm(page);
      await page.getByRole("button", { name: "Edit, delete, send now" }).first().click();
    },
    sizes: SIZES,
  }),
  scene("waiting-pane", paneHash(PANE), ".waiting-row", {
    prepare: (server) => void waiting(server),
    sizes: SIZES,
  }),
  scene("waiting-held", paneHash(PANE), ".waiting-note[role=status]", {
    prepare: (server) => {
      server.change(PANE, { status: "idle" });
      waiting(server).hold(PANE, "typed");
    },
    sizes: SIZES,
  }),
  scene("waiting-edit", paneHash(PANE), ".waiting-row textarea", {
    prepare: (server) => void waiting(server),
    act: async (page) => {
      await calm(page);
      await page.getByRole("button", { name: "Edit, delete, send now" }).first().click();
      await page.getByRole("button", { name: "Edit", exact: true }).click();
    },
    sizes: SIZES,
  }),
  scene("waiting-lost", "#/active", "text=were not sent", {
    prepare: (server) => waiting(server).keep(PANE, TEXTS, { lost: "gone" }),
  }),
];
