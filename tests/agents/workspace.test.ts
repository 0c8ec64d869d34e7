import { StepList } from "../../src/protocol/agent-replies.ts";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { StoreError } from "../../src/store/store-error.ts";
import { until } from "../support/until.ts";
import { AgentStage, SAID } from "./support/agent-stage.ts";
import { memoryStore } from "./support/store.ts";

let stage: AgentStage;
beforeEach(() => {
  stage = new AgentStage();
});
afterEach(() => stage.workspace.stop());

test("a workspace that is off does not open its store", async () => {
  stage.openStore = () => Promise.reject(new Error("opened while it is off"));
  await stage.switchTo(false);
  expect((await stage.request("DELETE", "/api/agents")).status).toBe(503);
  expect(stage.workspace.capability()).toMatchObject({
    ...{ enabled: false, websocket: false, websocket_path: null, mode: "disabled" },
    degraded_reason: null,
  });
});

test("a store that cannot be opened leaves the workspace off with a reason, until it is switched on again", async () => {
  stage.openStore = () => Promise.reject(new StoreError("read_only", "x.sqlite3"));
  await stage.switchTo(true);
  expect(stage.workspace.capability()).toMatchObject({
    enabled: false,
    degraded_reason: "The store x.sqlite3 cannot be used: its folder cannot be written to.",
  });
  expect((await stage.request("GET", "/api/agents")).status).toBe(503);
  stage.openStore = async () => memoryStore().store;
  await stage.switchTo(false);
  await stage.switchTo(true);
  expect(stage.workspace.capability()).toMatchObject({ enabled: true, degraded_reason: null });
});

test("a disk that fills during a run degrades the workspace until there is room again", async () => {
  const { store } = memoryStore();
  const inBatches = store.inBatches.bind(store);
  store.inBatches = () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" }));
  stage.openStore = async () => store;
  await stage.switchTo(true);
  const reason = await until(() => stage.workspace.capability().degraded_reason);
  expect(reason).toContain("its disk is full");
  store.inBatches = inBatches;
  await stage.pass();
  expect(stage.workspace.capability().degraded_reason).toBe(null);
});

test("a message on its way when a run ended is unknown in the next run", async () => {
  const id = stage.session("a", SAID);
  const sent = { text: "Go on", clientId: "c" };
  stage.store.write(() => stage.store.messages.reserve(id, sent, stage.clock.now()));
  await stage.switchTo(true);
  expect(stage.store.messages.findClient(id, "c")?.status).toBe("unknown");
});

