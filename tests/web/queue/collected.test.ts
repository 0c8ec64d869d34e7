import { describe, expect, test } from "bun:test";
import type { DecisionItem } from "../../../src/protocol/agents.ts";
import type { PaneState } from "../../../src/protocol/pane.ts";
import { rank } from "../../../src/review/rank.ts";
import type { Pane } from "../../../web/model/pane.ts";
import { choosables } from "../../../web/model/queue/collect.ts";
import { Answers } from "../../../web/state/server/answers.ts";
import { Collected } from "../../../web/state/server/collected.ts";
import { Once } from "../../../web/state/server/once.ts";
import { PaneActions } from "../../../web/state/server/pane-actions.ts";
import { QueueStore } from "../../../web/state/server/queue.ts";
import { keyOf } from "../../../web/model/stored.ts";
import { agentOf, decisionOf, NOW, workOf } from "../../review/works.ts";
import { pane } from "../../support/pane.ts";
import { until } from "../../support/until.ts";
import { EMPTY_REVIEW, stage, type Answer, type Call } from "../agents/stage.ts";

interface Play {
  /** What a POST gets once it has come. */
  readonly reply?: (call: Call) => Answer | Promise<Answer>;
  /** Before an answer leaves, the newest is asked for: what has come by then. */
  readonly refresh?: () => void;
}

/** A page with panes and, by id, the decisions of agents. */
function world(decisions: DecisionItem[], { reply, refresh }: Play = {}) {
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
  const staged = stage(async (call: Call): Promise<Answer> => {
    const { method, path } = call;
    if (path === "/api/review") return { body: review() };
    if (method === "POST" && reply) return reply(call);
    if (path === "/api/select") return { body: { ok: true } };
    const decision = byId.get(path.split("/")[3] ?? "");
    if (decision === undefined) return { status: 404, body: { detail: "unknown" } };
    if (method === "GET") return { body: decision };
    set(decision.id, { status: "submitting" });
    return { status: 202, body: { decision: byId.get(decision.id) } };
  });
  const { api, calls, gate, panes, workspace } = staged;
  const clock = { ms: 10_000 };
  const nowMs = () => clock.ms;
  let keys = 0;
  const once = new Once({ incarnation: () => null, uuid: () => `press-${++keys}` });
  const answers = new Answers({
    ...{ gate, panes, nowMs },
    actions: new PaneActions({ api, once, hasGuard: () => true }),
    connected: () => true,
    refresh: async () => {
      refresh?.();
      return true;
    },
    onUnauthorized: () => {},
    untouchedMs: () => 0,
    onSent: () => {},
    onDone: () => {},
  });
  const groups = () => workspace.board.drawn.value?.flatMap(({ latest }) => latest ?? []) ?? null;
  const queue = new QueueStore({
    ...{ panes, groups, nowMs },
    waitingAgents: () => [],
    nowSeconds: () => NOW,
    held: () => false,
    untouchedMs: () => 0,
    onOrdered: () => {},
  });
  const collected = new Collected({
    ...{ answers, gate, panes, nowMs },
    collecting: queue.collecting,
    waiting: () => queue.order.value.waiting.flatMap(({ key }) => queue.entry(key) ?? []),
    workspace: () => workspace,
    instance: () => staged.instance.value,
    nowSeconds: () => NOW,
  });
  const show = (...shown: readonly Pane[]) => {
    panes.take({ panes: [...shown], styles: new Map() });
    answers.advance();
    queue.follow();
  };
  const reread = async () => {
    const at = workspace.review.readAt.value;
    await Bun.sleep(1);
    void workspace.review.reload();
    await until(() => workspace.review.readAt.value !== at || null);
    queue.follow();
  };
  const open = async () => {
    workspace.start();
    void workspace.review.load();
    await until(() => workspace.board.drawn.value);
    panes.take({ panes: [], styles: new Map() });
    queue.enter();
  };
  const posts = () => calls.filter(({ method }) => method === "POST");
  const posted = () => posts().map(({ path, body }) => path.split("/")[3] ?? paneIn(body));
  return {
    ...staged,
    ...{ answers, collected, queue, clock },
    set,
    open,
    show,
    reread,
    posts,
    posted,
  };
}
type World = ReturnType<typeof world>;
const paneIn = (body: unknown): unknown =>
  typeof body === "object" && body !== null && "id" in body ? body.id : null;

