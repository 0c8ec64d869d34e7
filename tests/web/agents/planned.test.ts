import { describe, expect, test } from "bun:test";
import type { DecisionItem } from "../../../src/protocol/agents.ts";
import { rank } from "../../../src/review/rank.ts";
import { agentOf, decisionOf, NOW, workOf } from "../../review/works.ts";
import { PLAN_KEY } from "../../../web/state/server/workspace-switch.ts";
import { until } from "../../support/until.ts";
import { EMPTY_REVIEW, stage, type Answer, type Call } from "./stage.ts";

/** A server with decisions, by id; `reply` says what a POST gets once it has come. */
function world(
  decisions: DecisionItem[],
  reply?: (decision: DecisionItem) => Answer | Promise<Answer>,
) {
  const byId = new Map(decisions.map((decision) => [decision.id, decision]));
  const set = (id: string, members: Partial<DecisionItem>) => {
    const before = byId.get(id);
    if (before) byId.set(id, { ...before, revision: before.revision + 1, ...members });
  };
  const review = () => {
    const open = [...byId.values()].filter(({ status }) => status !== "resolved");
    const agents = [...new Set(open.map(({ agent_id }) => agent_id))];
    const works = agents.map((id) => {
      const n = Number(id.slice(-12));
      const own = open.filter(({ agent_id }) => agent_id === id);
      return workOf(n, { agent: agentOf(n), decisions: own });
    });
    return { ...EMPTY_REVIEW, groups: rank(works) };
  };
  const staged = stage(async ({ method, path }: Call): Promise<Answer> => {
    if (path === "/api/review") return { body: review() };
    if (path.startsWith("/api/agents/")) return { body: agentOf(Number(path.slice(-12))) };
    const decision = byId.get(path.split("/")[3] ?? "");
    if (decision === undefined) return { status: 404, body: { detail: "unknown" } };
    if (method === "GET") return { body: decision };
    if (reply) return reply(decision);
    set(decision.id, { status: "submitting" });
    return { status: 202, body: { decision: byId.get(decision.id) } };
  });
  const { workspace, calls } = staged;
  const open = async () => {
    const close = workspace.planned.open();
    await until(() => workspace.planned.isRead.value || null);
    return close;
  };
  const reread = async () => {
    const at = workspace.review.readAt.value;
    await Bun.sleep(1);
    void workspace.review.reload();
    await until(() => workspace.review.readAt.value !== at || null);
  };
  const posts = () =>
    calls.filter(({ method }) => method === "POST").map(({ path }) => path.split("/")[3]);
  return { ...staged, set, open, reread, posts, planned: workspace.planned };
}
const [a, b, c] = [1, 2, 3].map((n) =>
  decisionOf(n, 1, { created_at: NOW - 1000 + n, updated_at: NOW - 1000 + n }),
) as [DecisionItem, DecisionItem, DecisionItem];
const chooseAll = ({ planned }: ReturnType<typeof world>) => {
  for (const { decision } of planned.rows.value) planned.choose(decision, "1");
};
const outcomes = ({ planned }: ReturnType<typeof world>) =>
  Object.fromEntries(
    (planned.sending.run.value?.steps ?? []).map(({ decision, outcome }) => [decision.id, outcome]),
  );

describe("choosing", () => {
  test("sends nothing, and nothing is chosen beforehand", async () => {
    const it = world([a, b]);
    await it.open();
    expect(it.planned.ready.value).toEqual([]);
    chooseAll(it);
    expect(it.planned.ready.value.map(({ decision }) => decision.id)).toEqual([a.id, b.id]);
    it.planned.choose(a, null);
    expect(it.planned.ready.value.map(({ decision }) => decision.id)).toEqual([b.id]);
    expect(it.posts()).toEqual([]);
  });

  test("keeps the server, ids, revisions and fingerprints, and nothing else", async () => {
    const it = world([a]);
    await it.open();
    chooseAll(it);
    expect(JSON.parse(it.storage.getItem(PLAN_KEY) ?? "")).toEqual({
      instance: "server-1",
      choices: {
        [a.id]: {
          option_id: "1",
          revision: 1,
          binding_revision: 1,
          prompt_fingerprint: "sha256:1-1",
          options_fingerprint: a.options_fingerprint,
        },
      },
    });
    it.planned.clear();
    expect(it.storage.getItem(PLAN_KEY)).toBeNull();
  });

  test("is no choice any more once the question has changed", async () => {
    const it = world([a, b]);
    await it.open();
    chooseAll(it);
    it.set(a.id, { title: "Another?" });
    await it.reread();
    expect(it.planned.lost.value).toEqual({ [a.id]: "changed" });
    expect(it.planned.ready.value.map(({ decision }) => decision.id)).toEqual([b.id]);
    // The finger was on its way to a button that said more.
    await it.planned.send();
    expect(it.posts()).toEqual([]);
  });
});

