import { expect, test } from "bun:test";
import type { Pane } from "../../web/model/pane.ts";
import {
  failedText,
  exclusionReason,
  readFailures,
  Broadcast,
} from "../../web/state/server/broadcast.ts";
import { apiOf, serverOf } from "../support/page-server.ts";
import { pane } from "../support/pane.ts";

const working = (members: Partial<Pane> = {}): Pane => ({
  ...pane({ status: "working" }),
  ...members,
});

test("a pane in doubt is left out of a broadcast", () => {
  expect(exclusionReason(working({ id: "%1" }), (id) => id === "%1")).toBe("held");
  expect(exclusionReason(working({ id: "%2" }), (id) => id === "%1")).toBeNull();
});

const { capabilities } = working();
test.each<[Partial<Pane>, string | null]>([
  [{}, null],
  [{ status: "error" }, null],
  [{ status: "needs_input" }, "waiting"],
  [{ status: "offline" }, "offline"],
  [{ stale: true }, "stale"],
  [{ actionable: false }, "read_only"],
  [{ capabilities: { ...capabilities, input: "guarded_v1" } }, "guarded"],
  [{ capabilities: { ...capabilities, broadcast: false } }, "read_only"],
])("a pane with %j is left out of a broadcast as %p", (members, reason) => {
  expect<string | null>(exclusionReason(working(members), () => false)).toBe(reason);
});

test("the failures of a broadcast are split by the ids that were sent, also by ids with colons", () => {
  const recipients = [working({ id: "a:b", name: "first" }), working({ id: "%2", name: "second" })];
  expect(readFailures(["a:b: gone", "%2: cannot: really", "whole"], recipients)).toEqual([
    { id: "a:b", name: "first", reason: "gone" },
    { id: "%2", name: "second", reason: "cannot: really" },
    { id: "", name: "", reason: "whole" },
  ]);
});

test("the reason of a failure is shown in words, and says where the text may have arrived", () => {
  const told = (reason: string) => failedText({ id: "%1", name: "a", reason });
  expect(told("unknown_pane")).toBe("unknown pane");
  expect(told("can't find pane: %1")).toBe("can't find pane: %1");
  for (const reason of ["delivery_unknown", "partial_delivery_unknown", "internal error"])
    expect(told(reason)).toMatch(/may have arrived/);
});

test.each(["delivery_unknown", "partial_delivery_unknown", "internal error"])(
  "a recipient whose failure is %s is in doubt, and does not stay chosen",
  async (reason) => {
    const ids = ["%1", "%2", "%3"];
    const held: boolean[] = [];
    const server = serverOf({
      api: apiOf(() => {
        held.push(...ids.map((id) => outbox.isHeld(id)));
        return { body: { ok: true, sent: 1, errors: [`%2: ${reason}`, "%3: it is gone"] } };
      }),
    });
    const { outbox, panes } = server;
    panes.take({ panes: ids.map((id) => working({ id })), styles: new Map(), cards: [] });
    const broadcast = new Broadcast(server);
    broadcast.write("go on");
    broadcast.choose(ids);
    await broadcast.send(ids);
    expect(held).toEqual([true, true, true]);
    expect(ids.map((id) => outbox.isDoubted(id))).toEqual([false, true, false]);
    expect(outbox.isHeld("%3")).toBe(false);
    expect([...broadcast.chosen.value]).toEqual(["%3"]);
    expect(broadcast.outcome.value).toMatchObject({ step: "done", failures: [{}, {}] });
  },
);

test("no recipient stays chosen after a broadcast whose reply was lost", async () => {
  const server = serverOf({ api: apiOf(() => "lost") });
  server.panes.take({ panes: [working({ id: "%1" })], styles: new Map(), cards: [] });
  const broadcast = new Broadcast(server);
  broadcast.write("go on");
  broadcast.choose(["%1"]);
  await broadcast.send(["%1"]);
  expect(broadcast.outcome.value).toEqual({ step: "uncertain" });
  expect([broadcast.text.value, broadcast.chosen.value.size]).toEqual(["go on", 0]);
});
