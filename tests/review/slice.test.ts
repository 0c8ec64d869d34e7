import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AgentEvent } from "../../src/protocol/agent-replies.ts";
import { Review, ReviewMark, ReviewMarks, ReviewSettings } from "../../src/protocol/review.ts";
import { Desk } from "../agents/support/desk.ts";
import { newSession } from "../agents/support/store.ts";
import { pane } from "../support/pane.ts";
import { paneSight } from "../support/sight.ts";
import { until } from "../support/until.ts";

let desk: Desk;
let events: AgentEvent[];
beforeEach(() => {
  desk = new Desk();
  events = [];
  desk.feed.subscribe(({ event }) => events.push(event));
});
afterEach(() => desk.workspace.stop());

const sight = (status: "needs_input" | "error" | "idle") => [
  paneSight(pane({ id: "%7", status, status_since: 1000 }), "%7 1"),
];

test("while the workspace is off, every path is 503 and says so", async () => {
  const off = { status: 503, body: { detail: "agent context is disabled" } };
  expect(await desk.request("GET", "/api/review")).toEqual(off);
  expect(await desk.request("PATCH", "/api/review/settings", { nonsense: 1 })).toEqual(off);
  expect(await desk.request("PUT", "/api/agents/x/review", {})).toEqual(off);
  expect(desk.capabilities()?.agent_review_v1).toMatchObject({
    enabled: false,
    version: 1,
    min_interval_minutes: 5,
    max_interval_minutes: 1440,
  });
  expect(desk.workspace.isHeld("needs_input")).toBe(false);
});

