import { expect, test } from "bun:test";
import type { Outcome } from "../../src/push/message.ts";
import { FakeClock } from "../support/clock.ts";
import { until } from "../support/until.ts";
import { openPushStage } from "./push-stage.ts";

const works = { status: "working" } as const;
const asking = { status: "needs_input", prompt_since: 5 } as const;

test("what was alerted before a restart vanishes once it is handled, and nothing alerts again", async () => {
  const clock = new FakeClock();
  const first = await openPushStage({ clock });
  const again = () => openPushStage({ clock, folder: first.folder });
  first.pass("%7", works);
  await first.register("/a");
  first.pass("%7", asking);
  await first.calm();
  await first.close();
  expect(first.messages).toMatchObject([{ kind: "pane", badge: 1 }]);

  // Still there after the restart: no news, and no end either.
  const second = await again();
  second.pass("%7", asking, true);
  second.pass("%7", { ...asking, prompt_since: 9 });
  second.pass("%7", { ...asking, prompt_since: 9 });
  await second.close();
  expect(second.sent).toEqual([]);

  const third = await again();
  third.pass("%7", works);
  await third.calm();
  await third.close();
  expect(third.messages).toMatchObject([{ kind: "answered", badge: 0 }]);

  const fourth = await again();
  for (let index = 0; index < 50; index++) fourth.pass("%7", works);
  await fourth.close();
  expect(fourth.sent).toEqual([]);
});

test("a push service that hangs does not hold the end of the service", async () => {
  const stage = await openPushStage();
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  stage.replies.push(() => promise);
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
