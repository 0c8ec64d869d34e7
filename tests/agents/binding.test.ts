import { expect, test } from "bun:test";
import fc from "fast-check";
import { homedir } from "node:os";
import { join } from "node:path";
import { Binder } from "../../src/agents/binding/binder.ts";
import {
  confirmedMatch,
  lifecycleIn,
  nextBinding,
  possibleMatch,
  releasedMatch,
} from "../../src/agents/binding/binding.ts";
import { ObservedPanes } from "../../src/agents/binding/observed-panes.ts";
import { type BindingSource, NO_MATCH, UNBOUND } from "../../src/agents/session.ts";
import { requireSession } from "../../src/agents/queries.ts";
import type { AgentStore } from "../../src/agents/store/store.ts";
import type { AgentLifecycle } from "../../src/protocol/agents.ts";
import type { PaneStatus } from "../../src/protocol/pane.ts";
import { forAllInTime } from "../support/laws.ts";
import { pane, paneSight } from "../support/pane.ts";
import { candidatePane, NO_CLAIMS } from "./support/candidates.ts";
import { addMessage, messageEvent } from "./support/messages.ts";
import { memoryStore, newSession } from "./support/store.ts";

const FOLDER = "/no/such/shop";

/** Panes without known processes. */
const emptyPanes = () =>
  new ObservedPanes({
    ...{ processes: async () => [], statusHome: () => null },
    ...{ clock: { monotonic: () => 0 }, log: { warn: () => {} } },
  });

const revisionOf = (store: AgentStore, id: string) => requireSession(store, id).binding_revision;

/** A binder over two panes of one runtime in one folder, and a session for each name. */
function twoPanes(...names: readonly string[]) {
  const { store } = memoryStore();
  const binder = new Binder({ store, panes: emptyPanes(), clock: { monotonic: () => at } });
  store.subscribe((event) => binder.touch(event.agent_id));
  const sights = ["%1", "%2"].map((id) =>
    paneSight(pane({ id, target: `work:${id}`, kind: "agent_a", cwd: FOLDER }), `${id} 100`),
  );
  const ids = names.map((name) => newSession(store, name, { cwd: FOLDER, lastAt: store.now }));
  let at = store.now;
  return {
    ids,
    store,
    /** Grows whenever sessions are matched with panes. */
    matchings: () => store.version,
    look: (seconds = 1) => binder.observe(sights, (at += seconds)),
    /** Only the second pane has changed. */
    lookAtOther() {
      const [first, second] = sights;
      if (!first || !second) throw new Error("there are two panes");
      const state = { ...second.state, lines: ["another"] };
      return binder.observe([first, { ...second, state }], ++at);
    },
    /** Only the first pane is there, and shows these lines. */
    lookAtLines: (lines: readonly string[]) =>
      binder.observe(
        sights
          .slice(0, 1)
          .map((sight) => ({ ...sight, state: { ...sight.state, lines: [...lines] } })),
        ++at,
      ),
    lookAtNothing: (seconds = 1) => binder.observe([], (at += seconds)),
    /** @param lastAt time of the log's newest record */
    write(id: string, lastAt: number) {
      const { sessions } = store;
      store.write(() => sessions.set(id, { facts: { ...sessions.facts(id), lastAt } }));
    },
    now: () => at,
    /** The program was stopped (Ctrl-Z): its shell is in front. */
    lookAtShell: () =>
      binder.observe(
        sights.map((sight) => ({ ...sight, state: { ...sight.state, kind: "generic" as const } })),
        ++at,
      ),
    bind: (id: string, pane_id: string) =>
      binder.bind(id, { pane_id, expected_binding_revision: revisionOf(store, id) }),
    release: (id: string) => binder.release(id, revisionOf(store, id)),
    binder,
    /** The pane of each session, by the store and by where a message would go. */
    places: () =>
      ids.map((id) => {
        const paneId = store.sessions.get(id)?.pane_id ?? null;
        expect(binder.paneOf(id)?.id ?? null).toBe(paneId);
        return paneId;
      }),
    revisions: () => ids.map((id) => revisionOf(store, id)),
  };
}

