import { setImmediate } from "node:timers/promises";
import type { Composer } from "../../src/detect/finding.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { pane, paneSight } from "../support/pane.ts";
import { dialog, type SimulatedScreen, type SimulatedPanes } from "./simulated.ts";
import { option } from "../support/detect-input.ts";

// An agent with an input line in the pane `%7`, and a client that writes to it.

export const ID = "%7";
export const IDENTITY = "server/%7/100";
export const CLIENT = {
  name: "Pixel 9 at 192.0.2.7",
  scope: "type",
  by: { grant: "pixel", name: "Pixel 9" },
} as const;
export const AGENT = { id: "agent_a", label: "Claude Code" };

export const EMPTY: Composer = { holds: "nothing", line: 2 };
export const UNCLEAR: Composer = { holds: "unclear", line: 2 };
export const draft = (text: string): Composer => ({ holds: "draft", text, line: 2 });

const stateOf = (members: Partial<PaneState>) =>
  pane({ id: ID, kind: "agent_a", agent: AGENT, ...members });

export function idle(
  composer: Composer | null = EMPTY,
  members: Partial<PaneState> = {},
): SimulatedScreen {
  const state = stateOf({ status: "idle", ...members });
  return { lines: ["done.", "", "> "], composer, state };
}

export function working(
  composer: Composer | null = EMPTY,
  members: Partial<PaneState> = {},
): SimulatedScreen {
  const state = stateOf({ status: "working", ...members });
  return { lines: ["Thinking…", "", "> "], composer, state };
}

export function asking(): SimulatedScreen {
  const asked = dialog("Run it?", [option("1", "Yes", { selected: true }), option("2", "No")]);
  return { ...asked, state: stateOf({ status: "needs_input", question: "Run it?" }) };
}

export function sightOf(panes: SimulatedPanes, id = ID, members: Partial<PaneState> = {}) {
  return paneSight({ ...panes.state(id), ...members }, `server/${id}/100`);
}

/** Waits for all work that needs no timer. */
export const settled = (): Promise<void> => setImmediate();

/** The code of the refusal; null where the request is not refused. */
export const refusalCode = (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    (error: { detail?: { code?: string } }) => error.detail?.code ?? String(error),
  );
