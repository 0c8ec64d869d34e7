import { expect, test } from "bun:test";
import { inNeed, renderList } from "../../../src/cli/panes/list.ts";
import { makeCards } from "../../../src/cards/cards.ts";
import { rank } from "../../../src/review/rank.ts";
import { decisionOf, NOW, workOf } from "../../review/works.ts";
import { pane } from "../../support/pane.ts";

const asks = (n: number, prompt_since: number) =>
  pane({ id: `%${n}`, target: `sh:${n}.0`, status: "needs_input", prompt_since });

test("what waits comes first, what its agent calls urgent before the longest wait", () => {
  const panes = [
    pane({ id: "%1", status: "idle", status_since: 5 }),
    pane({ id: "%2", status: "idle", status_since: 4 }),
    pane({ id: "%3", status: "error" }),
    ...[asks(4, NOW - 9), asks(5, NOW - 99), asks(6, NOW - 1)],
  ];
  const urgent = workOf(6, { decisions: [decisionOf(6, 1, { priority: "high" })] });
  const { cards } = makeCards({ panes, groups: rank([urgent]), now: NOW });
  expect(inNeed(panes, cards).map(({ id }) => id)).toEqual(["%6", "%5", "%4", "%3", "%2", "%1"]);
});

test("a row says what is asked and for what, and what failed", () => {
  const shared = {
    target: "sh:1.0",
    command: "claude",
    status_since: NOW - 60,
    prompt_since: null,
  };
  const row = (members: Parameters<typeof pane>[0]) =>
    renderList([pane({ ...shared, ...members })], NOW).trim();
  const command = { question: "Go on?", evidence: ["Bash command", "", "npm test"] };
  expect(row({ status: "needs_input", ...command })).toEndWith("1m  Go on?  npm test");
  expect(row({ status: "needs_input", question: "Which?" })).toEndWith("1m  Which?");
  const evidence = ["Traceback:", "  at x", "ValueError: no"];
  expect(row({ status: "error", evidence })).toEndWith("1m  ValueError: no");
  const agent = { id: "agent_a", label: "Claude Code" };
  expect(row({ status: "idle", agent, evidence: ["All green."] })).toEndWith("Claude Code  1m");
});