/** A session for each pane, bound to it by hand after a first pass; null: not bound. */
async function boundStage(...panes: readonly (string | null)[]) {
  const stage = twoPanes(...panes.map((_, at) => `session ${at}`));
  const [a = "", b = ""] = stage.ids;
  await stage.look();
  for (const [at, paneId] of panes.entries())
    if (paneId !== null) await stage.bind(stage.ids[at] ?? "", paneId);
  return { stage, a, b };
}

const anyStep = fc.record({
  what: fc.constantFrom("bind", "release", "look", "stop"),
  session: fc.nat({ max: 2 }),
  paneId: fc.constantFrom("%1", "%2"),
});

test("law: a session bound by hand is in that pane from then on, until it is released or another takes the pane", async () => {
  await forAllInTime([fc.array(anyStep, { minLength: 8, maxLength: 16 })], 120, async (steps) => {
    const stage = twoPanes("a", "b", "c");
    await stage.look();
    let expected: (string | null)[] = [null, null, null];
    for (const { what, session, paneId } of steps) {
      const id = stage.ids[session] ?? "";
      switch (what) {
        case "bind":
          await stage.bind(id, paneId);
          expected = expected.map((place) => (place === paneId ? null : place));
          expected[session] = paneId;
          break;
        case "release":
          await stage.release(id);
          expected[session] = null;
          break;
        case "stop":
          await stage.lookAtShell();
          expect(stage.places()).toEqual([null, null, null]);
          // Its session is there again once the program is back in front.
          await stage.look();
          break;
        case "look":
          await stage.look();
      }
      expect(stage.places()).toEqual(expected);
      for (const each of ["%1", "%2"])
        expect(stage.binder.sessionIn(each)).toBe(stage.ids[expected.indexOf(each)] ?? null);
    }
  });
});

test("a pass that began before a session was bound by hand does not overrule that binding", async () => {
  const { stage, a, b } = await boundStage("%1", null);
  const look = stage.look();
  const bound = Promise.all([stage.bind(a, "%2"), stage.bind(b, "%1")]);
  await look;
  expect(stage.places()).toEqual(["%1", null]);
  await bound;
  expect(stage.places()).toEqual(["%2", "%1"]);
  const revisions = stage.revisions();
  await stage.look();
  expect([stage.places(), stage.revisions()]).toEqual([["%2", "%1"], revisions]);
});

test("of two bindings by hand under one revision only the first is taken", async () => {
  const { stage, a } = await boundStage(null);
  const [first, second] = await Promise.allSettled(
    ["%1", "%2"].map((paneId) => stage.bind(a, paneId)),
  );
  expect(first).toMatchObject({ status: "fulfilled", value: { pane_id: "%1" } });
  expect(second).toMatchObject({ status: "rejected", reason: { kind: "conflict" } });
  expect(stage.places()).toEqual(["%1"]);
});

test("a binding by hand that cannot be stored is not in force, and the next pass brings none", async () => {
  const { stage, a } = await boundStage("%1");
  const { store } = stage;
  const set = store.sessions.set.bind(store.sessions);
  store.sessions.set = () => {
    throw new Error("the disk is full");
  };
  await expect(stage.bind(a, "%2")).rejects.toThrow("the disk is full");
  store.sessions.set = set;
  expect(stage.places()).toEqual(["%1"]);
  await stage.look();
  expect(stage.places()).toEqual(["%1"]);
});

test("a session that loses its pane to a binding by hand keeps its pending decision, also after an hour", async () => {
  const { stage, a, b } = await boundStage("%1", null);
  const { store } = stage;
  ask(store, a);
  await stage.look();
  await stage.bind(b, "%1");
  await stage.look(3600);
  expect(store.sessions.get(a)).toMatchObject({ association: "unavailable" });
  expect(store.sessions.get(a)?.lifecycle).not.toBe("offline");
  expect(store.decisions.live(a).map(({ decision }) => decision.status)).toEqual(["pending"]);
});

