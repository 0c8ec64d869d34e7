import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import type { AgentStore } from "../../src/agents/store/store.ts";
import { UNBOUND } from "../../src/agents/session.ts";
import { AppError } from "../../src/errors.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { Review as ReviewReply, ReviewMark, ReviewMarks } from "../../src/protocol/review.ts";
import { Reviewer } from "../../src/agents/review/review.ts";
import { ReviewStore } from "../../src/agents/review/store.ts";
import { memoryStore, newSession, openStore } from "../agents/support/store.ts";
import { pane } from "../support/pane.ts";
import { forAll } from "../support/laws.ts";
import { temporary } from "../support/temporary.ts";

type Stage = ReturnType<typeof stage>;

function stage(panes: readonly PaneState[] = []) {
  const { store: agents, clock } = memoryStore();
  return { ...reviewOver(agents, panes), agents, clock };
}

function reviewOver(agents: AgentStore, panes: readonly PaneState[] = []) {
  const events: string[] = [];
  const sent = { digests: 0 };
  const store = new ReviewStore(agents.database);
  const review = new Reviewer({
    agents,
    panes: () => panes,
    onError: false,
    publish: (kind, id) => events.push(id === "" ? kind : `${kind} ${id}`),
    sendDigest: () => (sent.digests += 1),
  });
  return { review, store, events, sent };
}

/** Makes the session's next snapshot, with another lifecycle. @returns its id */
function work(agents: AgentStore, id: string): string {
  const next = agents.sessions.get(id)?.lifecycle === "working" ? "idle" : "working";
  agents.write(() => agents.sessions.set(id, { lifecycle: next }));
  return agents.snapshots.latest(id)?.id ?? "";
}

const reasonOf = (call: () => unknown): string => {
  try {
    call();
  } catch (error) {
    if (error instanceof AppError) return error.kind;
  }
  return "none";
};

test("reading the review changes nothing, sends no event, and follows the schema", () => {
  const { agents, review, events } = stage([pane({ status: "needs_input" })]);
  const id = newSession(agents);
  work(agents, id);
  const first = ReviewReply.parse(review.read());
  expect(review.read()).toEqual(first);
  expect(first.groups.map(({ agent_id }) => agent_id)).toEqual([id]);
  expect(first.terminal_items.map(({ pane_id }) => pane_id)).toEqual(["%1"]);
  expect(first.groups[0]?.changes.lifecycle_changed).toEqual({ from: null, to: "working" });
  expect(first.counts).toEqual({
    agents_changed: 1,
    pending_decisions: 0,
    terminal_requests: 1,
    total_cards: 2,
    urgent_items: 0,
  });
  expect(first.due).toEqual({ is_due: false, urgent: false, has_work: true, next_due_at: null });
  expect(events).toEqual([]);
});

describe("a review mark", () => {
  test("leaves the changes that came after its snapshot", () => {
    const { agents, review, events } = stage();
    const id = newSession(agents);
    const drawn = work(agents, id);
    work(agents, id);
    const reply = ReviewMark.parse(review.acknowledge(id, drawn));
    expect(reply).toMatchObject({ agent_id: id, snapshot_id: drawn, advanced: true });
    const [group] = review.read().groups;
    expect(group).toMatchObject({ reviewed_snapshot_id: drawn, has_changes: true });
    expect(group?.changes).toEqual({ lifecycle_changed: { from: "working", to: "idle" } });
    expect(events).toEqual([`review_updated ${id}`]);
  });

  test("begins the next window of a running timer, but only when the mark advances", () => {
    const { agents, review, clock } = stage();
    const id = newSession(agents);
    const drawn = work(agents, id);
    review.changeSettings({ interval_minutes: 30 });
    clock.now += 600;
    review.acknowledge(id, drawn);
    expect(review.settings.next_due_at).toBe(clock.now + 1800);
    clock.now += 600;
    review.acknowledge(id, drawn);
    expect(review.settings.next_due_at).toBe(clock.now - 600 + 1800);
  });

  test("law: never moves back, in whatever order snapshots are marked", () => {
    forAll([fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 12 })], 60, (order) => {
      const { agents, review, events } = stage();
      const id = newSession(agents);
      const snapshots = Array.from({ length: 6 }, () => work(agents, id));
      let highest = 0;
      let advances = 0;
      for (const index of order) {
        const place = agents.snapshots.get(snapshots[index] ?? "")?.sequence ?? 0;
        const { advanced } = review.acknowledge(id, snapshots[index] ?? "");
        expect(advanced).toBe(place > highest);
        if (advanced) advances += 1;
        highest = Math.max(highest, place);
        expect(agents.marks.get(id, "review")?.snapshot_sequence).toBe(highest);
      }
      // Nothing is published for the same mark again, or an older one.
      expect(events).toHaveLength(advances);
    });
  });
});