describe("an earlier page's plan", () => {
  async function reloaded(change: (it: ReturnType<typeof world>) => void) {
    const first = world([a, b, c]);
    await first.open();
    chooseAll(first);
    const kept = first.storage.getItem(PLAN_KEY) ?? "";
    const second = world([a, b, c]);
    second.storage.setItem(PLAN_KEY, kept);
    change(second);
    await second.open();
    return second;
  }

  test("is held against what is asked now; what differs is said", async () => {
    const it = await reloaded(({ set }) => {
      set(b.id, { binding_revision: 2 });
      set(c.id, { status: "resolved" });
    });
    expect(it.planned.isRestored.value).toBe(true);
    expect(it.planned.ready.value.map(({ decision }) => decision.id)).toEqual([a.id]);
    expect(it.planned.lost.value).toEqual({ [b.id]: "changed", [c.id]: "gone" });
    const ended = await until(
      () => it.planned.rows.value.find(({ decision }) => decision.id === c.id) ?? null,
    );
    expect([ended.isOpen, ended.decision.status]).toEqual([false, "resolved"]);
    expect(Object.keys(JSON.parse(it.storage.getItem(PLAN_KEY) ?? "").choices)).toEqual([a.id]);
  });

  test("that was left while it was sent is in doubt by the decision's own word", async () => {
    const it = await reloaded(({ set }) => set(a.id, { status: "unknown" }));
    expect(it.planned.lost.value).toEqual({ [a.id]: "uncertain" });
  });

  test("of another server is dropped", async () => {
    const it = await reloaded(({ instance }) => void (instance.value = "server-2"));
    expect(it.planned.ready.value).toEqual([]);
    expect(it.storage.getItem(PLAN_KEY)).toBeNull();
  });

  test("that is none is dropped", async () => {
    const it = world([a]);
    it.storage.setItem(PLAN_KEY, "{");
    await it.open();
    expect(it.planned.ready.value).toEqual([]);
  });
});

describe("sending", () => {
  test("goes one after another in rank order, each read again and sent once", async () => {
    const it = world([a, b, c]);
    await it.open();
    chooseAll(it);
    it.calls.length = 0;
    await Promise.all([it.planned.send(), it.planned.send()]);
    const about = it.calls.filter(({ path }) => path.startsWith("/api/decisions"));
    expect(about.map(({ method, path }) => `${method} ${path.split("/")[3]}`)).toEqual(
      [a, b, c].flatMap(({ id }) => [`GET ${id}`, `POST ${id}`]),
    );
    expect(outcomes(it)).toEqual({ [a.id]: "sent", [b.id]: "sent", [c.id]: "sent" });
    expect(it.storage.getItem(PLAN_KEY)).toBeNull();
    it.planned.dismiss();
    await it.planned.send();
    expect(it.posts()).toHaveLength(3);
  });

  test("leaves out what has changed and the later ones of its agent; others go on", async () => {
    const later = decisionOf(1, 2, { created_at: NOW - 500 });
    const it = world([a, later, b]);
    await it.open();
    chooseAll(it);
    it.set(a.id, { title: "Another?" });
    await it.planned.send();
    expect(it.posts()).toEqual([b.id]);
    expect(outcomes(it)).toEqual({ [a.id]: "changed", [later.id]: "skipped", [b.id]: "sent" });
    // What was not sent stays in the plan.
    expect(Object.keys(it.planned.plan.value.choices)).toEqual([later.id]);
  });

  test("says what was answered meanwhile, and what could not be read again", async () => {
    const it = world([a, b]);
    await it.open();
    chooseAll(it);
    it.set(a.id, { status: "resolved" });
    it.gate.claim(["%2"], "Enter");
    await it.planned.send();
    expect(it.posts()).toEqual([]);
    expect(outcomes(it)).toEqual({ [a.id]: "gone", [b.id]: "refused" });
    expect(Object.keys(it.planned.plan.value.choices)).toEqual([b.id]);
  });

  test("a doubt stops that one, and it is not sent again", async () => {
    const it = world([a, b], ({ id }) =>
      id === a.id ? "lost" : { status: 202, body: { decision: { ...b, status: "submitting" } } },
    );
    await it.open();
    chooseAll(it);
    await it.planned.send();
    expect(outcomes(it)).toEqual({ [a.id]: "uncertain", [b.id]: "sent" });
    it.planned.dismiss();
    await it.planned.send();
    expect(it.posts()).toEqual([a.id, b.id]);
  });

  test("a conflict is a change", async () => {
    const it = world([a], () => ({ status: 409, body: { detail: { message: "stale" } } }));
    await it.open();
    chooseAll(it);
    await it.planned.send();
    expect(outcomes(it)).toEqual({ [a.id]: "changed" });
    expect(it.posts()).toHaveLength(1);
  });

  test("stops after the one that is on its way; the rest stays in the plan", async () => {
    const gate = Promise.withResolvers<void>();
    const it = world([a, b], async (decision) => {
      await gate.promise;
      return { status: 202, body: { decision: { ...decision, status: "submitting" } } };
    });
    await it.open();
    chooseAll(it);
    const sending = it.planned.send();
    await until(() => (it.posts().length === 1 ? true : null));
    it.planned.sending.stop();
    gate.resolve();
    await sending;
    expect(outcomes(it)).toEqual({ [a.id]: "sent", [b.id]: null });
    expect(Object.keys(it.planned.plan.value.choices)).toEqual([b.id]);
    expect(it.posts()).toEqual([a.id]);
  });

  test("signed out meanwhile, nothing more leaves and nothing is kept", async () => {
    const gate = Promise.withResolvers<void>();
    const it = world([a, b], async (decision) => {
      await gate.promise;
      return { status: 202, body: { decision: { ...decision, status: "submitting" } } };
    });
    await it.open();
    chooseAll(it);
    const sending = it.planned.send();
    await until(() => (it.posts().length === 1 ? true : null));
    it.workspace.stop();
    it.storage.removeItem(PLAN_KEY);
    gate.resolve();
    await sending;
    expect(it.posts()).toEqual([a.id]);
    expect(it.storage.getItem(PLAN_KEY)).toBeNull();
  });
});
