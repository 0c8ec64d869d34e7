import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AgentEvent } from "../../src/protocol/agent-replies.ts";
import { Review, ReviewMark, ReviewMarks, ReviewSettings } from "../../src/protocol/review.ts";
import { AgentStage } from "../agents/support/agent-stage.ts";
import { newSession } from "../agents/support/store.ts";
import { pane, paneSight } from "../support/pane.ts";
import { until } from "../support/until.ts";

let stage: AgentStage;
let events: AgentEvent[];
beforeEach(() => {
  stage = new AgentStage();
  events = [];
  stage.feed.subscribe(({ event }) => events.push(event));
});
afterEach(() => stage.workspace.stop());

const sight = (status: "needs_input" | "error" | "idle") => [
  paneSight(pane({ id: "%7", status, status_since: 1000 }), "%7 1"),
];

test("the review answers 503 with the reason and holds no alert back while the workspace is off", async () => {
  const off = { status: 503, body: { detail: "agent context is disabled" } };
  expect<object>(await stage.request("GET", "/api/review")).toEqual(off);
  expect<object>(await stage.request("PATCH", "/api/review/settings", { nonsense: 1 })).toEqual(
    off,
  );
  expect<object>(await stage.request("PUT", "/api/agents/x/review", {})).toEqual(off);
  expect(stage.capabilities()?.agent_review_v1).toMatchObject({
    enabled: false,
    version: 1,
    min_interval_minutes: 5,
    max_interval_minutes: 1440,
  });
  expect(stage.workspace.isHeld("needs_input")).toBe(false);
});