test("a release by hand before the first pass of a run changes no other session", async () => {
  const { stage, a, b } = await boundStage("%1", "%2");
  const { store } = stage;
  ask(store, b);
  const before = store.sessions.get(b);
  const next = new Binder({ store, panes: emptyPanes(), clock: { monotonic: () => 0 } });
  await next.release(a, revisionOf(store, a));
  expect(store.sessions.get(a)).toMatchObject({ association: "unavailable", pane_id: null });
  expect(store.sessions.get(b)).toEqual(before);
  expect(store.decisions.live(b).map(({ decision }) => decision.status)).toEqual(["pending"]);
});

test("sessions that could not be read in one pass are matched in the next", async () => {
  const stage = twoPanes("a", "b");
  const { messages } = stage.store;
  const latest = messages.latest.bind(messages);
  messages.latest = () => {
    throw new Error("the disk does not answer");
  };
  await expect(stage.look()).rejects.toThrow("the disk does not answer");
  messages.latest = latest;
  await stage.look();
  expect(
    stage.binder
      .explain("%1")
      .map(({ agent_id }) => agent_id)
      .toSorted(),
  ).toEqual(stage.ids.toSorted());
});

test("unchanged panes are matched again after thirty seconds, and an equal match sends no event", async () => {
  const stage = twoPanes("a", "b");
  const [a = ""] = stage.ids;
  await stage.look();
  await stage.bind(a, "%1");
  await stage.look();
  await stage.look();
  await stage.look(60);
  const before = stage.matchings();
  let events = 0;
  stage.store.subscribe(() => events++);
  await stage.look(29.5);
  expect(stage.matchings()).toBe(before);
  await stage.look(0.5);
  expect(stage.matchings()).toBeGreaterThan(before);
  const after = stage.matchings();
  await stage.lookAtOther();
  expect(stage.matchings()).toBeGreaterThan(after);
  expect(events).toBe(0);
});

test("binding a session to its own pane, or releasing a session without a pane, changes no revision", async () => {
  const { stage, a, b } = await boundStage("%1", null);
  const revisions = stage.revisions();
  await stage.bind(a, "%1");
  await stage.release(b);
  await expect(stage.binder.release("nobody", 0)).rejects.toThrow("unknown agent resource");
  expect(stage.revisions()).toEqual(revisions);
});

test("a session whose pane is gone is offline until its log has a record over three seconds newer", async () => {
  const { stage, a } = await boundStage("%1");
  const lifecycle = () => stage.store.sessions.get(a)?.lifecycle;
  await stage.lookAtNothing();
  const lost = stage.now();
  expect(lifecycle()).toBe("offline");
  stage.write(a, lost + 3);
  await stage.lookAtNothing();
  expect(lifecycle()).toBe("offline");
  stage.write(a, lost + 4);
  await stage.lookAtNothing();
  expect(lifecycle()).not.toBe("offline");
});

test("a completed session stays completed when its pane closes, and is offline when its pane starts another", async () => {
  const stage = twoPanes("a");
  const [a = ""] = stage.ids;
  const { sessions } = stage.store;
  const text = "Count all the apples in the old shop, and tell me";
  stage.store.write(() => {
    addMessage(stage.store, a, messageEvent(text, { at: stage.now(), role: "user" }));
    const turn = { state: "completed" as const, at: stage.now() };
    sessions.set(a, { state: { ...sessions.state(a), turn } });
  });
  const screen = [`> ${text}`, "● 214.", "> "];
  const places = async (lines: readonly string[]) => {
    await stage.lookAtLines(lines);
    const { association, lifecycle } = sessions.get(a) ?? {};
    return [association, lifecycle];
  };
  expect(await places(screen)).toEqual(["confirmed", "idle"]);
  await stage.lookAtNothing();
  expect(sessions.get(a)?.lifecycle).toBe("completed");
  expect(await places(screen)).toEqual(["confirmed", "idle"]);
  expect(await places(["Claude Code v2.1.330", "> "])).toEqual(["unavailable", "offline"]);
});