describe("a running workspace", () => {
  beforeEach(() => stage.switchTo(true));

  test("sessions are served while it is on, refused with 503 while it is off, and kept until it is on again", async () => {
    const id = stage.session("a", SAID);
    expect((await stage.request("GET", "/api/agents")).body.agents[0]?.id).toBe(id);
    expect(stage.workspace.session(id)).toMatchObject({
      runtime: "agent_a",
      nativeId: "a",
      hasEnded: false,
    });
    expect(stage.workspace.session("another")).toBeNull();
    expect(stage.workspace.capability()).toMatchObject({
      ...{ enabled: true, websocket: true, websocket_path: "/ws/agents", mode: "log_observer" },
      // No session was matched with a pane yet.
      observed: { sessions: 1, last_record_at: null },
    });
    await stage.switchTo(false);
    expect((await stage.request("GET", "/api/agents")).status).toBe(503);
    await stage.switchTo(true);
    expect((await stage.request("GET", `/api/agents/${id}`)).body.title).toBe("");
  });

  test("a pass binds the session that a pane shows, and the pane's status decides its lifecycle", async () => {
    const id = stage.session("a", SAID);
    await stage.pass();
    const { body } = await stage.request("GET", `/api/agents/${id}`);
    const { last_event_at: last_record_at } = body;
    expect(stage.workspace.capability().observed).toEqual({ sessions: 1, last_record_at });
    expect(body).toMatchObject({
      ...{ association: "confirmed", pane_id: "%1", target: "work:1.1", binding_revision: 1 },
      ...{ lifecycle: "idle", binding_candidates: [] },
      capabilities: {
        association: "confirmed",
        chat_send: "idle_only",
        decision_reply: "verified_terminal",
      },
    });
    await stage.pass({ status: "working" });
    expect((await stage.request("GET", `/api/agents/${id}`)).body.lifecycle).toBe("working");
  });

  test("a failed list of processes changes no session, is logged once, and stops messages", async () => {
    const id = stage.session("a", SAID);
    await stage.pass();
    const before = stage.store.sessions.get(id);
    stage.processes = () => Promise.reject(new Error("no ps"));
    for (let pass = 0; pass < 4; pass++) await stage.pass({ updated: pass });
    expect(stage.store.sessions.get(id)).toEqual(before);
    expect(stage.log.filter((line) => line.includes("no ps")).length).toBe(1);
    expect([(await stage.send(id)).status, stage.sent]).toEqual([409, []]);
  });

  test("a failed pass and a failed capture change no session", async () => {
    const id = stage.session("a", SAID);
    await stage.pass();
    const before = stage.store.sessions.get(id);
    stage.passes.publish(stage.clock.now() + 5, [], true);
    await stage.pass({ stale: true });
    expect(stage.store.sessions.get(id)).toEqual(before);
  });

  test("a session is bound and released by hand, and a stale revision is refused with the current session", async () => {
    const own = stage.session("a", SAID);
    const other = stage.session("b", ["Something else entirely", "Not on any screen"]);
    await stage.pass();
    const put = (id: string, revision: number, pane_id = "%1") =>
      stage.request("PUT", `/api/agents/${id}/binding`, {
        pane_id,
        expected_binding_revision: revision,
      });
    expect((await put(other, 7)).body.detail).toMatchObject({
      message: "stale binding revision",
      current: { id: other },
    });
    expect((await put(other, 0, "%9")).status).toBe(404);
    const binding = await put(other, 0);
    expect(binding.body).toMatchObject({
      association: "confirmed",
      pane_id: "%1",
      binding_revision: 1,
    });
    // The session that had the pane has lost it, with a revision of its own.
    expect(stage.store.sessions.get(own)).toMatchObject({
      ...{ association: "unavailable", pane_id: null, binding_revision: 2 },
    });
    await stage.pass();
    expect(stage.store.sessions.get(other)).toMatchObject({
      association: "confirmed",
      binding_revision: 1,
    });
    const path = `/api/agents/${other}/binding?expected_binding_revision=1`;
    expect((await stage.request("DELETE", path)).body).toMatchObject({
      ...{ association: "unavailable", pane_id: null, binding_revision: 2 },
      binding_candidates: [{ pane_id: "%1", reasons: ["A person let it go."] }],
    });
    expect((await stage.request("DELETE", path)).status).toBe(409);
    await stage.pass();
    const released = stage.store.sessions.get(other);
    expect(released).toMatchObject({ association: "unavailable", binding_revision: 2 });
    // Nor does the pane go back to the earlier session: that was released as well.
    expect(stage.store.sessions.get(own)?.association).toBe("unavailable");
    expect(released?.binding_candidates.map(({ pane_id }) => pane_id)).toEqual(["%1"]);
  });

  test("a session of another folder or runtime is not bound to a pane by hand", async () => {
    await stage.pass();
    const body = { pane_id: "%1", expected_binding_revision: 0 };
    const codex = stage.session("c", [], { runtime: "agent_b" });
    expect((await stage.request("PUT", `/api/agents/${codex}/binding`, body)).status).toBe(409);
    const far = stage.session("f", [], { cwd: "/elsewhere" });
    expect(
      (await stage.request("PUT", `/api/agents/${far}/binding`, body)).body.detail.message,
    ).toBe("the pane works in another folder");
  });

  test("bad cursors are refused with 400, limits and filters with 400 or 422, an unknown agent with 404", async () => {
    const id = stage.session("a", SAID);
    const messages = `/api/agents/${id}/messages`;
    const status = async (path: string) => (await stage.request("GET", path)).status;
    for (const path of ["/api/agents", "/api/timeline", "/api/decisions", messages]) {
      const reply = await stage.request("GET", `${path}?cursor=nonsense`);
      expect<object>(reply).toEqual({ status: 400, body: { detail: "bad cursor" } });
    }
    expect(await status("/api/agents?limit=101")).toBe(422);
    expect([await status(`${messages}?limit=200`), await status(`${messages}?limit=201`)]).toEqual([
      200, 422,
    ]);
    expect(await status(`${messages}?role=system`)).toBe(400);
    expect(await status(`${messages}?after=nan`)).toBe(400);
    expect(await status(`${messages}?after=5&before=4`)).toBe(400);
    expect(await status("/api/decisions?status=unverified")).toBe(400);
    const unread = await stage.request("GET", `${messages}?limit=1.5&after=today`);
    expect(unread.body.detail).toMatchObject([
      { msg: "expected an integer" },
      { msg: "expected epoch seconds" },
    ]);
    const missing = await stage.request("GET", "/api/agents/nobody/messages");
    expect<object>(missing).toEqual({
      status: 404,
      body: { detail: "unknown agent resource: nobody" },
    });
  });

  test("messages are found by words and role, and the reply repeats the filters", async () => {
    const id = stage.session("a", SAID);
    const query = "q=GREET%20and&role=assistant";
    const { body } = await stage.request("GET", `/api/agents/${id}/messages?${query}`);
    expect(body.messages).toMatchObject([{ content: SAID[1] }]);
    expect(body.filters).toEqual({ q: "GREET and", role: "assistant", after: null, before: null });
    expect(body).toMatchObject({ reviewed_at: null, reviewed_snapshot_id: null });
  });

  test("steps around a message of another session are 404", async () => {
    const [id, other] = [stage.session("a", SAID), stage.session("b", SAID)];
    const steps = (agent: string, around = "") =>
      stage.request("GET", `/api/agents/${agent}/steps${around === "" ? "" : `?around=${around}`}`);
    const [message] = (await stage.request("GET", `/api/agents/${other}/messages`)).body.messages;
    expect(StepList.parse((await steps(id)).body)).toEqual({ steps: [], from: null, to: null });
    expect((await steps(other, message?.id)).status).toBe(200);
    expect((await steps(id, message?.id)).status).toBe(404);
    expect((await steps("nobody")).status).toBe(404);
  });

  test("a visit takes only a snapshot of its own session, and a deleted history leaves the session", async () => {
    const id = stage.session("a", SAID);
    const other = stage.session("b", SAID);
    const [event] = (await stage.request("GET", `/api/agents/${id}/timeline`)).body.events;
    const snapshot = event?.id ?? "";
    const visit = (agent: string, snapshot_id: string) =>
      stage.request("PUT", `/api/agents/${agent}/visit`, { snapshot_id });
    expect((await visit(id, snapshot)).body).toMatchObject({
      agent_id: id,
      snapshot_id: snapshot,
    });
    expect((await visit(id, "none")).status).toBe(404);
    const wrong = await visit(other, snapshot);
    expect(wrong.status).toBe(409);
    expect(wrong.body.detail.current).toMatchObject({ agent: { id: other } });
    expect<object>((await stage.request("DELETE", `/api/agents/${id}/history`)).body).toEqual({
      ok: true,
    });
    expect((await stage.request("GET", `/api/agents/${id}/messages`)).body.messages).toEqual([]);
    expect(
      (await stage.request("GET", `/api/agents/${id}/timeline`)).body.events.length,
    ).toBeLessThan(2);
    expect((await stage.request("GET", `/api/agents/${id}`)).status).toBe(200);
  });

  test("the deletion of all agents sends an event for the session and begins a new, empty run", async () => {
    const id = stage.session("a", SAID);
    await stage.pass();
    const before = stage.run;
    const events: string[] = [];
    stage.feed.subscribe(({ event }) => events.push(`${event.kind} ${event.agent_id}`));
    expect<object>(await stage.request("DELETE", "/api/agents")).toEqual({
      status: 200,
      body: { ok: true },
    });
    expect(events).toContain(`history_deleted ${id}`);
    expect((await stage.request("GET", "/api/agents")).body.agents).toEqual([]);
    expect((await stage.request("GET", `/api/agents/${id}`)).status).toBe(404);
    // Another run: nothing of the old one is in memory.
    expect(stage.run).not.toBe(before);
    const next = stage.session("b", SAID);
    await stage.pass();
    expect((await stage.request("GET", `/api/agents/${next}`)).body.association).toBe("confirmed");
  });

  test("a failed deletion of all agents is 507 without an event, and the workspace goes on", async () => {
    const id = stage.session("a", SAID);
    stage.clearStore = () => Promise.reject(new StoreError("full", "x.sqlite3"));
    const events: string[] = [];
    stage.feed.subscribe(({ event }) => events.push(event.kind));
    expect<object>(await stage.request("DELETE", "/api/agents")).toEqual({
      status: 507,
      body: { detail: "The store x.sqlite3 cannot be used: its disk is full." },
    });
    expect(events).not.toContain("history_deleted");
    expect((await stage.request("GET", `/api/agents/${id}`)).status).toBe(200);
  });

  test("a workspace that is switched off during the deletion of all agents stays off", async () => {
    stage.session("a", SAID);
    const before = stage.store;
    const cleared = stage.request("DELETE", "/api/agents");
    await stage.switchTo(false);
    expect((await cleared).status).toBe(200);
    expect((await stage.request("GET", "/api/agents")).status).toBe(503);
    expect(stage.store).not.toBe(before);
  });

  test("a message on its way at the switch-off is recorded before the store is closed", async () => {
    const id = stage.session("a", SAID);
    await stage.pass();
    let off: Promise<void> | null = null;
    stage.onSend = () => {
      off ??= stage.switchTo(false);
      return "sent";
    };
    const reply = await stage.send(id);
    expect([reply.status, reply.body.message.status]).toEqual([202, "sent"]);
    await off;
    expect((await stage.request("GET", "/api/agents")).status).toBe(503);
  });
});
