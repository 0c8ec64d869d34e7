import { expect, test } from "bun:test";
import { TerminalItem } from "../../src/protocol/review.ts";
import { rank } from "../../src/review/rank.ts";
import { terminalItems } from "../../src/review/review.ts";
import { agentOf, decisionOf, NOW, workOf } from "./works.ts";

const pane = (
  n: number,
  status: "needs_input" | "error" | "idle",
  prompt: string | null = null,
) => ({
  id: `%${n}`,
  status,
  kind: "agent_a" as const,
  status_since: NOW - n,
  legacy_guard: { prompt_fingerprint: prompt, options_fingerprint: prompt, selected: null },
});
const asking = rank([workOf(1, { decisions: [decisionOf(1, 1)] })]);

test("errors first, then who has waited longest; a pane that is idle is none", () => {
  const items = terminalItems(
    [pane(3, "needs_input"), pane(7, "error"), pane(9, "needs_input"), pane(4, "idle")],
    [],
  );
  expect(items.map(({ id }) => id)).toEqual(["pane:%7", "pane:%9", "pane:%3"]);
  for (const item of items) TerminalItem.strict().parse(item);
});

test("a card speaks for the very prompt on the screen, and for no other", () => {
  expect(terminalItems([pane(1, "needs_input", "sha256:1-1")], asking)).toEqual([]);
  expect(terminalItems([pane(1, "needs_input", "sha256:another")], asking)).toHaveLength(1);
  expect(terminalItems([pane(1, "needs_input")], asking)).toHaveLength(1);
});

test("a decision whose delivery is in doubt, or whose session is not confirmed, speaks for none", () => {
  const live = pane(1, "needs_input", "sha256:1-1");
  const doubt = rank([workOf(1, { decisions: [decisionOf(1, 1, { status: "unknown" })] })]);
  expect(terminalItems([live], doubt)).toHaveLength(1);
  const guessed = rank([
    workOf(1, {
      agent: agentOf(1, { association: "probable" }),
      decisions: [decisionOf(1, 1)],
    }),
  ]);
  expect(terminalItems([live], guessed)).toHaveLength(1);
});

test("a failed pane is left to its card only while that card shows the error", () => {
  const agent = agentOf(1, { lifecycle: "error" });
  const failed = rank([workOf(1, { agent })]);
  expect(terminalItems([pane(1, "error")], failed)).toEqual([]);
  expect(terminalItems([pane(1, "error")], asking)).toHaveLength(1);
});