test("a window without work sends no digest, and a digest that was not sent for ten minutes is dropped", () => {
  const { agents, store, review, clock, sent } = stage();
  review.changeSettings({ interval_minutes: 5 });
  clock.now += 301;
  review.tick();
  expect(sent.digests).toBe(0);
  newSession(agents);
  clock.now += 301;
  expect(store.claim(clock.now, true)).toBe(true);
  clock.now += 601;
  review.tick();
  expect(sent.digests).toBe(1);
  expect(store.takeDigests(clock.now, 0)).toBe(0);
});

test("every window sends one digest, also with two processes on the store and after a restart", async () => {
  const path = join(await temporary("review"), "store");
  const clock = { now: 1_800_000_000 };
  const open = async () => {
    const time = { now: () => clock.now, monotonic: () => 0 };
    const { database, store: agents } = await openStore(path, time);
    return { database, agents, ...reviewOver(agents) };
  };
  const [first, second] = [await open(), await open()];
  newSession(first.agents);
  first.review.changeSettings({ interval_minutes: 5 });
  for (let window = 1; window <= 3; window++) {
    clock.now += 301;
    for (const { review } of [first, second]) review.tick();
    expect(first.sent.digests + second.sent.digests).toBe(window);
  }
  // The process ends after the window, before its digest is taken.
  clock.now += 301;
  expect(first.store.claim(clock.now, true)).toBe(true);
  for (const { database } of [first, second]) database.close();
  const again = await open();
  again.review.tick();
  again.review.tick();
  expect(again.sent.digests).toBe(1);
  again.database.close();
});

test("deleting the history of a session deletes its review mark", () => {
  const { agents, review } = stage();
  const id = newSession(agents);
  review.acknowledge(id, work(agents, id));
  void agents.deleteHistory(id);
  expect(agents.marks.get(id, "review")).toBeNull();
});

test("a change has a card also when the snapshot of its baseline has expired", () => {
  const { agents, review, clock } = stage();
  const id = newSession(agents, "kept", { lastAt: clock.now + 60 });
  const seen = work(agents, id);
  review.acknowledge(id, seen);
  const later = clock.now + 1;
  clock.now += 30;
  agents.write(() => agents.expiry.expire(later));
  expect(review.read().groups).toEqual([]);
  const now = work(agents, id);
  expect(review.read().groups).toMatchObject([
    {
      ...{ reviewed_snapshot_id: seen, reviewed_snapshot_at: null, as_of_snapshot_id: now },
      ...{ has_changes: true, history_truncated: true, changes: {}, rank_reason: "changed" },
    },
  ]);
  review.acknowledge(id, now);
  expect(review.read().groups).toEqual([]);
});

/** An offline session in no pane, whose last record is of this time. */
function sessionOf(agents: AgentStore, nativeId: string, lastAt: number): string {
  return agents.write(() => {
    const id = newSession(agents, nativeId, { lastAt });
    agents.sessions.set(id, { lifecycle: "offline" });
    return id;
  });
}

