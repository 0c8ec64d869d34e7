import { afterEach, beforeEach, expect, test } from "bun:test";
import type { ChosenPreferences } from "../../src/protocol/push.ts";
import type { Outcome } from "../../src/push/message.ts";
import { decisionOf, uuid } from "../review/works.ts";
import { openPushStage, type PushStage } from "./push-stage.ts";

const TARGET = "work:1.7";
const BUSY: Outcome = { is: "later", detail: "503", afterMs: 0 };
let stage: PushStage;
beforeEach(async () => {
  stage = await openPushStage({ onError: true });
});
afterEach(() => stage.close());

async function register(preferences: ChosenPreferences = {}): Promise<void> {
  const facts = { token: "ab", name: "", platform: "ios", contextual: true, grant: "anybody" };
  await stage.devices.registerNative(facts);
  const [device] = stage.devices.all;
  if (device) await stage.devices.setPreferences(device.id, preferences);
}

/** A pane that worked, then asks, and whose question is found to be a decision. */
function ask({ isUrgent = false } = {}): void {
  stage.pass("%7", { status: "working" });
  stage.pass("%7", { status: "needs_input" });
  const priority = isUrgent ? "critical" : "normal";
  stage.push.decision(decisionOf(2, 3, { revision: 3, priority }), "%7");
}

const decided = () =>
  stage.push.log
    .filter(({ reason }) => reason === "decision")
    .map(({ outcome, why }) => `${outcome} ${why}`);

test("a decision has an alert of its own, in the place of its pane's", async () => {
  await register();
  ask();
  await stage.calm();
  expect(decided()).toEqual(["sent 201"]);
  expect(stage.messages.at(-1)).toMatchObject({
    kind: "decision",
    decision: { id: uuid(2003), revision: 3 },
  });
  expect(new Set(stage.messages.map(({ tag }) => tag)).size).toBe(1);
});

const QUIET = { start: "00:00", end: "23:59", time_zone: "UTC", urgent: true };
test.each<[string, ChosenPreferences, string]>([
  ["has muted the pane", { muted: [{ target: TARGET, until: null }] }, "muted"],
  ["waits whether somebody answers", { wait_minutes: 5 }, "wait"],
  ["wants no prompts", { reasons: ["error"] }, "reason_off"],
  ["sleeps", { quiet: QUIET }, "quiet_hours"],
])("who %s is not told of its decision either", async (_, preferences, why) => {
  await register(preferences);
  ask();
  expect(decided()).toEqual([`suppressed ${why}`]);
  expect(stage.sent).toEqual([]);
});

test("who looks at it is not told, and nobody while Review collects", async () => {
  await register();
  stage.is.looking = true;
  ask();
  expect(decided()).toEqual(["suppressed present"]);
  Object.assign(stage.is, { looking: false, batching: true });
  ask();
  expect(decided().at(-1)).toBe("suppressed batching");
  expect(stage.sent).toEqual([]);
});

test("an urgent one passes what Review collects, and quiet hours that say so", async () => {
  await register({ quiet: QUIET });
  stage.is.batching = true;
  ask({ isUrgent: true });
  await stage.calm();
  expect(decided()).toEqual(["sent 201"]);
});

test("one that was answered before it could be sent is not tried again", async () => {
  await register();
  // The alert of the pane gives way to that of the decision, which is tried once.
  stage.replies.push(
    () => BUSY,
    () => {
      stage.pass("%7", { status: "working" });
      return BUSY;
    },
  );
  ask();
  await stage.calm();
  expect(stage.messages.map(({ kind }) => kind)).toEqual(["pane", "decision"]);
  expect(decided()).toEqual(["suppressed gone"]);
});
