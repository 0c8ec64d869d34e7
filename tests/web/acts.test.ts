import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { signal } from "@preact/signals";
import type { Act } from "../../src/protocol/act.ts";
import { signatureOf } from "../../web/model/guard.ts";
import type { Pane } from "../../web/model/pane.ts";
import {
  type Failure,
  type LockToken,
  type Result,
  failureStep,
  type FailureStep,
} from "../../web/net/api.ts";
import { notSent } from "../../web/words/refusals.ts";
import { type Answer, apiOf, recordOf, serverOf } from "../support/page-server.ts";
import { pane } from "../support/pane.ts";
import { forAllInTime } from "../support/laws.ts";

const asking = pane({ status: "needs_input", question: "Delete the cache?" });

const LOST: Result<never> = { ok: false, failure: { kind: "lost" } };
const refusal = (reason: string, status = 409) => ({ status, body: { detail: { reason } } });

/** The acts of a page over a server with these answers. */
function openPage(says: () => Answer | Promise<Answer> = () => ({ body: { ok: true } })) {
  const time = { nowMs: 0, untouchedMs: 0 };
  const sent: string[] = [];
  const done: string[] = [];
  const link = { refresh: async (): Promise<boolean> => true };
  const server = serverOf({
    ...{ link, nowMs: () => time.nowMs },
    api: apiOf(({ path }) => {
      sent.push(path);
      return says();
    }),
    drafts: {
      of: () => signal({ text: "", images: [], remarks: [] }),
      sent: () => {},
    },
    queue: { answered: (paneId: string) => void done.push(paneId) },
  });
  server.browser.touch.untouchedMs = () => time.untouchedMs;
  const { acts, answers, outbox, panes } = server;
  const show = (...shown: Pane[]) => {
    panes.take({ panes: shown, styles: new Map(), cards: [] });
    answers.advance();
  };
  const press = { shown: asking, option: null, text: "no", label: "no", pressedAt: -1000 };
  const send = async () => {
    const outcome = await acts.answer({ ...press, steadySince: -2000 });
    return outcome?.step ?? null;
  };
  return { outbox, acts, answers, show, send, sent, time, done, link, server };
}

describe("an answer to a shown prompt", () => {
  /** Answers the shown prompt, with `latest` in the newest snapshot. */
  async function pressed({
    latest = asking,
    connected = true,
    ageMs = 100,
    ...press
  }: {
    readonly latest?: Pane | null;
    readonly connected?: boolean;
    readonly ageMs?: number;
    readonly pressedAt?: number;
    readonly steadySince?: number;
  }) {
    const { acts, show, sent, time, link, server } = openPage();
    const asked = { count: 0 };
    link.refresh = async () => {
      asked.count += 1;
      show(asking);
      return true;
    };
    show(...(latest === null ? [] : [latest]));
    time.nowMs = ageMs;
    Object.assign(server, { canAnswer: signal(connected) });
    const words = { shown: asking, option: null, text: "no", label: "no" };
    const times = { pressedAt: ageMs, steadySince: ageMs - 1000 };
    const outcome = await acts.answer({ ...words, ...times, ...press });
    const said = outcome?.step === "refused" ? outcome.reason : null;
    return { said, sent, asked: asked.count };
  }

  test.each([
    ["the prompt is another one", { latest: other }, "changed"],
    ["the card moved 399 ms ago", { steadySince: -299 }, "moved"],
    ["it moved and is another prompt", { steadySince: -299, latest: other }, "changed"],
    ["it moved under a finger that rests", { pressedAt: -5000, steadySince: -4999 }, "moved"],
    ["the pane is gone", { latest: null }, null],
  ])("is not sent when %s", async (_name, facts, said) => {
    expect(await pressed(facts)).toEqual({ said, sent: [], asked: 0 });
  });

  test("waits for a new snapshot when the shown one is older than 1.5 s", async () => {
    expect(await pressed({ ageMs: 1500 })).toEqual({ said: null, sent: ["/api/text"], asked: 0 });
    expect(await pressed({ ageMs: 1501 })).toEqual({ said: null, sent: ["/api/text"], asked: 1 });
  });

  test("is sent exactly when it is connected, steady, actionable, not stale and for the same prompt", async () => {
    await forAllInTime(
      [
        fc.record({
          connected: fc.boolean(),
          ageMs: fc.integer({ min: 0, max: 1500 }),
          steadyMs: fc.integer({ min: 0, max: 2000 }),
          actionable: fc.boolean(),
          stale: fc.boolean(),
          isSame: fc.boolean(),
        }),
      ],
      400,
      async ({ connected, ageMs, steadyMs, actionable, stale, isSame }) => {
        const latest = { ...(isSame ? asking : other), actionable, stale };
        const { sent } = await pressed({ latest, connected, ageMs, steadySince: ageMs - steadyMs });
        const holds = connected && steadyMs >= 400 && actionable && !stale && isSame;
        expect(sent).toEqual(holds ? ["/api/text"] : []);
      },
    );
  });
});

