import { describe, expect, test } from "bun:test";
import type { SeenAgent, SeenDecision } from "../../../src/protocol/tolerant-agents.ts";
import {
  enderOf,
  isFresh,
  judgeRelease,
  obstacleOf,
  signatureOf,
} from "../../../web/model/queue/decision.ts";
import { agentOf, decisionOf } from "../../review/works.ts";

const asked = (more: Partial<SeenDecision> = {}): SeenDecision => ({
  ...decisionOf(1, 1),
  ...more,
});
const bound = (more: Partial<SeenAgent> = {}): SeenAgent => ({ ...agentOf(1), ...more });
const facts = { decision: asked(), agent: bound(), isFresh: true, isDoubted: false };

describe("options are live", () => {
  test("when the decision is pending, verified, of a confirmed pane, and fresh", () => {
    expect(obstacleOf(facts)).toBeNull();
  });

  test.each([
    ["terminal", { decision: asked({ review_status: "terminal_required" }) }],
    ["terminal", { decision: asked({ review_status: "unknown" }) }],
    ["terminal", { decision: asked({ multi_select: true }) }],
    ["terminal", { decision: asked({ prompt_fingerprint: null }) }],
    ["terminal", { agent: bound({ association: "probable" }) }],
    [
      "terminal",
      { agent: bound({ capabilities: { ...agentOf(1).capabilities, decision_reply: "unknown" } }) },
    ],
    ["uncertain", { decision: asked({ status: "unknown" }) }],
    ["uncertain", { isDoubted: true }],
    ["submitting", { decision: asked({ status: "submitting" }) }],
    ["over", { decision: asked({ status: "resolved" }) }],
    ["over", { decision: asked({ status: "superseded" }) }],
    ["stale", { isFresh: false }],
  ] as const)("and not when it is %s: %#", (obstacle, difference) => {
    expect(obstacleOf({ ...facts, ...difference })).toBe(obstacle);
  });

  test("what was read a moment ago is fresh without a socket", () => {
    expect([isFresh(true, 0, 9e9), isFresh(false, 1000, 2499), isFresh(false, 1000, 2500)]).toEqual(
      [true, true, false],
    );
  });
});

describe("what has ended was ended", () => {
  const sent = { optionId: "2" };
  const attempts = {
    none: null,
    sent: { step: "sent", sent, at: 0, confirmed: false },
    lost: { step: "uncertain", sent, isPart: false },
    refused: { step: "refused", conflict: "other", reason: "", signature: null },
  } as const;

  test.each([
    ["here", "sent", "2"],
    ["here", "lost", "2"],
    ["elsewhere", "sent", "1"],
    ["elsewhere", "lost", "1"],
    ["elsewhere", "refused", "2"],
    ["elsewhere", "none", "2"],
    ["here", "sent", null],
    ["unclear", "lost", null],
  ] as const)("%s: %s, then %p in its log", (ender, attempt, selected_option_id) => {
    const decision = asked({ status: "resolved", selected_option_id });
    expect(enderOf(decision, attempts[attempt])).toBe(ender);
  });

  test("by nobody where the agent went on by itself", () => {
    expect(enderOf(asked({ status: "superseded" }), attempts.lost)).toBe("nobody");
  });
});

describe("a release", () => {
  const pressed = signatureOf(asked());
  const release = { pressed, latest: pressed, obstacle: null, steadyMs: 400 };

  test("sends what was pressed, on a card that stood still", () => {
    expect(judgeRelease(release)).toBe("send");
    expect(judgeRelease({ ...release, steadyMs: 399 })).toBe("moved");
    expect(judgeRelease({ ...release, obstacle: "stale" })).toBe("blocked");
    expect(judgeRelease({ ...release, latest: null })).toBe("changed");
  });

  const differences: Partial<SeenDecision>[] = [
    { revision: 2 },
    { binding_revision: 2 },
    { prompt_fingerprint: "sha256:another" },
    { options_fingerprint: "1" },
    { title: "Another?" },
    { options: [{ id: "1", label: "That way", description: "", recommended: false }] },
  ];
  test.each(differences)("sends nothing when %j is no longer what was seen", (difference) => {
    expect(judgeRelease({ ...release, latest: signatureOf(asked(difference)) })).toBe("changed");
  });
});