describe("the review of a running workspace", () => {
  beforeEach(() => stage.switchTo(true));

  test("a card is marked as reviewed, and the reply with messages names the mark", async () => {
    const id = newSession(stage.store);
    const { body } = await stage.request("GET", "/api/review");
    const [group] = Review.parse(body).groups;
    expect(group?.agent_id).toBe(id);
    const marked = await stage.request("PUT", `/api/agents/${id}/review`, {
      snapshot_id: group?.as_of_snapshot_id,
    });
    expect(ReviewMark.parse(marked.body)).toMatchObject({ agent_id: id, advanced: true });
    expect(await stage.request("GET", `/api/agents/${id}/messages`)).toMatchObject({
      status: 200,
      body: { reviewed_snapshot_id: group?.as_of_snapshot_id, reviewed_snapshot_sequence: 1 },
    });
    expect(events.map(({ kind, agent_id }) => `${kind} ${agent_id}`)).toContain(
      `review_updated ${id}`,
    );
  });

  test("the groups are one list until a change, survive a failed read, and are empty when switched off", async () => {
    const { store: agents, workspace } = stage;
    const ids = () => workspace.groups().map(({ agent_id }) => agent_id);
    const first = newSession(agents, "a");
    const groups = workspace.groups();
    expect(ids()).toEqual([first]);
    expect(workspace.groups()).toBe(groups);
    const unresolved = agents.decisions.unresolved.bind(agents.decisions);
    agents.decisions.unresolved = () => {
      throw new Error("the disk does not answer");
    };
    const second = newSession(agents, "b");
    expect(workspace.groups()).toBe(groups);
    agents.decisions.unresolved = unresolved;
    expect(ids().toSorted()).toEqual([first, second].toSorted());
    await stage.switchTo(false);
    expect(workspace.groups()).toEqual([]);
  });

  test("unreadable review settings hold no alert back", async () => {
    await stage.request("PATCH", "/api/review/settings", { interval_minutes: 30 });
    expect(stage.workspace.isHeld("needs_input")).toBe(true);
    stage.store.database.run("DROP TABLE review_timer");
    expect(stage.workspace.isHeld("needs_input")).toBe(false);
  });

  test("unreadable review settings do not stop the observation of panes", async () => {
    stage.store.database.run("DROP TABLE review_timer");
    await stage.pass();
    expect(stage.run.binder.observedAt).toBe(stage.clock.now());
  });

  test("settings distinguish an absent interval from null, and refuse an invalid interval", async () => {
    const set = (body: object) => stage.request("PATCH", "/api/review/settings", body);
    const on = await set({ interval_minutes: 30 });
    expect(ReviewSettings.parse(on.body)).toMatchObject({ enabled: true, interval_minutes: 30 });
    expect(stage.workspace.isHeld("error")).toBe(true);
    expect((await set({ urgent_pane_errors: true })).body).toMatchObject({
      interval_minutes: 30,
      urgent_bypass: { high_critical_decisions: true, pane_errors: true },
    });
    for (const interval_minutes of [4, 1441, 7.5, "30"])
      expect((await set({ interval_minutes })).status).toBe(422);
    expect(stage.workspace.isHeld("needs_input")).toBe(true);
    for (const reason of ["error", "finished", "quota", "review"] as const)
      expect(stage.workspace.isHeld(reason)).toBe(false);
    expect((await set({ interval_minutes: null })).body).toMatchObject({ next_due_at: null });
    expect(events.filter(({ kind }) => kind === "review_settings_updated")).toHaveLength(3);
    expect(events[0]).toMatchObject({ agent_id: "", revision: 0 });
  });

  test("marking an unknown agent or snapshot is 404, a snapshot of another agent 409", async () => {
    const [a, b] = [newSession(stage.store, "a"), newSession(stage.store, "b")];
    const snapshot_id = stage.store.snapshots.latest(b)?.id ?? "";
    const put = (id: string, snapshot: string) =>
      stage.request("PUT", `/api/agents/${id}/review`, { snapshot_id: snapshot });
    expect<object>(await put("nobody", snapshot_id)).toEqual({
      status: 404,
      body: { detail: "unknown agent resource: nobody" },
    });
    expect((await put(a, "nothing")).status).toBe(404);
    const wrong = await put(a, snapshot_id);
    expect(wrong.status).toBe(409);
    expect(wrong.body).toMatchObject({ detail: { current: { agent: { id: a } } } });
  });

  test("the end of a window sends one digest and the event review_due", async () => {
    newSession(stage.store);
    await stage.request("PATCH", "/api/review/settings", { interval_minutes: 5 });
    stage.clock.advance(301);
    await until(() => stage.digests > 0);
    expect(stage.digests).toBe(1);
    expect(events.map(({ kind }) => kind)).toContain("review_due");
    expect((await stage.request("GET", "/api/review")).body).toMatchObject({
      due: { is_due: true, has_work: true },
    });
  });

  test("the digest of a window is sent although the observation of agents fails", async () => {
    newSession(stage.store);
    stage.store.markOlderReviewed = () => {
      throw new Error("a fault of the look");
    };
    await stage.pass();
    await stage.request("PATCH", "/api/review/settings", { interval_minutes: 5 });
    stage.clock.advance(301);
    await until(() => stage.digests > 0);
    expect(stage.workspace.isHeld("needs_input")).toBe(true);
  });

  test("a run that is ending sends no digest, the next run does", async () => {
    newSession(stage.store);
    await stage.request("PATCH", "/api/review/settings", { interval_minutes: 5 });
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    stage.processes = async () => {
      asked.resolve();
      await answered.promise;
      return [];
    };
    stage.passes.publish(stage.clock.now(), [paneSight(stage.reading().state, stage.identity)]);
    await asked.promise;
    stage.clock.advance(301);
    const ended = stage.switchTo(false);
    await until(() => stage.workspace.current === null);
    answered.resolve();
    await ended;
    expect(stage.digests).toBe(0);
    await stage.switchTo(true);
    await until(() => stage.digests > 0);
  });

  test("the event review_updated is sent when a pane begins or ends to wait, and not otherwise", () => {
    const updates = () => events.splice(0).filter(({ kind }) => kind === "review_updated").length;
    stage.passes.publish(1, sight("idle"));
    expect(updates()).toBe(0);
    stage.passes.publish(2, sight("needs_input"));
    expect(updates()).toBe(1);
    stage.passes.publish(3, sight("needs_input"));
    expect(updates()).toBe(0);
    stage.passes.publish(4, sight("idle"));
    expect(updates()).toBe(1);
  });

  test("a pane that the settings hide is no terminal item and sends no event", async () => {
    const [shown] = sight("error");
    stage.passes.publish(1, shown ? [{ ...shown, isShown: false }] : []);
    expect(events.map(({ kind }) => kind)).not.toContain("review_updated");
    const { terminal_items } = Review.parse((await stage.request("GET", "/api/review")).body);
    expect(terminal_items).toEqual([]);
    stage.passes.publish(2, sight("error"));
    const { body } = await stage.request("GET", "/api/review");
    expect(Review.parse(body).terminal_items).toMatchObject([{ pane_id: "%7", status: "error" }]);
  });

  test("counts are asked for alone; both replies have an ETag, and the full reply is compressed", async () => {
    for (let index = 0; index < 5; index++) newSession(stage.store, `session ${index}`);
    for (const path of ["/api/review", "/api/review?counts=1"]) {
      const first = await stage.ask(path, { headers: { "accept-encoding": "gzip" } });
      const etag = first.headers.get("etag") ?? "";
      expect(first.headers.get("vary")).toBe("accept-encoding");
      stage.clock.advance(1);
      const again = await stage.ask(path, { headers: { "if-none-match": etag } });
      expect([again.status, await again.text()]).toEqual([304, ""]);
      newSession(stage.store, path);
      expect((await stage.ask(path, { headers: { "if-none-match": etag } })).status).toBe(200);
    }
    const packed = await stage.ask("/api/review", { headers: { "accept-encoding": "gzip" } });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    const review = Review.parse(
      JSON.parse(Buffer.from(Bun.gunzipSync(await packed.bytes())).toString()),
    );
    const { body } = await stage.request("GET", "/api/review?counts=1");
    expect<object>(body).toEqual({ due: review.due, counts: review.counts, waiting: [] });
    expect(review.counts.total_cards).toBe(7);
    expect((await stage.request("GET", "/api/review?counts=yes")).status).toBe(422);
  });

  test("PUT /api/review/all marks all given snapshots, and refuses a body without them", async () => {
    const ids = ["a", "b"].map((name) => newSession(stage.store, name));
    const { groups } = Review.parse((await stage.request("GET", "/api/review")).body);
    const snapshots = groups.map(({ agent_id, as_of_snapshot_id }) => ({
      ...{ agent_id, snapshot_id: as_of_snapshot_id },
    }));
    const { status, body } = await stage.request("PUT", "/api/review/all", { snapshots });
    expect(status).toBe(200);
    expect(
      ReviewMarks.parse(body)
        .reviewed.map(({ agent_id }) => agent_id)
        .toSorted(),
    ).toEqual(ids.toSorted());
    expect(Review.parse((await stage.request("GET", "/api/review")).body).groups).toEqual([]);
    expect((await stage.request("PUT", "/api/review/all", {})).status).toBe(422);
  });
});