test("a prompt of a pane in doubt cannot be answered until somebody looks, also one that comes up later", async () => {
  const { outbox, answers, show, send, sent } = openPage();
  await outbox.acquire(["%1"], "go on")?.send(async () => LOST);
  show(pane());
  expect(answers.of("%1").value).toBeNull();
  show(asking);
  expect(answers.of("%1").value).toMatchObject({ step: "uncertain", sent: { label: "go on" } });
  // A pane that was away for a moment is in doubt as before.
  show();
  show(asking);
  expect(answers.of("%1").value?.step).toBe("uncertain");
  expect([await send(), sent]).toEqual([null, []]);
  outbox.inspected("%1");
  answers.advance();
  expect(answers.of("%1").value).toBeNull();
  expect([await send(), sent]).toEqual(["sent", ["/api/text"]]);
});

test("a confirmed answer stays for 2 s, and until the screen was untouched for 1 s, then it is done", async () => {
  const { answers, show, send, time, done } = openPage();
  show(asking);
  await send();
  time.nowMs = 4000;
  show(pane({ status: "working" }));
  expect(answers.of("%1").value).toMatchObject({ step: "sent", confirmed: true, at: 4000 });
  const doneAt = (nowMs: number, untouchedMs: number) => {
    Object.assign(time, { nowMs, untouchedMs });
    answers.advance();
    return [done.join(), answers.of("%1").value === null, answers.holds("%1")];
  };
  expect(doneAt(5999, 9000)).toEqual(["", false, true]);
  expect(doneAt(6000, 999)).toEqual(["", false, true]);
  expect(doneAt(7000, 1000)).toEqual(["%1", true, false]);
  expect(doneAt(8000, 2000)).toEqual(["%1", true, false]);
});

const again = { ...asking, prompt_since: 90 };
const other = { ...asking, question: "Push to main?" };

/** A snapshot after an answer was sent, and the session id of its socket; null: by REST. */
type Shown = readonly [sid: string | null, pane: Pane | null];
test.each<[string, Shown[], boolean]>([
  ["the pane has gone", [["one", null]], true],
  ["the same is asked anew", [["one", again]], true],
  [
    "a new run, by REST first, tells another time",
    [
      [null, again],
      ["two", again],
    ],
    false,
  ],
  ["a new run has not listed the pane yet", [["two", null]], false],
  [
    "a new run asks something else",
    [
      ["two", again],
      ["two", other],
    ],
    true,
  ],
  ["no socket tells of the run of the same asked anew", [[null, again]], false],
  ["something else is asked by REST", [[null, other]], true],
])("an answer counts as confirmed or not when %s", async (_, shown, confirmed) => {
  const { answers, show, send, server } = openPage();
  show(asking);
  await send();
  for (const [sid, pane] of shown) {
    server.sid.value = sid;
    show(...(pane === null ? [] : [pane]));
  }
  expect(answers.of("%1").value).toMatchObject({ step: "sent", confirmed });
});

