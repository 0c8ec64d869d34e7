import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { AttentionReason, ReviewGroup, TerminalItem } from "../../src/protocol/review.ts";
import { rank, type ReviewWork } from "../../src/agents/review/rank.ts";
import { terminalItems } from "../../src/agents/review/review.ts";
import { agentOf, decisionOf, NOW, reviewedUpTo, uuid, workOf } from "./works.ts";
import { forAll } from "../support/laws.ts";

const goal = { goal_changed: { from: null, to: "another" } };
const blocker = (at: number) => ({
  new_blockers: [{ id: `b${at}`, title: "stuck", created_at: at, source: "runtime_plan" as const }],
});
const failed = (n: number, at: number) => agentOf(n, { lifecycle: "error", last_event_at: at });
const ids = (works: readonly ReviewWork[]) => rank(works).map(({ agent_id }) => agent_id);

describe("the order of the cards", () => {
  test("cards rank by urgent decision, error, pending decision, new blocker, other change, in this order", () => {
    const works = [
      workOf(1, { changes: goal }),
      workOf(2, { changes: blocker(NOW - 500) }),
      workOf(3, { decisions: [decisionOf(3, 1, { created_at: NOW - 900 })] }),
      workOf(4, { agent: failed(4, NOW - 5) }),
      workOf(5, { decisions: [decisionOf(5, 1, { priority: "critical", created_at: NOW - 1 })] }),
    ];
    expect(ids(works)).toEqual([5, 4, 3, 2, 1].map(uuid));
    expect(rank(works).map(({ rank_reason }) => rank_reason)).toEqual([
      "urgent_decision",
      "error",
      "pending_decision",
      "new_blocker",
      "changed",
    ]);
  });

  test("cards of one rank stand oldest first, at equal times by id", () => {
    const at = (n: number, created_at: number) =>
      workOf(n, { decisions: [decisionOf(n, 1, { created_at })] });
    expect(ids([at(1, NOW - 1), at(2, NOW - 3), at(4, NOW - 2), at(3, NOW - 2)])).toEqual(
      [2, 3, 4, 1].map(uuid),
    );
  });

  test("a card with several reasons ranks by the most important, with the time of that reason", () => {
    const both = workOf(1, {
      changes: blocker(NOW - 9000),
      decisions: [decisionOf(1, 1, { created_at: NOW - 10 })],
    });
    const older = workOf(2, { decisions: [decisionOf(2, 1, { created_at: NOW - 20 })] });
    expect(ids([both, older])).toEqual([uuid(2), uuid(1)]);
  });

  test("a decision of unknown outcome ranks with the changes, by its age", () => {
    const doubtful = { status: "unknown", review_status: "terminal_required" } as const;
    const doubt = workOf(1, {
      decisions: [decisionOf(1, 1, { ...doubtful, created_at: NOW - 40 })],
    });
    const change = workOf(2, { changes: goal, first_unreviewed_at: NOW - 60 });
    const [first, second] = rank([doubt, change]);
    expect([first?.agent_id, second?.agent_id]).toEqual([uuid(2), uuid(1)]);
    expect(second?.rank_reason).toBe("changed");
    expect(second?.attention_reasons).toEqual(["terminal_required_decision"]);
  });

  test("a decision that only the terminal can answer ranks as pending", () => {
    const [card] = rank([
      workOf(1, {
        decisions: [decisionOf(1, 1, { multi_select: true, review_status: "terminal_required" })],
      }),
    ]);
    expect(card?.rank_reason).toBe("pending_decision");
    expect(card?.attention_reasons).toEqual(["pending_decision", "terminal_required_decision"]);
  });
});

describe("the set of cards", () => {
  test("an agent without changes and decisions has no card, nor has an agent with only a reply on its way", () => {
    const decisions = [decisionOf(1, 1, { status: "submitting" })];
    expect(rank([workOf(1), workOf(2, { decisions })])).toEqual([]);
  });

  test("a review mark removes the card of an error, not that of a pending decision", () => {
    const error = workOf(1, { agent: failed(1, NOW - 30) });
    expect(rank([error])[0]?.attention_reasons).toEqual(["agent_error"]);
    expect(rank([{ ...error, ...reviewedUpTo(3) }])).toEqual([]);
    const decisions = [decisionOf(1, 1)];
    const asking = workOf(1, { decisions, ...reviewedUpTo(3), changes: goal });
    const [card] = rank([asking]);
    expect(card).toMatchObject({ has_changes: false, changes: {}, reviewed_snapshot_sequence: 3 });
  });

  test("degraded extraction gives a card until it is marked as reviewed", () => {
    const agent = agentOf(1, { extraction_health: "degraded:unknown_records" });
    expect(rank([workOf(1, { agent })])[0]?.attention_reasons).toEqual(["extraction_degraded"]);
    expect(rank([workOf(1, { agent, ...reviewedUpTo(3) })])).toEqual([]);
  });

  test("the card of an agent that was never reviewed has no baseline", () => {
    const [card] = rank([workOf(1, { changes: goal })]);
    expect(card).toMatchObject({
      as_of_snapshot_id: uuid(10),
      as_of_snapshot_sequence: 3,
      reviewed_snapshot_id: null,
      reviewed_snapshot_sequence: 0,
      reviewed_at: null,
    });
  });
});

