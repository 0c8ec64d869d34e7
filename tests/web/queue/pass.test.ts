import { expect, test } from "bun:test";
import { signal } from "@preact/signals";
import { GoThrough } from "../../../web/state/server/pass.ts";
import { pane } from "../../support/pane.ts";
import { serverOf } from "../../support/page-server.ts";

/** Two that wait, an error, and one that finished. */
const asks = (id: string) => pane({ id, status: "needs_input", prompt_since: Number(id.slice(1)) });
const crashed = pane({ id: "%3", status: "error" });
const done = pane({ id: "%4", finished_at: 900 });
const idle = (id: string) => pane({ id });

function stage() {
  const clock = { ms: 0, swaps: new Array<number>() };
  const shield = { raise: () => clock.swaps.push(clock.ms) };
  const server = serverOf({
    ...{ nowMs: () => clock.ms, untouchedMs: () => 0 },
    browser: { clock: { now: signal(1000) }, layout: { columns: signal(1) }, shield },
  });
  const { panes, queue } = server;
  const show = (...shown: ReturnType<typeof pane>[]) => {
    panes.take({ panes: shown, styles: new Map() });
    queue.follow();
  };
  show(asks("%1"), asks("%2"), crashed, done);
  queue.enter();
  const part = new GoThrough(server);
  part.begin();
  const key = () => part.stop.value?.key ?? null;
  const place = () => part.place.value;
  return { clock, part, queue, show, key, place };
}

test("goes over all sections, and says the place in each", () => {
  const { part, key, place } = stage();
  const seen: unknown[] = [];
  for (; key() !== null; part.step(1))
    seen.push([key(), place()?.section, place()?.n, place()?.of]);
  expect(seen).toEqual([
    ["pane:%1", "waiting", 1, 2],
    ["pane:%2", "waiting", 2, 2],
    ["pane:%3", "errors", 1, 1],
    ["pane:%4", "finished", 1, 1],
  ]);
  expect(part.left()).toHaveLength(4);
});

test("keeps the order that it began with, and skips what was handled elsewhere", () => {
  const { part, show, key } = stage();
  show(asks("%1"), idle("%2"), crashed, done, asks("%5"));
  part.step(1);
  expect(key()).toBe("pane:%3");
  part.step(-1);
  expect(key()).toBe("pane:%1");
  part.step(-1);
  expect(key()).toBe("pane:%1");
});

test("one that is over stays on the screen until a person, or its own end, leads on", () => {
  const { part, show, key } = stage();
  const first = part.stop.value;
  show(idle("%1"), asks("%2"), crashed, done);
  expect(key()).toBe("pane:%1");
  expect(first && part.isGone(first)).toBe(true);
  if (first) part.advance(first);
  expect(key()).toBe("pane:%2");
  // It was led on already: a second word of the same end leads nowhere.
  if (first) part.advance(first);
  expect(key()).toBe("pane:%2");
});

test("Later puts the card to the end of its section too, and the end lists what is left", () => {
  const { part, queue, show, key } = stage();
  part.later();
  expect(queue.order.value.waiting.map((slot) => slot.key)).toEqual(["pane:%2", "pane:%1"]);
  expect(key()).toBe("pane:%2");
  show(asks("%1"), idle("%2"), idle("%3"), idle("%4"));
  part.step(1);
  expect(key()).toBeNull();
  expect(part.left()).toEqual([{ key: "pane:%1", section: "waiting" }]);
  // Back from the end to the last that is left.
  part.step(-1);
  expect(key()).toBe("pane:%1");
});

test("says when another card came under the finger", () => {
  const { clock, part } = stage();
  clock.ms = 700;
  part.step(-1);
  expect(clock.swaps).toEqual([0]);
  part.step(1);
  expect(clock.swaps).toEqual([0, 700]);
});
