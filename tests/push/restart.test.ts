import { expect, test } from "bun:test";
import { FakeClock } from "../support/clock.ts";
import { until } from "../support/until.ts";
import { fixture } from "../support/fixture.ts";
import { pane } from "../support/pane.ts";
import { publication } from "../support/sight.ts";
import { HostState } from "../../src/protocol/hosts.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { openPushStage, type PushStage } from "./push-stage.ts";

const works = { status: "working" } as const;
const asking = { status: "needs_input", prompt_since: 5 } as const;

/** A service that alerted one device of one pane and has ended, and what starts it again. */
async function alerted() {
  const clock = new FakeClock();
  const first = await openPushStage({ clock });
  first.pass("%7", works);
  await first.register("/a");
  await first.passed("%7", asking);
  await first.close();
  return { first, again: () => openPushStage({ clock, folder: first.folder }) };
}

test("what was alerted before a restart vanishes once it is handled, and nothing alerts again", async () => {
  const { first, again } = await alerted();
  expect(first.messages).toMatchObject([{ kind: "pane", badge: 1 }]);

  // Still there after the restart: no news, and no end either.
  const second = await again();
  second.pass("%7", asking, true);
  second.pass("%7", { ...asking, prompt_since: 9 });
  second.pass("%7", { ...asking, prompt_since: 9 });
  await second.close();
  expect(second.sent).toEqual([]);

  const third = await again();
  await third.passed("%7", works);
  await third.close();
  expect(third.messages).toMatchObject([{ kind: "answered", badge: 0 }]);

  const fourth = await again();
  for (let index = 0; index < 50; index++) fourth.pass("%7", works);
  await fourth.close();
  expect(fourth.sent).toEqual([]);
});

test("a pane that cannot be captured after a restart may ask still", async () => {
  const { again } = await alerted();
  const second = await again();
  second.pass("%7", { status: "idle", stale: true });
  second.pass("%7", { status: "idle", stale: true });
  expect(second.sent).toEqual([]);
  second.pass("%7", asking);
  expect(second.sent).toEqual([]);
  await second.passed("%7", works);
  await second.close();
  expect(second.messages).toMatchObject([{ kind: "answered" }]);
});

test("what was alerted of another machine stands after a restart until that machine was read", async () => {
  const clock = new FakeClock();
  const hostsOf = (status: HostState["status"]): HostState[] => [
    fixture(HostState, { name: "here", kind: "local", status: "live" }),
    fixture(HostState, { name: "gpu-1", kind: "ssh", status }),
  ];
  const state = pane({ id: "%1000001", ...asking, host: "gpu-1" });
  const passOf = (stage: PushStage, machine: string | null, panes: readonly PaneState[]) => {
    const hosts = hostsOf(machine === null ? "connecting" : "live");
    stage.hub.publish(publication({ at: clock.now(), panes }), { machine, hosts });
  };
  const first = await openPushStage({ clock });
  const again = () => openPushStage({ clock, folder: first.folder });
  await first.register("/a");
  passOf(first, null, []);
  passOf(first, "gpu-1", [{ ...state, ...works, prompt_since: null }]);
  passOf(first, "gpu-1", [state]);
  await first.calm();
  await first.close();
  expect(first.messages).toMatchObject([{ kind: "pane", screen: { pane: { id: "%1000001" } } }]);

  const second = await again();
  passOf(second, null, []);
  passOf(second, null, []);
  expect(second.sent).toEqual([]);
  passOf(second, "gpu-1", [state]);
  passOf(second, null, []);
  await second.close();
  expect(second.sent).toEqual([]);

  const third = await again();
  passOf(third, "gpu-1", []);
  expect(third.sent).toEqual([]);
  passOf(third, null, []);
  await third.calm();
  await third.close();
  expect(third.messages).toMatchObject([{ kind: "answered", paneId: "%1000001" }]);
});

test("a push service that hangs does not hold the end of the service", async () => {
  const stage = await openPushStage();
  const resolve = stage.hangs();
  stage.pass("%7", works);
  await stage.register("/a");
  stage.pass("%7", asking);
  await stage.close();
  // Nothing came back, so it is still under way as far as anybody knows.
  expect(stage.push.pending).toBe(1);
  resolve({ is: "accepted", detail: "201" });
  // What came of it is written down, and no write of it outlives the test.
  await until(() => stage.push.pending === 0);
  await stage.devices.saved();
});