const decisions = (n: number) =>
  fc
    .array(
      fc.record({
        status: fc.constantFrom("pending", "submitting", "unknown"),
        priority: fc.constantFrom("low", "normal", "high", "critical"),
        created_at: fc.integer({ min: NOW - 50, max: NOW }),
        review_status: fc.constantFrom("actionable", "terminal_required"),
      }),
      { maxLength: 3 },
    )
    .map((items) => items.map((item, index) => decisionOf(n, index, item)));

const anyWork = (n: number): fc.Arbitrary<ReviewWork> =>
  fc
    .record({
      lifecycle: fc.constantFrom("working", "idle", "error", "offline"),
      health: fc.constantFrom("ok", "degraded:unknown_records"),
      changes: fc.constantFrom({}, goal, blocker(NOW - 7), { ...goal, ...blocker(NOW - 70) }),
      decisions: decisions(n),
      reviewed: fc.option(fc.integer({ min: 1, max: 3 })),
      first: fc.option(fc.integer({ min: NOW - 50, max: NOW })),
    })
    .map((facts) =>
      workOf(n, {
        agent: agentOf(n, {
          lifecycle: facts.lifecycle,
          extraction_health: facts.health,
          last_event_at: NOW - n,
        }),
        changes: facts.changes,
        decisions: facts.decisions,
        first_unreviewed_at: facts.first,
        ...(facts.reviewed === null ? {} : reviewedUpTo(facts.reviewed)),
      }),
    );
const fleet = fc.tuple(...Array.from({ length: 8 }, (_, n) => anyWork(n + 1)));

describe("laws of ranking", () => {
  test("the order of the agents does not change the cards", () => {
    forAll([fleet, fc.integer({ min: 0, max: 7 })], (works, turn) => {
      const turned = [...works.slice(turn), ...works.slice(0, turn)].reverse();
      expect(rank(turned)).toEqual(rank(works));
    });
  });

  test("cards are sorted by rank, and every card has a reason and no reply on its way", () => {
    const tiers = ["urgent_decision", "error", "pending_decision", "new_blocker", "changed"];
    forAll([fleet], (works) => {
      const cards = rank(works);
      const order = cards.map(({ rank_reason }) => tiers.indexOf(rank_reason));
      expect(order).toEqual([...order].sort((a, b) => a - b));
      for (const card of cards) {
        ReviewGroup.parse(card);
        expect(card.attention_reasons.length).toBeGreaterThan(0);
        const listed = AttentionReason.options.filter((r) => card.attention_reasons.includes(r));
        expect(card.attention_reasons).toEqual(listed);
        expect(card.decisions.every(({ status }) => status !== "submitting")).toBe(true);
      }
    });
  });

  test("a review mark on the newest snapshot leaves only cards with decisions", () => {
    forAll([fleet], (works) => {
      const marked = works.map((work) => ({
        ...work,
        ...reviewedUpTo(work.as_of_snapshot_sequence),
      }));
      for (const card of rank(marked)) {
        expect(card.has_changes).toBe(false);
        expect(card.decisions.length).toBeGreaterThan(0);
      }
    });
  });
});

describe("terminal items", () => {
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

  test("panes in error come first, then the longest waiting, and an idle pane is not listed", () => {
    const items = terminalItems(
      [pane(3, "needs_input"), pane(7, "error"), pane(9, "needs_input"), pane(4, "idle")],
      [],
    );
    expect(items.map(({ id }) => id)).toEqual(["pane:%7", "pane:%9", "pane:%3"]);
    for (const item of items) TerminalItem.strict().parse(item);
  });

  test("a card with a decision replaces only the pane with the same prompt", () => {
    expect(terminalItems([pane(1, "needs_input", "sha256:1-1")], asking)).toEqual([]);
    expect(terminalItems([pane(1, "needs_input", "sha256:another")], asking)).toHaveLength(1);
    expect(terminalItems([pane(1, "needs_input")], asking)).toHaveLength(1);
  });

  test("a decision of unknown outcome or of an unconfirmed session replaces no pane", () => {
    const live = pane(1, "needs_input", "sha256:1-1");
    const doubtful = { status: "unknown", review_status: "terminal_required" } as const;
    const doubt = rank([workOf(1, { decisions: [decisionOf(1, 1, doubtful)] })]);
    expect(terminalItems([live], doubt)).toHaveLength(1);
    const guessed = rank([
      workOf(1, {
        agent: agentOf(1, { association: "probable" }),
        decisions: [decisionOf(1, 1)],
      }),
    ]);
    expect(terminalItems([live], guessed)).toHaveLength(1);
  });

  test("a pane in error is not listed while the card of its agent shows the error", () => {
    const agent = agentOf(1, { lifecycle: "error" });
    const failed = rank([workOf(1, { agent })]);
    expect(terminalItems([pane(1, "error")], failed)).toEqual([]);
    expect(terminalItems([pane(1, "error")], asking)).toHaveLength(1);
  });
});