describe("switched on", () => {
  beforeEach(() => desk.switchTo(true));

  test("it is read, marked, and the chat knows where the mark stands", async () => {
    const id = newSession(desk.store);
    const { body } = await desk.request("GET", "/api/review");
    const [group] = Review.parse(body).groups;
    expect(group?.agent_id).toBe(id);
    const marked = await desk.request("PUT", `/api/agents/${id}/review`, {
      snapshot_id: group?.as_of_snapshot_id,
    });
    expect(ReviewMark.parse(marked.body)).toMatchObject({ agent_id: id, advanced: true });
    expect(await desk.request("GET", `/api/agents/${id}/messages`)).toMatchObject({
      status: 200,
      body: { reviewed_snapshot_id: group?.as_of_snapshot_id, reviewed_snapshot_sequence: 1 },
    });
    expect(events.map(({ kind, agent_id }) => `${kind} ${agent_id}`)).toContain(
      `review_updated ${id}`,
    );
  });

  test("what cards read is one list until it changes, outlives a failed reading, ends when off", async () => {
    const { store: agents, workspace } = desk;
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
    await desk.switchTo(false);
    expect(workspace.groups()).toEqual([]);
  });

  test("settings that cannot be read hold no alert back", async () => {
    await desk.request("PATCH", "/api/review/settings", { interval_minutes: 30 });
    expect(desk.workspace.isHeld("needs_input")).toBe(true);
    desk.store.database.run("DROP TABLE review_timer");
    expect(desk.workspace.isHeld("needs_input")).toBe(false);
  });

  test("settings that cannot be read keep no log from being looked at", async () => {
    desk.store.database.run("DROP TABLE review_timer");
    await desk.pass();
    expect(desk.run.binder.observedAt).toBe(desk.clock.now());
  });

  test("settings tell absent from null, and refuse what no interval is", async () => {
    const set = (body: object) => desk.request("PATCH", "/api/review/settings", body);
    const on = await set({ interval_minutes: 30 });
    expect(ReviewSettings.parse(on.body)).toMatchObject({ enabled: true, interval_minutes: 30 });
    expect(desk.workspace.isHeld("error")).toBe(true);
    expect((await set({ urgent_pane_errors: true })).body).toMatchObject({
      interval_minutes: 30,
      urgent_bypass: { high_critical_decisions: true, pane_errors: true },
    });
    for (const interval_minutes of [4, 1441, 7.5, "30"])
      expect((await set({ interval_minutes })).status).toBe(422);
    expect(desk.workspace.isHeld("needs_input")).toBe(true);
    for (const reason of ["error", "finished", "quota", "review"] as const)
      expect(desk.workspace.isHeld(reason)).toBe(false);
    expect((await set({ interval_minutes: null })).body).toMatchObject({ next_due_at: null });
    expect(events.filter(({ kind }) => kind === "review_settings_updated")).toHaveLength(3);
    expect(events[0]).toMatchObject({ agent_id: "", revision: 0 });
  });

  test("what is not known is 404, another agent's snapshot 409", async () => {
    const [a, b] = [newSession(desk.store, "a"), newSession(desk.store, "b")];
    const snapshot_id = desk.store.snapshots.latest(b)?.id ?? "";
    const put = (id: string, snapshot: string) =>
      desk.request("PUT", `/api/agents/${id}/review`, { snapshot_id: snapshot });
    expect(await put("nobody", snapshot_id)).toEqual({
      status: 404,
      body: { detail: "unknown agent resource: nobody" },
    });
    expect((await put(a, "nothing")).status).toBe(404);
    const wrong = await put(a, snapshot_id);
    expect(wrong.status).toBe(409);
    expect(wrong.body).toMatchObject({ detail: { current: { agent: { id: a } } } });
  });

  test("a reached window sends one digest and tells of it", async () => {
    newSession(desk.store);
    await desk.request("PATCH", "/api/review/settings", { interval_minutes: 5 });
    desk.clock.advance(301);
    await until(() => desk.digests > 0);
    expect(desk.digests).toBe(1);
    expect(events.map(({ kind }) => kind)).toContain("review_due");
    expect((await desk.request("GET", "/api/review")).body).toMatchObject({
      due: { is_due: true, has_work: true },
    });
  });

  test("what is held back for a digest is given out although agents cannot be looked at", async () => {
    newSession(desk.store);
    desk.store.markOlderReviewed = () => {
      throw new Error("a fault of the look");
    };
    await desk.pass();
    await desk.request("PATCH", "/api/review/settings", { interval_minutes: 5 });
    desk.clock.advance(301);
    await until(() => desk.digests > 0);
    expect(desk.workspace.isHeld("needs_input")).toBe(true);
  });

  test("a run that ends gives no digest out any more: the next one does", async () => {
    newSession(desk.store);
    await desk.request("PATCH", "/api/review/settings", { interval_minutes: 5 });
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    desk.processes = async () => {
      asked.resolve();
      await answered.promise;
      return [];
    };
    desk.passes.publish(desk.clock.now(), [paneSight(desk.reading().state, desk.identity)]);
    await asked.promise;
    desk.clock.advance(301);
    const ended = desk.switchTo(false);
    await until(() => desk.workspace.current === null);
    answered.resolve();
    await ended;
    expect(desk.digests).toBe(0);
    await desk.switchTo(true);
    await until(() => desk.digests > 0);
  });

  test("panes that begin or end to wait are told, others are not", () => {
    const told = () => events.splice(0).filter(({ kind }) => kind === "review_updated").length;
    desk.passes.publish(1, sight("idle"));
    expect(told()).toBe(0);
    desk.passes.publish(2, sight("needs_input"));
    expect(told()).toBe(1);
    desk.passes.publish(3, sight("needs_input"));
    expect(told()).toBe(0);
    desk.passes.publish(4, sight("idle"));
    expect(told()).toBe(1);
  });

  test("panes that the settings hide ask nobody", async () => {
    const [shown] = sight("error");
    desk.passes.publish(1, shown ? [{ ...shown, isShown: false }] : []);
    expect(events.map(({ kind }) => kind)).not.toContain("review_updated");
    const { terminal_items } = Review.parse((await desk.request("GET", "/api/review")).body);
    expect(terminal_items).toEqual([]);
    desk.passes.publish(2, sight("error"));
    const { body } = await desk.request("GET", "/api/review");
    expect(Review.parse(body).terminal_items).toMatchObject([{ pane_id: "%7", status: "error" }]);
  });

  test("counts come alone, and both replies are compressed and known by their tag", async () => {
    for (let index = 0; index < 5; index++) newSession(desk.store, `session ${index}`);
    for (const path of ["/api/review", "/api/review?counts=1"]) {
      const first = await desk.ask(path, { headers: { "accept-encoding": "gzip" } });
      const etag = first.headers.get("etag") ?? "";
      expect(first.headers.get("vary")).toBe("accept-encoding");
      desk.clock.advance(1);
      const again = await desk.ask(path, { headers: { "if-none-match": etag } });
      expect([again.status, await again.text()]).toEqual([304, ""]);
      newSession(desk.store, path);
      expect((await desk.ask(path, { headers: { "if-none-match": etag } })).status).toBe(200);
    }
    const packed = await desk.ask("/api/review", { headers: { "accept-encoding": "gzip" } });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    const review = Review.parse(
      JSON.parse(Buffer.from(Bun.gunzipSync(await packed.bytes())).toString()),
    );
    const { body } = await desk.request("GET", "/api/review?counts=1");
    expect(body).toEqual({ due: review.due, counts: review.counts, waiting: [] });
    expect(review.counts.total_cards).toBe(7);
    expect((await desk.request("GET", "/api/review?counts=yes")).status).toBe(422);
  });

  test("all that is shown is marked at once", async () => {
    const ids = ["a", "b"].map((name) => newSession(desk.store, name));
    const { groups } = Review.parse((await desk.request("GET", "/api/review")).body);
    const snapshots = groups.map(({ agent_id, as_of_snapshot_id }) => ({
      ...{ agent_id, snapshot_id: as_of_snapshot_id },
    }));
    const { status, body } = await desk.request("PUT", "/api/review/all", { snapshots });
    expect(status).toBe(200);
    expect(
      ReviewMarks.parse(body)
        .reviewed.map(({ agent_id }) => agent_id)
        .toSorted(),
    ).toEqual(ids.toSorted());
    expect(Review.parse((await desk.request("GET", "/api/review")).body).groups).toEqual([]);
    expect((await desk.request("PUT", "/api/review/all", {})).status).toBe(422);
  });
});