const [a, b, c] = [1, 2, 3].map((n) =>
  decisionOf(n, 1, { created_at: NOW - 1000 + n, updated_at: NOW - 1000 + n }),
) as [DecisionItem, DecisionItem, DecisionItem];
/** A prompt that only its pane tells of. */
const asks = (n: number, more: Partial<PaneState> = {}): PaneState =>
  pane({
    id: `%${n}`,
    status: "needs_input",
    question: `Run test ${n}?`,
    prompt_since: n,
    legacy_guard: { prompt_fingerprint: `p${n}`, options_fingerprint: `o${n}`, selected: null },
    menu: ["Yes", "No"].map((label, index) => ({
      ...{ key: `${index + 1}`, label, description: "" },
      ...{ freeform: false, checked: null, selected: false },
    })),
    ...more,
  });
const idOf = ({ agent_id }: DecisionItem) => agent_id;
const chooseAll = ({ collected }: World, at = 0) => {
  for (const question of collected.open.value)
    collected.choose(question, choosables(question)[at] ?? null);
};
const ready = ({ collected }: World) => collected.ready.value.map(({ seen }) => seen.id);
const outcomes = ({ collected }: World) =>
  Object.fromEntries(
    (collected.run.run.value?.steps ?? []).map(({ seen, outcome }) => [seen.id, outcome]),
  );