describe("an answer after a reconnect", () => {
  /** An answer sent before a reconnect, and the panes after it; the record is asked several times. */
  async function reconnected(state: Act["state"], isGone: boolean, ...shown: Pane[]) {
    const page = openPage();
    const { outbox, server, time } = page;
    const asked: string[] = [];
    page.show(asking);
    await page.send();
    Object.assign(server, {
      isGone: () => isGone,
      recordOf: async (keys: readonly string[]) => {
        asked.push(...keys);
        return recordOf(keys.map((key) => ({ key, paneId: "%1", state })));
      },
    });
    server.sid.value = "two";
    page.show(...shown);
    for (time.nowMs = 20_000; time.nowMs < 30_000; time.nowMs += 2000) {
      await outbox.ask();
      page.answers.advance();
    }
    return { ...page, asked };
  }

  test("whose pane has gone is done where the record has it as confirmed", async () => {
    const { answers, asked, done, time } = await reconnected("confirmed", true);
    expect(answers.of("%1").value).toMatchObject({ confirmed: true, at: 20_000 });
    expect(asked).toEqual(["key-1"]);
    time.untouchedMs = 1000;
    answers.advance();
    expect([answers.of("%1").value, done]).toEqual([null, ["%1"]]);
  });

  test("whose pane has gone stays long enough to be read where the record does not know its end", async () => {
    const { answers, asked, done, time } = await reconnected("sent", true);
    expect(answers.of("%1").value).toMatchObject({ confirmed: false, isOrphan: true });
    expect([answers.isLate("%1"), answers.holds("%1"), asked]).toEqual([false, true, ["key-1"]]);
    time.untouchedMs = 1000;
    answers.advance();
    expect([answers.of("%1").value, done]).toEqual([null, ["%1"]]);
  });

  test("is confirmed by the record where the same prompt is asked again", async () => {
    const { answers } = await reconnected("confirmed", false, again);
    expect(answers.of("%1").value).toMatchObject({ step: "sent", confirmed: true });
  });

  test("that the record has only as sent is late, and the record is asked once", async () => {
    for (const shown of [[asking], []]) {
      const { answers, asked } = await reconnected("sent", false, ...shown);
      expect([answers.isLate("%1"), asked]).toEqual([true, ["key-1"]]);
    }
  });
});

test("a refusal is shown at the prompt that stands there once it is known, and at no other", async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const { answers, show, send, link } = openPage(() => refusal("options_changed"));
  show(asking);
  link.refresh = () => promise;
  expect(await send()).toBe("refused");
  expect(answers.of("%1").value).toMatchObject({ reason: "options_changed", signature: null });
  show(other);
  resolve(true);
  await Bun.sleep(0);
  expect(answers.of("%1").value).toMatchObject({ step: "refused", signature: signatureOf(other) });
  show(asking);
  expect(answers.of("%1").value).toBeNull();
});

test("a refused token ends the answer without a word at its card", async () => {
  const { answers, show, send } = openPage(() => refusal("x", 401));
  show(asking);
  expect(await send()).toBeNull();
  expect(answers.of("%1").value).toBeNull();
});

test.each([
  [409, { reason: "prompt_changed", code: "draft_there" }, /^Not sent: Something is typed/],
  [400, { reason: "can't find pane: %1", code: "pane_gone" }, /^Not sent: [^%]+\.$/],
  [400, { reason: "cannot read pane %1", code: "pane_unreadable" }, /^Not sent: [^%]+\.$/],
  [400, { reason: "another program is in %1", code: "other_program" }, /^Not sent: [^%]+\.$/],
  [409, { reason: "partial_delivery_unknown", code: "draft_there" }, null],
])(
  "a text refused with %i %j has the page's own words, or may have arrived",
  async (status, is, told) => {
    const detail = { ...is, message: "somebody has typed there: rm" };
    const { acts, show } = openPage(() => ({ status, body: { detail } }));
    const shown = pane();
    show(shown);
    const outcome = await acts.text({ shown, pressedAt: -1000, steadySince: -2000 }, "go on");
    if (told === null) expect(outcome).toMatchObject({ step: "uncertain", isPart: true });
    else expect(outcome?.step === "refused" && notSent(outcome.reason)).toMatch(told);
  },
);

