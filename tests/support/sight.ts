import type { PaneState } from "../../src/protocol/pane.ts";
import type { ListedSight, Publication } from "../../src/terminal/hub.ts";
import type { PaneSight } from "../../src/terminal/transitions.ts";
import { listedPane } from "./listed.ts";

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
