import { expect, test } from "bun:test";
import type { Pane } from "../../web/model/pane.ts";
import { Api } from "../../web/net/api.ts";
import { Answers } from "../../web/state/server/answers.ts";
import { Once } from "../../web/state/server/once.ts";
import { PaneActions } from "../../web/state/server/pane-actions.ts";
import { PaneGate } from "../../web/state/server/pane-gate.ts";
import { Panes } from "../../web/state/server/panes.ts";
import { MemoryStorage } from "../support/memory-storage.ts";
import { isLate } from "../../web/model/attempt.ts";
import { pane } from "../support/pane.ts";

const asking = pane({ status: "needs_input", question: "Delete the cache?" });

/** The answers of a page that shows these panes. */
function page() {
  const gate = new PaneGate(new MemoryStorage());
  const panes = new Panes({ nowMs: () => 0, nextFrame: (run) => run() });
  const sent: string[] = [];
  const api = new Api({
    fetch: async (path) => {
      sent.push(path);
      return Response.json({ ok: true });
    },
    token: () => "",
    sid: () => null,
    onServerTime: () => {},
  });
  const once = new Once({ incarnation: () => null, uuid: () => "key" });
  const time = { nowMs: 0, untouchedMs: 0 };
  const done: string[] = [];
  const answers = new Answers({
    ...{ gate, panes },
    actions: new PaneActions({ api, once, hasGuard: () => true }),
    nowMs: () => time.nowMs,
    connected: () => true,
    refresh: async () => true,
    onUnauthorized: () => {},
    untouchedMs: () => time.untouchedMs,
    onSent: () => {},
    onDone: (paneId) => void done.push(paneId),
  });
  const show = (...shown: Pane[]) => {
    panes.take({ panes: shown, styles: new Map() });
    answers.advance();
  };
  const press = { pane: asking, option: null, text: "no", label: "no", pressedAt: -1000 };
  const send = () => answers.send({ ...press, steadySince: -2000 });
  return { gate, answers, show, send, sent, time, done };
}

test("a prompt at a pane in doubt says so, also one that comes up later, until somebody looks", async () => {
  const { gate, answers, show, send, sent } = page();
  gate.claim(["%1"], "go on")?.doubt();
  show(pane());
  expect(answers.of("%1").value).toBeNull();
  show(asking);
  expect(answers.of("%1").value).toMatchObject({ step: "uncertain", sent: { label: "go on" } });
  // A pane that was away for a moment is in doubt as before.
  show();
  show(asking);
  expect(answers.of("%1").value?.step).toBe("uncertain");
  expect([await send(), sent]).toEqual(["not_sent", []]);
  gate.inspected("%1");
  answers.advance();
  expect(answers.of("%1").value).toBeNull();
  expect([await send(), sent]).toEqual(["sent", ["/api/text"]]);
});

test("an answer on its way keeps its own words while another doubt comes to its pane", async () => {
  const { gate, answers, show, send } = page();
  show(asking);
  const sending = send();
  gate.resume("%1", "from another page").doubt();
  answers.advance();
  expect(answers.of("%1").value).toMatchObject({ step: "sending", sent: { label: "no" } });
  await sending;
});

test("a confirmed answer stands for 2 s, and until the screen was untouched for 1 s, then it is done", async () => {
  const { answers, show, send, time, done } = page();
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

test("what is not confirmed in 5 s is called so until its terminal was looked at", async () => {
  const { answers, show, send, time } = page();
  show(asking);
  await send();
  const sent = answers.of("%1").value;
  expect([isLate(sent, 4999), isLate(sent, 5000)]).toEqual([false, true]);
  time.nowMs = 5000;
  answers.advance();
  expect(answers.of("%1").value).toBe(sent);
  answers.inspected("%1");
  expect(answers.of("%1").value).toBeNull();
});