test("a session with several candidate panes keeps the lifecycle of its log, also after ten minutes", async () => {
  const stage = twoPanes("a");
  const [a = ""] = stage.ids;
  const { sessions } = stage.store;
  const working = { ...sessions.state(a), turn: { state: "working" as const, at: stage.now() } };
  stage.store.write(() => sessions.set(a, { state: working }));
  await stage.look(601);
  const { association, lifecycle } = sessions.get(a) ?? {};
  expect([association, lifecycle]).toEqual(["ambiguous", "working"]);
});

test("a pane lists its candidate sessions with reasons, and only its own session once that is bound by hand", async () => {
  const stage = twoPanes("a", "b");
  const [a = "", b = ""] = stage.ids;
  const { binder } = stage;
  expect([binder.observedAt, binder.live().size]).toEqual([0, 0]);
  await stage.look();
  const reasons = ["The same program in the same folder."];
  const found = binder.explain("%2").toSorted(({ agent_id }) => (agent_id === a ? -1 : 1));
  expect(found).toEqual([
    { agent_id: a, association: "ambiguous", reasons },
    { agent_id: b, association: "ambiguous", reasons },
  ]);
  expect([binder.explain("%3"), binder.live().size]).toEqual([[], 0]);
  await stage.bind(a, "%1");
  await stage.bind(b, "%2");
  expect([binder.sessionIn("%1"), binder.sessionIn("%2"), binder.sessionIn("%3")]).toEqual([
    a,
    b,
    null,
  ]);
  const hand = ["A person bound it to this pane."];
  expect(binder.explain("%2")).toEqual([{ agent_id: b, association: "confirmed", reasons: hand }]);
  expect(binder.bound().map(({ agentId, pane }) => [agentId, pane.id])).toEqual([
    [a, "%1"],
    [b, "%2"],
  ]);
  expect([binder.findPane("%2")?.id, binder.findPane("work:%2")?.id]).toEqual(["%2", "%2"]);
});

/** Asks for a plan that a screen has confirmed. */
function ask(store: AgentStore, agentId: string): void {
  store.write(() => {
    store.decisions.ask(agentId, "call", { kind: "plan_approval", plan: "All of it" }, store.now);
    for (const { decision } of store.decisions.live(agentId))
      store.decisions.change(decision.id, ["unverified"], { status: "pending" }, store.now);
  });
}

test("a pending decision ends when the pane of its session closes", async () => {
  const { stage, a } = await boundStage("%1");
  const { decisions } = stage.store;
  ask(stage.store, a);
  await stage.look();
  expect(decisions.live(a)).toHaveLength(1);
  await stage.lookAtNothing();
  expect(decisions.live(a)).toEqual([]);
});

test("a session that was in no pane is offline more than ten minutes after its last record", async () => {
  const stage = twoPanes("a");
  const [a = ""] = stage.ids;
  const lifecycle = () => stage.store.sessions.get(a)?.lifecycle;
  await stage.lookAtNothing(600);
  expect(lifecycle()).toBe("observing");
  await stage.lookAtNothing(30);
  expect(lifecycle()).toBe("offline");
});

test("the time of the last record is the latest of all sessions", async () => {
  const stage = twoPanes("a", "b");
  const [a = "", b = ""] = stage.ids;
  const { sessions } = stage.store;
  expect(sessions.lastRecordAt()).toBe(stage.now());
  const at = stage.now();
  stage.write(a, at + 5);
  stage.write(b, at + 2);
  expect(sessions.lastRecordAt()).toBe(at + 5);
});

const WORKTREE = join(homedir(), ".codex/worktrees/4f/shop");

