import { aboutOf } from "../../src/detect/about.ts";
import { PaneState } from "../../src/protocol/pane.ts";
import { fixture, type Given } from "./fixture.ts";

/** A quiet live mux pane; a test states what matters to it. */
export function pane(members: Partial<PaneState> = {}): PaneState {
  const made = { ...fixture(PaneState, QUIET), ...members };
  return { ...made, about: members.about ?? aboutOf(made) };
}

const QUIET: Given<PaneState> = {
  ...{ id: "%1", target: "work:1.1", name: "work:1:1", window: "1", provider: "mux" },
  ...{ kind: "generic", status: "idle", reason: "generic.idle", actionable: true },
  ...{ command: "sh", cwd: "/", updated: 1000, status_since: 1000 },
  capabilities: {
    ...{ capture: true, input: "legacy", literal_text: true, menu_select: true },
    ...{ keys: ["Enter"], broadcast: true, create: true },
  },
  legacy_guard: {},
};
