import type { PaneState } from "../../src/protocol/pane.ts";
import type { FixtureServer } from "./fixture-server.ts";
import { NOW } from "./fixture-panes.ts";

const HOUR = 3600;
const AGENT = { id: "agent_a", label: "Claude Code" };
/** Four hours and 39 minutes from now. */
export const FREE_AT = NOW + 4 * HOUR + 39 * 60;

/** A pane that a limit holds since a while. */
export function limited(
  reason: string,
  until: number | null,
  members: Partial<PaneState> = {},
): Partial<PaneState> {
  const notice = `  ⎿  You've hit your ${reason} · resets 2:20pm`;
  return {
    status: "error",
    status_since: NOW - 240,
    prompt_since: null,
    question: null,
    menu: [],
    agent: AGENT,
    kind: "agent_a",
    evidence: [notice],
    lines: ["● Rewriting the planner", notice, "────────────", "❯ ", "────────────"],
    parked: { reason, until, continues: false },
    ...members,
  };
}

/** Three that one limit holds, one of them to go on, and one with another limit. */
export function parkFleet(server: FixtureServer): void {
  const at = (id: string, members: Partial<PaneState>) => server.change(id, members);
  at("%14", limited("5-hour limit", FREE_AT));
  at("%35", limited("5-hour limit", FREE_AT));
  at(
    "%24",
    limited("5-hour limit", FREE_AT + 20, {
      continue_then: { state: "set", at: FREE_AT + 80, text: "continue", reason: null },
    }),
  );
  at("%41", limited("weekly limit", NOW + 45 * HOUR));
}