test("a session of a worktree is bound by hand only to a pane whose screen names that worktree", async () => {
  const { store } = memoryStore();
  const binder = new Binder({ store, panes: emptyPanes(), clock: { monotonic: () => 0 } });
  const read = { runtime: "agent_b", cwd: WORKTREE, lastAt: store.now } as const;
  const id = newSession(store, "b", read);
  const drawn = [FOLDER, "~/.codex/worktrees/4f/shop", "~/4f/shop"];
  const sights = drawn
    .map((folder) => `  medium · ${folder}`)
    .map((footer, at) => {
      const lines = ["› Ask", footer];
      return paneSight(
        pane({ id: `%${at}`, target: `work:${at}`, kind: "agent_b", cwd: FOLDER, lines }),
      );
    });
  await binder.observe(sights, store.now);
  const bind = (pane_id: string) =>
    binder.bind(id, { pane_id, expected_binding_revision: revisionOf(store, id) });
  for (const paneId of ["%0", "%2"]) await expect(bind(paneId)).rejects.toThrow("another folder");
  expect((await bind("%1")).pane_id).toBe("%1");
});

const PANE = candidatePane("%1", []);
const matchIn = (members: Partial<typeof PANE>, source: BindingSource = "screen") =>
  confirmedMatch({ ...PANE, ...members }, source, "It was seen there.");
const confirmed = matchIn({});

test("the binding revision grows with a new association, process or source, and not with a new target", () => {
  const first = nextBinding(UNBOUND, confirmed);
  expect([first.revision, first.paneId]).toEqual([1, "%1"]);
  expect(nextBinding(first, matchIn({}))).toBe(first);
  const moved = nextBinding(first, matchIn({ target: "other:1.0" }));
  expect([moved.revision, moved.target]).toEqual([1, "other:1.0"]);
  expect(nextBinding(first, matchIn({}, "process")).revision).toBe(2);
  expect(nextBinding(first, matchIn({ incarnation: "%1 2" })).revision).toBe(2);
  expect(nextBinding(first, NO_MATCH)).toMatchObject({
    revision: 2,
    paneId: null,
    association: "unavailable",
  });
});

test("other candidates do not raise the binding revision", () => {
  const probable = possibleMatch([PANE], 0.6, "The same folder.");
  const first = nextBinding(UNBOUND, probable);
  expect(first.candidates[0]).toMatchObject({ pane_id: "%1", label: "pane %1", confidence: 0.6 });
  const second = nextBinding(first, { ...probable, candidates: [] });
  expect([second.revision, second.candidates]).toEqual([1, []]);
});

test("what a person said of a pane is kept with its incarnation, whatever is matched later", () => {
  const hand = { incarnation: "%1 1", kind: "bound" } as const;
  const binding = nextBinding({ ...UNBOUND, hand }, matchIn({}, "hand"));
  // Another program is in front for a while.
  const away = nextBinding(binding, NO_MATCH);
  expect([away.hand, away.source, away.revision]).toEqual([hand, null, 2]);
  const said = { ...binding, hand: { ...hand, kind: "released" } as const };
  const released = nextBinding(said, releasedMatch(PANE));
  expect([released.incarnation, released.hand, released.revision]).toEqual(["%1 1", said.hand, 2]);
});

const live = (status: PaneStatus, log: AgentLifecycle, claims = NO_CLAIMS) =>
  lifecycleIn({ state: { status }, claims }, log);

test("the live pane decides the lifecycle before the log; an idle pane yields to an error or a busy process", () => {
  expect(live("needs_input", "working")).toBe("waiting");
  expect(live("working", "idle")).toBe("working");
  expect(live("error", "idle")).toBe("error");
  expect(live("idle", "working")).toBe("idle");
  expect(live("idle", "error")).toBe("error");
  const status = { pid: 1, sessionId: "a", procStart: null, startedAt: null, status: "busy" };
  const claims = { ...NO_CLAIMS, status } as unknown as typeof NO_CLAIMS;
  expect(live("idle", "idle", claims)).toBe("working");
});