test("keys are sent in turn, and none after one that was refused", async () => {
  const { acts, show, sent } = openPage(() => refusal("prompt_changed"));
  const keyed = pane({ status: "working" });
  show(keyed);
  const press = { shown: keyed, pressedAt: -1000, steadySince: -2000 };
  const outcomes = await Promise.all([acts.key(press, "Enter"), acts.key(press, "Escape")]);
  expect(outcomes.map((outcome) => outcome?.step)).toEqual(["refused", "refused"]);
  expect(sent).toEqual(["/api/key"]);
});

test("changes carry the session id of the socket once there is one, and readings carry none", async () => {
  const named: [string, string | null][] = [];
  let sid: string | null = null;
  const api = apiOf(() => ({ body: {} }), {
    fetch: async (path, init) => {
      named.push([path, new Headers(init.headers).get("x-panewatch-sid")]);
      return Response.json({});
    },
    sid: () => sid,
  });
  const { signal } = new AbortController();
  const lockToken = {} as LockToken; // Nothing here reaches a pane.
  const up = () => api.call("POST /api/key", { lockToken, signal, json: { id: "%1", key: "Up" } });
  await up();
  sid = "0a1b2c3d";
  await up();
  await api.call("DELETE /api/push/devices/:id", { path: { id: "d" } });
  await api.call("GET /api/waiting");
  expect(named).toEqual([
    ["/api/key", null],
    ["/api/key", "0a1b2c3d"],
    ["/api/push/devices/d", "0a1b2c3d"],
    ["/api/waiting", null],
  ]);
});

test("an address has the route's path, its encoded names and the query without empty members", async () => {
  const asked: string[] = [];
  const api = apiOf(({ method, path }) => {
    asked.push(`${method} ${path}`);
    return { body: {} };
  });
  const query = { q: "a b", role: null, after: 5, cursor: undefined, limit: 100 };
  await api.call("GET /api/agents/:id/messages", { path: { id: "a/b" }, query });
  await api.call("PATCH /api/hosts/:name", { path: { name: "gpu 1" }, json: { watch: true } });
  expect(asked).toEqual([
    "GET /api/agents/a%2Fb/messages?q=a+b&after=5&limit=100",
    "PATCH /api/hosts/gpu%201",
  ]);
});

test("a reply that arrives after signing out is dropped", async () => {
  const over = new AbortController();
  const signOut = () => {
    over.abort();
    return { body: { grants: [] } };
  };
  const api = apiOf(signOut, { signedOut: over.signal });
  const failure = { kind: "unauthorized" } as const;
  expect(await api.call("GET /api/grants")).toEqual({ ok: false, failure });
});

const MESSAGE = "The pane is gone.";
test.each<[Failure, FailureStep]>([
  [
    { kind: "refused", status: 404, detail: { reason: "unknown_pane", message: MESSAGE } },
    { step: "refused", reason: MESSAGE },
  ],
  [{ kind: "unauthorized" }, { step: "refused", reason: "" }],
  [{ kind: "lost" }, { step: "uncertain" }],
  [{ kind: "refused", status: 409, detail: "partial_delivery_unknown" }, { step: "uncertain" }],
  [{ kind: "refused", status: 500, detail: "internal error" }, { step: "uncertain" }],
])("the failure %j is a refusal with a sentence, or leaves the act in doubt", (failure, step) => {
  expect(failureStep(failure)).toEqual(step);
});

test("a refused request reloads the grants, except when the refused request was for the grants", async () => {
  let asked = 0;
  const api = apiOf(() => ({ status: 403, body: { detail: "iPad may look" } }), {
    onForbidden: () => void asked++,
  });
  await api.call("GET /api/grants");
  await api.call("GET /api/config");
  expect(asked).toBe(1);
});

test("a refused token ends the session, unless another token is in use by then", async () => {
  let token = "old";
  let ended = 0;
  const refusal = () => {
    if (token === "slow") token = "new";
    return { status: 401, body: { detail: "x" } };
  };
  const api = apiOf(refusal, { token: () => token, onUnauthorized: () => void ended++ });
  const failure = { kind: "unauthorized" } as const;
  expect(await api.call("GET /api/waiting")).toEqual({ ok: false, failure });
  expect(ended).toBe(1);
  token = "slow";
  await api.call("GET /api/waiting");
  expect(ended).toBe(1);
});
