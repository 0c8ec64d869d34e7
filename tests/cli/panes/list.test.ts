import { expect, test } from "bun:test";
import { makeCards } from "../../../src/cards/cards.ts";
import { inNeed, renderList } from "../../../src/cli/panes/list.ts";
import { findPane } from "../../../src/cli/panes/service-panes.ts";
import { StartupError } from "../../../src/errors.ts";
import { rank } from "../../../src/agents/review/rank.ts";
import { decisionOf, NOW, workOf } from "../../review/works.ts";
import { pane } from "../../support/pane.ts";

const asks = (n: number, prompt_since: number) =>
  pane({ id: `%${n}`, target: `sh:${n}.0`, status: "needs_input", prompt_since });

test("waiting panes come first: high priority, then the longest wait", () => {
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

test("a row has the question with its subject, or the error", () => {
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

test("a row has no character that acts on the terminal or reorders what it shows", () => {
  const question = "Delete \u202etxt.exe\u202c \u2066a\u2069\u200f\u061c\u001b[2J\u0007?";
  const row = renderList([pane({ status: "needs_input", question, evidence: [] })], NOW);
  expect(row).toEndWith("Delete  txt.exe   a ?\n");
});

const PANES = [
  pane({ id: "%1", target: "sh:0.0", name: "api" }),
  pane({ id: "%2", target: "sh:1.0", name: "api" }),
  pane({ id: "%3", target: "sh:2.0", name: "docs" }),
];

test("a pane is found by its target or its id", () => {
  expect(findPane(PANES, "sh:1.0").id).toBe("%2");
  expect(findPane(PANES, "%3").id).toBe("%3");
});

test.each([
  ["api", "no pane api: say which one: sh:0.0, sh:1.0"],
  ["docs", "no pane docs: say which one: sh:2.0"],
  [
    "nowhere",
    "no pane nowhere: panewatch ls shows them, idle shells with discovery.include_shells",
  ],
])("the name %s finds no pane, and the refusal lists its targets", (typed, message) => {
  expect(() => findPane(PANES, typed)).toThrow(new StartupError(message));
});
