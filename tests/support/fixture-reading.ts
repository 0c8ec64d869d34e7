import type { Finding, Prompt } from "../../src/detect/finding.ts";
import { fingerprints } from "../../src/detect/prompt.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import type { ListedPane } from "../../src/terminal/provider.ts";
import type { PaneReading } from "../../src/terminal/reading.ts";
import { finding, prompt } from "./detect-input.ts";
import { NOW } from "./fixture-panes.ts";

/** What a pane of a fixture asks, as a dialog that nobody knows by its shape: its keys are typed. */
function promptOf({ status, question, evidence, menu }: PaneState, edition: number): Prompt | null {
  if (status !== "needs_input") return null;
  const options = menu.map((option) => ({
    ...option,
    answer: [],
    answerWithText: option.freeform
      ? ([{ do: "type", text: option.key }, { do: "text" }, { do: "key", key: "Enter" }] as const)
      : null,
  }));
  const clipped = { texts: [`edition ${edition}`], characters: 0 };
  return prompt(question ?? "", { evidence, options, clipped });
}

/** With the guard of what it asks: another prompt has another one, and all do in another edition. */
export function withGuard(pane: PaneState, edition: number): PaneState {
  return pane.legacy_guard === null
    ? pane
    : { ...pane, legacy_guard: fingerprints(promptOf(pane, edition)) };
}

/**
 * A pane of a fixture as it is read at the moment in which something is sent to it.
 * @param typed drawn below its lines, as a program draws what it was sent before
 */
export function readingOf(
  state: PaneState,
  listed: ListedPane,
  { edition, typed }: { edition: number; typed: string },
): PaneReading {
  const asked = promptOf(state, edition);
  const { kind, agent, status, reason, lines } = state;
  return {
    pane: listed,
    state,
    prompt: asked,
    composer: null,
    screen: {
      lines: (typed === "" ? lines : [...lines, typed]).map((text) => ({ text, runs: [] })),
    },
    finding: finding({
      ...{ kind, agent, prompt: asked, rule: reason, line: lines.length - 1 },
      status: status === "offline" ? "idle" : status,
      region: { rule: "agent_a.dialog", start: Math.max(0, lines.length - 4), end: lines.length },
      ruledOut: RULED_OUT,
    }),
    isUnsettled: false,
    lineAge: NOW - state.status_since,
  };
}

const RULED_OUT: Finding["ruledOut"] = [
  {
    ...{ rule: "agent_a.working.spinner", matched: false, line: null, line_index: null },
    note: "no spinner in the live region",
  },
  {
    ...{ rule: "generic.error.pattern", matched: true, line: "Error: cached", line_index: 3 },
    note: "outside the live region",
  },
];
