import type { PaneState } from "../../src/protocol/pane.ts";
import type { Publication } from "../../src/terminal/hub.ts";
import type { PaneSight } from "../../src/terminal/transitions.ts";

/** What a pass tells of a pane that is shown. */
export const paneSight = (state: PaneState, identity = state.id): PaneSight => ({
  ...{ identity, state, isShown: true },
});

/** What a pass tells that has found these panes and nothing else. */
export const publication = (members: Partial<Publication> = {}): Publication => ({
  ...{ at: 1000, panes: [], listed: [], lines: new Map(), hasFailed: false },
  sights: (members.panes ?? []).map((state) => paneSight(state)),
  ...members,
});
