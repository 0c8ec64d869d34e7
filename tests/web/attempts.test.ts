import { expect, test } from "bun:test";
import { advance, confirms, type Answer, type Sent } from "../../web/model/answer.ts";
import { signatureOf, type Verdict } from "../../web/model/guard.ts";
import type { Result } from "../../web/net/api.ts";
import { Attempts, type Subject } from "../../web/state/server/attempts.ts";
import { PaneGate } from "../../web/state/server/pane-gate.ts";
import { MemoryStorage } from "../support/memory-storage.ts";
import { pane } from "../support/pane.ts";

/** A question that is no prompt of a pane: what else is answered goes the same way. */
function question(members: Partial<Subject<string>> = {}) {
  const calls: string[] = [];
  const gate = new PaneGate(new MemoryStorage());
  let refused = 0;
  const attempts = new Attempts<string>({
    gate,
    nowMs: () => 1000,
    onUnauthorized: () => refused++,
  });
  const subject: Subject<string> = {
    key: "decision:7",
    paneId: "%1",
    sent: "Keep it",
    label: "Keep it",
    judge: () => "send",
    refresh: async () => true,
    current: () => "first",
    ...members,
    call: async (pass) => {
      calls.push(Object.keys(gate.stored()).join());
      return (await members.call?.(pass)) ?? { ok: true, value: null };
    },
  };
  return { attempts, subject, gate, calls, unauthorized: () => refused };
}

const failing = (result: Result<unknown>) => ({ call: async () => result });
const refusal = (reason: string): Result<unknown> => ({
  ok: false,
  failure: { kind: "refused", status: 409, detail: { reason } },
});

test("what is admitted is sent once, and nobody doubts it afterwards", async () => {
  const { attempts, subject, calls, gate } = question();
  expect(await attempts.run(subject)).toBe("sent");
  // While it was on its way the terminal that it reaches was in doubt.
  expect(calls).toEqual(["%1"]);
  expect(gate.stored()).toEqual({});
  expect(attempts.isHeld("decision:7")).toBe(true);
  expect(attempts.isHeld("%1")).toBe(false);
});

test.each<Verdict>(["changed", "moved", "read_only"])(
  "nothing leaves when it is judged %s",
  async (verdict) => {
    const { attempts, subject, calls, gate } = question({ judge: () => verdict });
    expect(await attempts.run(subject)).toBe("not_sent");
    expect(calls).toEqual([]);
    expect(gate.isHeld("%1")).toBe(false);
  },
);

test("nothing leaves beside what is under way at its pane, and nothing arms", async () => {
  const { attempts, subject, calls, gate } = question();
  const other = gate.claim(["%1"], "Enter");
  expect([attempts.admits(subject), await attempts.run(subject)]).toEqual([false, "not_sent"]);
  expect(calls).toEqual([]);
  other?.release();
  expect([attempts.admits(subject), await attempts.run(subject)]).toEqual([true, "sent"]);
});

test("what is old is asked for first, and judged again", async () => {
  let isFresh = false;
  const { attempts, subject, calls } = question({
    judge: () => (isFresh ? "changed" : "preflight"),
    refresh: async () => (isFresh = true),
  });
  expect(await attempts.run(subject)).toBe("not_sent");
  expect(calls).toEqual([]);
  expect(attempts.of("decision:7").value).toEqual({ step: "changed", signature: "first" });
});

test("nothing leaves when the question whether it holds goes unanswered", async () => {
  const { attempts, subject, calls } = question({
    judge: () => "preflight",
    refresh: async () => false,
  });
  expect(await attempts.run(subject)).toBe("not_sent");
  expect(calls).toEqual([]);
  expect(attempts.of("decision:7").value).toMatchObject({ conflict: "no_connection" });
});

test("a lost reply leaves a doubt, in the page and in the browser", async () => {
  const lost: Result<unknown> = { ok: false, failure: { kind: "lost" } };
  const { attempts, subject, gate } = question(failing(lost));
  expect(await attempts.run(subject)).toBe("uncertain");
  expect(attempts.isUncertain("decision:7")).toBe(true);
  expect(gate.stored()).toEqual({ "%1": "Keep it" });
  gate.inspected("%1");
  expect([attempts.of("decision:7").value, gate.stored()]).toEqual([null, {}]);
});

test("a refusal is said of what stands there once that is known", async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let current = "first";
  const { attempts, subject } = question({
    ...failing(refusal("options_changed")),
    refresh: () => promise,
    current: () => current,
  });
  expect(await attempts.run(subject)).toBe("not_sent");
  const attempt = attempts.of("decision:7");
  expect(attempt.value).toMatchObject({ conflict: "options_changed", signature: null });
  current = "second";
  resolve(true);
  await promise;
  expect(attempt.value).toMatchObject({ step: "refused", signature: "second" });
});

test("a refused token ends the attempt without a word at the question", async () => {
  const failure: Result<unknown> = { ok: false, failure: { kind: "unauthorized" } };
  const { attempts, subject, unauthorized } = question(failing(failure));
  expect(await attempts.run(subject)).toBe("not_sent");
  expect(attempts.of("decision:7").value).toBeNull();
  expect(unauthorized()).toBe(1);
});

test("what was said of one prompt is not said of the next", () => {
  const first = pane({ status: "needs_input", question: "Delete the cache?" });
  const next = pane({ status: "needs_input", question: "Push to main?" });
  const signature = signatureOf(first);
  const said: readonly Answer[] = [
    { step: "changed", signature },
    { step: "refused", conflict: "other", reason: "", signature },
  ];
  for (const answer of said) {
    expect(advance(answer, first, 0)).toBe(answer);
    expect(advance(answer, next, 0)).toBeNull();
    expect(advance(answer, null, 0)).toBeNull();
  }
});

test("an answer is confirmed by another prompt, by none, or by the same one asked anew, and by no redrawing", () => {
  const asked = pane({ status: "needs_input", question: "Delete the cache?", prompt_since: 10 });
  const sent: Sent = {
    ...{ key: "1", optionId: null, label: "1 Yes", isToggle: false },
    ...{ signature: signatureOf(asked), shown: asked, promptSince: asked.prompt_since },
  };
  expect(confirms({ ...asked, updated: asked.updated + 5 }, sent)).toBe(false);
  expect(confirms({ ...asked, stale: true, question: "Push?" }, sent)).toBe(false);
  expect(confirms({ ...asked, prompt_since: 11 }, sent)).toBe(true);
  expect(confirms({ ...asked, question: "Push to main?" }, sent)).toBe(true);
  expect(confirms({ ...asked, status: "working", prompt_since: null }, sent)).toBe(true);
  expect(confirms(null, sent)).toBe(true);
});
