import { idOf } from "../support/fixture-work.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { AGENTS, scene, type Scene } from "./scene.ts";

const page = (title: string) => `#/agent/${idOf("agent", title)}`;

/** Two sessions of one folder, of which nobody knows which is in which pane. */
function makeTwo(server: FixtureServer): void {
  server.switchWorkspace(true);
  server.agents.makeAmbiguous("query-planner", ["%14", "%16"]);
  server.agents.makeAmbiguous("rate-limits", ["%14", "%16"]);
}

const openSheet = (name: string) => async (opened: Parameters<NonNullable<Scene["act"]>>[0]) => {
  await opened.getByRole("button", { name: "More", exact: true }).click();
  if (name !== "") await opened.getByRole("button", { name }).click();
};

/** Which pane a session is in: its page in every standing, and the sheets about it. */
export const BINDING_SCENES: readonly Scene[] = [
  scene("agent-ambiguous", page("query-planner"), "text=Which pane is it?", { prepare: makeTwo }),
  scene("agent-nowhere", page("invoice-export"), "text=No pane is known for it", AGENTS),
  scene("agent-offline", page("css-audit"), "text=codex resume", {
    prepare: (server) => {
      server.switchWorkspace(true);
      const none = { association: "unavailable", pane_id: null, target: null } as const;
      const { updated_at } = server.agents.find("css-audit").work.agent;
      const last_event_at = updated_at - 16 * 60 * 60;
      server.agents.changeAgent("css-audit", { ...none, lifecycle: "offline", last_event_at });
    },
  }),
  scene("agent-choose-pane", page("query-planner"), "text=/^It is /", {
    prepare: makeTwo,
    act: async (opened) => {
      await opened.getByRole("button", { name: "Choose the pane" }).click();
      await opened.getByRole("dialog").getByRole("radio").first().click();
    },
  }),
  scene("agent-menu", page("session-rotation"), "text=Unlink this pane", {
    ...AGENTS,
    act: openSheet(""),
  }),
  scene("agent-delete", page("session-rotation"), "text=It cannot be taken back", {
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
];
