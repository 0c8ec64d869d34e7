import { expect, test } from "bun:test";
import type { Pane } from "../../web/model/pane.ts";
import { Api } from "../../web/net/api.ts";
import { Answers } from "../../web/state/server/answers.ts";
import { Once } from "../../web/state/server/once.ts";
import { PaneActions } from "../../web/state/server/pane-actions.ts";
import { PaneGate } from "../../web/state/server/pane-gate.ts";
import { Panes } from "../../web/state/server/panes.ts";
import { MemoryStorage } from "../support/memory-storage.ts";
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
  const answers = new Answers({
    ...{ gate, panes },
    actions: new PaneActions({ api, once, hasGuard: () => true }),
    nowMs: () => 0,
    connected: () => true,
    refresh: async () => true,
    onUnauthorized: () => {},
    untouchedMs: () => 0,
    onSent: () => {},
  });
  const show = (...shown: Pane[]) => {
    panes.take({ panes: shown, styles: new Map() });
    answers.advance();
  };
  const press = { pane: asking, option: null, text: "no", label: "no", pressedAt: -1000 };
  const send = () => answers.send({ ...press, steadySince: -2000 });
  return { gate, answers, show, send, sent };
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