describe("a session from before the workspace", () => {
  const cardsOf = ({ review }: Stage) => review.read().groups.map(({ agent_id }) => agent_id);

  test("counts as reviewed, and has a card once it continues", () => {
    const setup = stage();
    const { agents, clock, events } = setup;
    agents.subscribe(({ kind, agent_id }) => events.push(`${kind} ${agent_id}`));
    const old = sessionOf(agents, "old", clock.now - 60);
    const live = sessionOf(agents, "live", clock.now + 1);
    // An old session has no card, even before it is matched with the panes.
    expect(cardsOf(setup)).toEqual([live]);
    agents.markOlderReviewed();
    expect(cardsOf(setup)).toEqual([live]);
    expect(events).toContain(`review_updated ${old}`);
    work(agents, old);
    const [group] = setup.review.read().groups.filter(({ agent_id }) => agent_id === old);
    expect(group).toMatchObject({
      reviewed_snapshot_sequence: 1,
      changes: { lifecycle_changed: { from: "offline", to: "working" } },
    });
  });

  test("has a card when it waits, has failed or may be in a pane", () => {
    const setup = stage();
    const { agents, clock } = setup;
    const ids = ["waiting", "error", "pane"].map((name) => sessionOf(agents, name, clock.now - 60));
    const [waiting = "", error = "", inPane = ""] = ids;
    agents.write(() => {
      agents.sessions.set(waiting, { lifecycle: "waiting" });
      agents.sessions.set(error, { lifecycle: "error" });
      agents.sessions.set(inPane, { binding: { ...UNBOUND, association: "probable" } });
    });
    agents.markOlderReviewed();
    expect(cardsOf(setup).toSorted()).toEqual(ids.toSorted());
  });
});

describe("marking several snapshots", () => {
  test("marks exactly these snapshots, and begins the next window with one event", () => {
    const { agents, review, clock, events } = stage();
    review.changeSettings({ interval_minutes: 30 });
    const [a = "", b = "", c = ""] = ["a", "b", "c"].map((name) => newSession(agents, name));
    const drawn = [a, b].map((id) => ({ agent_id: id, snapshot_id: work(agents, id) }));
    const later = work(agents, b);
    work(agents, c);
    clock.now += 60;
    events.length = 0;
    const { reviewed } = ReviewMarks.parse(review.acknowledgeAll(drawn));
    expect(reviewed.map(({ agent_id, advanced }) => [agent_id, advanced])).toEqual([
      [a, true],
      [b, true],
    ]);
    const groups = review.read().groups.map(({ agent_id }) => agent_id);
    expect(groups.toSorted()).toEqual([b, c].toSorted());
    const left = review.read().groups.find(({ agent_id }) => agent_id === b);
    expect(left?.as_of_snapshot_id).toBe(later);
    expect(review.settings.next_due_at).toBe(clock.now + 30 * 60);
    expect(events).toEqual(["review_updated"]);
    expect(review.acknowledgeAll(drawn).reviewed.some(({ advanced }) => advanced)).toBe(false);
  });

  test("skips a deleted snapshot, and marks nothing when a snapshot belongs to another agent", () => {
    const { agents, review } = stage();
    const [a = "", b = ""] = ["a", "b"].map((name) => newSession(agents, name));
    const [one, two] = [work(agents, a), work(agents, b)];
    const gone = { agent_id: b, snapshot_id: "gone" };
    const wrong = [
      { agent_id: a, snapshot_id: one },
      { agent_id: a, snapshot_id: two },
    ];
    expect(reasonOf(() => review.acknowledgeAll(wrong))).toBe("conflict");
    expect(agents.marks.get(a, "review")).toBe(null);
    const { reviewed } = review.acknowledgeAll([gone, { agent_id: a, snapshot_id: one }]);
    expect(reviewed.map(({ agent_id }) => agent_id)).toEqual([a]);
  });
});
