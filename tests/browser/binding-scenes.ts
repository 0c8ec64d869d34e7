import { idOf } from "../support/fixture-work.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import type { Scene } from "./scene.ts";

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
  {
    name: "agent-ambiguous",
    hash: page("query-planner"),
    prepare: makeTwo,
    shows: "text=Which pane is it?",
    mocks: { phone: "agent-ambiguous" },
  },
  {
    name: "agent-nowhere",
    hash: page("invoice-export"),
    prepare: (server) => server.switchWorkspace(true),
    shows: "text=No pane is known for it",
  },
  {
    name: "agent-offline",
    hash: page("css-audit"),
    prepare: (server) => {
      server.switchWorkspace(true);
      const none = { association: "unavailable", pane_id: null, target: null } as const;
      const { updated_at } = server.agents.find("css-audit").work.agent;
      const last_event_at = updated_at - 16 * 60 * 60;
      server.agents.changeAgent("css-audit", { ...none, lifecycle: "offline", last_event_at });
    },
    shows: "text=codex resume",
    mocks: { phone: "agent-offline" },
  },
  {
    name: "agent-choose-pane",
    hash: page("query-planner"),
    prepare: makeTwo,
    act: async (opened) => {
      await opened.getByRole("button", { name: "Choose the pane" }).click();
      await opened.getByRole("dialog").getByRole("radio").first().click();
    },
    shows: "text=/^It is /",
    mocks: { phone: "agent-choose-pane" },
  },
  {
    name: "agent-choose-changed",
    hash: page("query-planner"),
    prepare: makeTwo,
    act: async (opened, server) => {
      await opened.getByRole("button", { name: "Choose the pane" }).click();
      await opened.getByRole("dialog").getByRole("radio").last().click();
      // Only the server knows: its event has not come yet.
      server.agents.publish = () => {};
      server.agents.makeAmbiguous("query-planner", ["%14", "%15"]);
      server.panes = server.panes.filter(({ id }) => id !== "%14");
      await opened.getByRole("button", { name: /^It is / }).click();
      await opened.getByText("not there any more").waitFor();
    },
    shows: "text=Show them anew",
  },
  {
    name: "agent-menu",
    hash: page("session-rotation"),
    prepare: (server) => server.switchWorkspace(true),
    act: openSheet(""),
    shows: "text=Unlink this pane",
    mocks: { phone: "agent-menu" },
  },
  {
    name: "agent-delete",
    hash: page("session-rotation"),
    prepare: (server) => server.switchWorkspace(true),
    act: openSheet("Delete what was read"),
    shows: "text=It cannot be taken back",
    mocks: { phone: "agent-delete" },
  },
  {
    name: "workspace-clear",
    hash: "#/all",
    prepare: (server) => server.switchWorkspace(true),
    act: async (opened) => {
      await opened.getByRole("button", { name: "Settings" }).first().click();
      await opened.getByRole("button", { name: /^Agent workspace/ }).click();
      await opened.getByRole("button", { name: "Delete all that was read" }).click();
    },
    shows: "text=not read again",
  },
];
