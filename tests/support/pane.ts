import { aboutOf } from "../../src/detect/about.ts";
import { PaneState } from "../../src/protocol/pane.ts";
import type { ListedSight, Publication } from "../../src/terminal/hub.ts";
import type { ListedPane } from "../../src/terminal/provider.ts";
import type { PaneSight } from "../../src/terminal/transitions.ts";
import { fixture, type DeepPartial } from "./fixture.ts";

/** A quiet live mux pane; a test states what matters to it. */
export function pane(members: Partial<PaneState> = {}): PaneState {
  const made = { ...fixture(PaneState, QUIET), ...members };
  return { ...made, about: members.about ?? aboutOf(made) };
}

const QUIET: DeepPartial<PaneState> = {
  ...{ id: "%1", target: "work:1.1", name: "work:1:1", window: "1", provider: "mux" },
  ...{ kind: "generic", status: "idle", reason: "generic.idle", actionable: true },
  ...{ command: "sh", cwd: "/", updated: 1000, status_since: 1000 },
  capabilities: {
    ...{ capture: true, input: "legacy", literal_text: true, menu_select: true },
    ...{ keys: ["Enter"], broadcast: true, create: true },
  },
  legacy_guard: {},
};

/** A shell as a provider lists it; a test states what matters to it. */
export function listedPane(members: Partial<ListedPane> = {}): ListedPane {
  return {
    ...{ id: "", identity: "", target: "", revision: "", window: "1" },
    ...{ title: "", command: "sh", cwd: "/", isCreatedHere: false, hasProgress: false },
    ...{ hasEnded: false, width: 80, height: 24, alternate: false, cursor: null },
    ...{ hierarchy: [], native: null },
    names: { session: "work", windowIndex: "1", paneIndex: "1" },
    capabilities: pane().capabilities,
    ...members,
  };
}

/** The sight of a pane that is shown. */
export const paneSight = (state: PaneState, identity = state.id): PaneSight => ({
  ...{ identity, state, isShown: true },
});

export const listedSight = (state: PaneState, members: Partial<ListedSight> = {}): ListedSight => ({
  ...{ ...paneSight(state), lines: [] },
  pane: listedPane({ id: state.id, identity: state.id, target: state.target }),
  ...members,
});

/** The publication of a pass that found these panes alone. */
export const publication = (members: Partial<Publication> = {}): Publication => ({
  ...{ at: 1000, panes: [], hasFailed: false },
  sights: (members.panes ?? []).map((state) => listedSight(state)),
  ...members,
});