describe("choosing", () => {
  test("sends nothing, and nothing is chosen beforehand", async () => {
    const it = world([a, b]);
    await it.open();
    expect(ready(it)).toEqual([]);
    chooseAll(it);
    expect(ready(it)).toEqual([idOf(a), idOf(b)]);
    const [first] = it.collected.questions.value;
    if (first) it.collected.choose(first, null);
    expect(ready(it)).toEqual([idOf(b)]);
    expect(it.posts()).toEqual([]);
  });

  test("is there for prompts of panes without any workspace, and lives as long as the page", () => {
    const it = world([]);
    it.show(asks(1), asks(2));
    chooseAll(it);
    expect(ready(it)).toEqual(["%1", "%2"]);
    expect(it.queue.collecting.hasChoices.value).toBe(true);
    expect(it.storage.getItem(keyOf("plan"))).toBeNull();
  });

  test("keeps the server, ids, revisions and fingerprints, and nothing else", async () => {
    const it = world([a]);
    await it.open();
    chooseAll(it);
    expect(JSON.parse(it.storage.getItem(keyOf("plan")) ?? "")).toEqual({
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
    it.collected.leaveAll();
    expect(it.storage.getItem(keyOf("plan"))).toBeNull();
  });

  test("is no choice any more once the question has changed", async () => {
    const it = world([a, b]);
    await it.open();
    chooseAll(it);
    it.set(a.id, { title: "Another?" });
    await it.reread();
    expect(it.collected.lost.value).toEqual({ [idOf(a)]: "changed" });
    expect(ready(it)).toEqual([idOf(b)]);
    // The finger was on its way to a button that said more.
    await it.collected.send();
    expect(it.posts()).toEqual([]);
    it.clock.ms += 400;
    await it.collected.send();
    expect(it.posted()).toEqual([b.id]);
  });

  const others: readonly [string, Partial<PaneState>][] = [
    ["asks something else", { question: "Delete it?" }],
    ["asks the same anew", { prompt_since: 99 }],
    [
      "has another guard",
      { legacy_guard: { prompt_fingerprint: "p", options_fingerprint: "o", selected: null } },
    ],
  ];
  test.each(others)("falls out when its pane %s", (_, other) => {
    const it = world([]);
    it.show(asks(1), asks(2));
    chooseAll(it);
    it.show(asks(1, other), asks(2));
    expect(it.collected.lost.value).toEqual({ "%1": "changed" });
    expect(ready(it)).toEqual(["%2"]);
  });

  test("of what was on the screen when the finger came down is none of what stands there now", () => {
    const it = world([]);
    it.show(asks(1));
    const [seen] = it.collected.open.value;
    it.show(asks(1, { question: "Delete it?" }));
    if (seen) it.collected.choose(seen, choosables(seen)[0] ?? null);
    expect([ready(it), it.collected.lost.value]).toEqual([[], { "%1": "changed" }]);
  });

  test("is not offered where one option is no whole answer", () => {
    const it = world([]);
    const ticked = asks(1).menu.map((option) => ({ ...option, checked: false }));
    it.show(asks(1, { menu: ticked }), asks(2, { menu: [] }));
    const { collected } = it;
    expect(collected.questions.value.map((one) => collected.obstacle(one))).toEqual(["now", "now"]);
  });

  test("with own words takes them along, and needs some", () => {
    const it = world([]);
    const menu = asks(1).menu.map((option) => ({ ...option, freeform: option.key === "2" }));
    it.show(asks(1, { menu }));
    chooseAll(it, 1);
    expect(ready(it)).toEqual([]);
    const [question] = it.collected.open.value;
    if (question) it.collected.choose(question, choosables(question)[1] ?? null, "in words");
    expect(it.collected.ready.value.map(({ text }) => text)).toEqual(["in words"]);
  });
});

describe("what an earlier page has chosen", () => {
  async function reloaded(change: (it: World) => void) {
    const first = world([a, b, c]);
    await first.open();
    chooseAll(first);
    const kept = first.storage.getItem(keyOf("plan")) ?? "";
    const second = world([a, b, c]);
    second.storage.setItem(keyOf("plan"), kept);
    change(second);
    await second.open();
    return second;
  }

  test("is held against what is asked now; what differs is said", async () => {
    const it = await reloaded(({ set }) => {
      set(b.id, { binding_revision: 2 });
      set(c.id, { status: "resolved" });
    });
    expect(it.collected.isRestored.value).toBe(true);
    expect(ready(it)).toEqual([idOf(a)]);
    expect(it.collected.lost.value).toEqual({ [idOf(b)]: "changed", [c.id]: "gone" });
    expect(Object.keys(JSON.parse(it.storage.getItem(keyOf("plan")) ?? "").choices)).toEqual([
      a.id,
    ]);
  });

  test("that was left while it was sent is in doubt by the decision's own word", async () => {
    const it = await reloaded(({ set }) => set(a.id, { status: "unknown" }));
    expect(it.collected.lost.value).toEqual({ [idOf(a)]: "uncertain" });
  });

  test("stands when the pane of its agent becomes known, or goes", async () => {
    const it = world([a, b]);
    await it.open();
    chooseAll(it);
    it.show(pane({ id: "%1" }), pane({ id: "%2" }));
    expect(ready(it)).toEqual(["%1", "%2"]);
    it.show(pane({ id: "%2" }));
    expect(ready(it)).toEqual([idOf(a), "%2"]);
    expect(it.collected.lost.value).toEqual({});
  });

  test("of another server is dropped", async () => {
    const it = await reloaded(({ instance }) => void (instance.value = "server-2"));
    expect(ready(it)).toEqual([]);
    expect(it.storage.getItem(keyOf("plan"))).toBeNull();
  });

  test("that is none is dropped", async () => {
    const it = world([a]);
    it.storage.setItem(keyOf("plan"), "{");
    await it.open();
    expect(ready(it)).toEqual([]);
  });
});

describe("sending", () => {
  test("goes one after another in the order of the list, each read again and sent once", async () => {
    const it = world([a, b, c]);
    await it.open();
    chooseAll(it);
    it.calls.length = 0;
    await Promise.all([it.collected.send(), it.collected.send()]);
    const about = it.calls.filter(({ path }) => path.startsWith("/api/decisions"));
    expect(about.map(({ method, path }) => `${method} ${path.split("/")[3]}`)).toEqual(
      [a, b, c].flatMap(({ id }) => [`GET ${id}`, `POST ${id}`]),
    );
    expect(outcomes(it)).toEqual({ [idOf(a)]: "sent", [idOf(b)]: "sent", [idOf(c)]: "sent" });
    expect(it.storage.getItem(keyOf("plan"))).toBeNull();
    it.collected.run.dismiss();
    await it.collected.send();
    expect(it.posts()).toHaveLength(3);
  });

  test("answers a prompt by its pane, under what was seen when it was chosen", async () => {
    const it = world([]);
    it.show(asks(1), asks(2));
    chooseAll(it);
    await it.collected.send();
    expect(it.posts().map(({ path, body }) => [path, body])).toMatchObject([
      ["/api/select", { id: "%1", key: "1", expected: { prompt_fingerprint: "p1" } }],
      ["/api/select", { id: "%2", key: "1", expected: { prompt_fingerprint: "p2" } }],
    ]);
    expect(it.queue.collecting.isOn.value).toBe(false);
  });

  test("leaves the card to a new question of its pane once all have been sent", async () => {
    const it = world([]);
    it.show(asks(1), asks(2));
    chooseAll(it);
    await it.collected.send();
    expect([...it.queue.collecting.cards.value]).toEqual(["%1", "%2"]);
    it.show(asks(1, { question: "And now?", prompt_since: 50 }), asks(2));
    expect([...it.queue.collecting.cards.value]).toEqual(["%2"]);
  });

  test("compares a prompt again after the newest was asked for", async () => {
    const it = world([], {
      refresh: () => {
        it.panes.ageMs = () => 0;
        it.show(asks(1, { prompt_since: 99 }), asks(2));
      },
    });
    it.show(asks(1), asks(2));
    chooseAll(it);
    // The snapshot is old by now: the newest is asked for before anything leaves.
    it.panes.ageMs = () => 60_000;
    await it.collected.send();
    expect(it.posted()).toEqual(["%2"]);
    expect(outcomes(it)).toEqual({ "%1": "changed", "%2": "sent" });
    expect(ready(it)).toEqual([]);
  });

  test("says of a prompt what is gone, and keeps what could not be sent", async () => {
    const it = world([], { refresh: () => it.show(pane({ id: "%1" }), asks(2)) });
    it.show(asks(1), asks(2));
    chooseAll(it);
    it.gate.claim(["%2"], "Enter");
    it.panes.ageMs = () => 60_000;
    await it.collected.send();
    expect(it.posted()).toEqual([]);
    expect(outcomes(it)).toEqual({ "%1": "gone", "%2": "refused" });
    expect(ready(it)).toEqual(["%2"]);
  });

  test("leaves out what has changed; others go on", async () => {
    const it = world([a, b]);
    await it.open();
    chooseAll(it);
    it.set(a.id, { title: "Another?" });
    await it.collected.send();
    expect(it.posted()).toEqual([b.id]);
    expect(outcomes(it)).toEqual({ [idOf(a)]: "changed", [idOf(b)]: "sent" });
    expect(it.collected.choices.value).toEqual({});
  });

  test("says what was answered meanwhile, and what could not be read again", async () => {
    const it = world([a, b]);
    await it.open();
    chooseAll(it);
    it.set(a.id, { status: "resolved" });
    it.gate.claim(["%2"], "Enter");
    await it.collected.send();
    expect(it.posts()).toEqual([]);
    expect(outcomes(it)).toEqual({ [idOf(a)]: "gone", [idOf(b)]: "refused" });
    expect(Object.keys(it.collected.choices.value)).toEqual([idOf(b)]);
  });

  test("a doubt stops that one, and it is not sent again", async () => {
    const it = world([a, b], {
      reply: ({ path }) =>
        path.includes(a.id)
          ? "lost"
          : { status: 202, body: { decision: { ...b, status: "submitting" } } },
    });
    await it.open();
    chooseAll(it);
    await it.collected.send();
    expect(outcomes(it)).toEqual({ [idOf(a)]: "uncertain", [idOf(b)]: "sent" });
    it.collected.run.dismiss();
    await it.collected.send();
    expect(it.posted()).toEqual([a.id, b.id]);
  });

  test("a conflict is a change", async () => {
    const stale = { status: 409, body: { detail: { message: "stale" } } };
    const it = world([a], { reply: () => stale });
    await it.open();
    chooseAll(it);
    await it.collected.send();
    expect(outcomes(it)).toEqual({ [idOf(a)]: "changed" });
    expect(it.posts()).toHaveLength(1);
  });

  const held = () => {
    const gate = Promise.withResolvers<void>();
    const reply = async () => {
      await gate.promise;
      return { status: 202, body: { decision: { ...a, status: "submitting" } } };
    };
    return { gate, it: world([a, b], { reply }) };
  };

  test("stops after the one that is on its way; the rest stays chosen", async () => {
    const { gate, it } = held();
    await it.open();
    chooseAll(it);
    const sending = it.collected.send();
    await until(() => (it.posts().length === 1 ? true : null));
    expect(it.workspace.kept.isSending.value).toBe(true);
    it.collected.run.stop();
    gate.resolve();
    await sending;
    expect(outcomes(it)).toEqual({ [idOf(a)]: "sent", [idOf(b)]: null });
    expect(ready(it)).toEqual([idOf(b)]);
    expect(it.posted()).toEqual([a.id]);
    expect(it.workspace.kept.isSending.value).toBe(false);
  });

  test("signed out meanwhile, nothing more leaves and nothing is kept", async () => {
    const { gate, it } = held();
    await it.open();
    chooseAll(it);
    const sending = it.collected.send();
    await until(() => (it.posts().length === 1 ? true : null));
    it.collected.clear();
    it.storage.removeItem(keyOf("plan"));
    gate.resolve();
    await sending;
    expect(it.posted()).toEqual([a.id]);
    expect(it.storage.getItem(keyOf("plan"))).toBeNull();
  });
});
