import { describe, expect, test } from "bun:test";
import { PARKED_TAG, type ShownNotification } from "../../src/push/message.ts";
import { decisionOf } from "../review/works.ts";
import { deviceOf, NATIVE, SchedulerStage, words, WEB } from "./stage.ts";

const URGENT = decisionOf(1, 1, { priority: "critical" });

/** Quiet hours with an hour left when the stage begins. */
const QUIET = { start: "11:00", end: "13:00", time_zone: "UTC", urgent: true };

/** Two working panes after a first pass. */
function stageOf(devices = [NATIVE, WEB]): SchedulerStage {
  const stage = new SchedulerStage(devices).works("1").works("2");
  stage.pass();
  return stage;
}

/** The first pane asks, and the first device shows its alert. */
function firstNotice(stage: SchedulerStage): ShownNotification {
  stage.asks("1").after(1);
  const [notice] = stage.store.notices;
  if (!notice) throw new Error("nothing was sent");
  return notice;
}

test("native devices are alerted at once, others after the dwell", () => {
  const stage = stageOf();
  expect(words(stage.asks("1").after(1))).toEqual(["native %1 needs_input"]);
  expect(words(stage.after(1))).toEqual([]);
  expect(stage.scheduler.nextAt).toBe(stage.at + 1);
  expect(words(stage.after(1))).toEqual(["web %1 needs_input"]);
  expect(stage.scheduler.nextAt).toBe(Infinity);
});

test("a prompt that ends within its wait alerts no further device, and the log says why", () => {
  const late = deviceOf("late", { kind: "apns", preferences: { wait_minutes: 5 } });
  const stage = stageOf([NATIVE, WEB, late]);
  stage.asks("1").after(1);
  expect(words(stage.works("1").after(1))).toEqual(["web %1 not: dwell", "native %1 answered"]);
});

test("a prompt that may have begun before the start or during a failed pass does not alert", () => {
  const stage = new SchedulerStage().asks("1").set("2", { status: "idle" });
  expect(words(stage.pass())).toEqual([]);
  expect(words(stage.pass(true))).toEqual([]);
  expect(words(stage.asks("2").after(100))).toEqual([]);
  expect(words(stage.after(100))).toEqual([]);
});

test("the cooldown of a pane holds for all reasons", () => {
  const stage = stageOf([NATIVE]);
  stage.asks("1").after(1);
  stage.set("1", { status: "error", prompt_since: null });
  expect(words(stage.after(1))).toEqual(["native %1 answered", "native %1 not: cooldown"]);
  expect(words(stage.after(30))).toEqual(["native %1 error"]);
});

test("a pane that still waits gives one reminder", () => {
  const stage = stageOf([
    deviceOf("native", { kind: "apns", preferences: { remind_minutes: 10 } }),
  ]);
  expect(words(stage.asks("1").after(1))).toEqual(["native %1 needs_input"]);
  expect(words(stage.after(599))).toEqual([]);
  expect(stage.scheduler.nextAt).toBe(stage.at + 1);
  expect(words(stage.after(1))).toEqual(["native %1 needs_input"]);
  expect(words(stage.after(3600))).toEqual([]);
});

test("prompts that quiet hours held back are one alert at their end, if they still stand", () => {
  const stage = stageOf([deviceOf("web", { preferences: { quiet: QUIET } })]).works("3");
  stage.asks("1").asks("2").asks("3").after(3);
  expect(words(stage.after(2))).toEqual([
    "web %1 not: quiet_hours",
    "web %2 not: quiet_hours",
    "web %3 not: quiet_hours",
  ]);
  stage.works("2").after(60);
  expect(words(stage.after(3600))).toEqual(["web %1 needs_input and 1 more"]);
  // The alert is withdrawn with the last of its panes.
  expect(words(stage.works("1").after(1))).toEqual([]);
  expect(words(stage.works("3").after(1))).toEqual(["web %1 answered"]);
});

test("a joint alert stands while one of its panes still asks or fails", () => {
  const stage = stageOf([deviceOf("web", { preferences: { quiet: QUIET } })]);
  stage.set("1", { status: "error" }).asks("2").after(3);
  stage.after(2);
  // With the text of the first card: waiting is sorted before errors.
  expect(words(stage.after(3600))).toEqual(["web %2 needs_input and 1 more"]);
  expect(words(stage.works("2").after(1))).toEqual([]);
  expect(words(stage.after(1))).toEqual([]);
  expect(words(stage.works("1").after(1))).toEqual(["web %2 answered"]);
});

test("a joint alert ends with the prompts it was for, whatever its panes do next", () => {
  const stage = stageOf([deviceOf("web", { preferences: { quiet: QUIET } })]);
  stage.asks("1").asks("2").after(3);
  stage.after(2);
  expect(words(stage.after(3600))).toEqual(["web %1 needs_input and 1 more"]);
  stage.set("1", { status: "error", prompt_since: null }).after(1);
  expect(words(stage.works("2").after(1))).toContain("web %1 answered");
});

test("a pane that cannot be read alerts no device until it can be read again", () => {
  const stage = stageOf();
  stage.asks("1").after(1);
  stage.set("1", { stale: true });
  expect(words(stage.after(60))).toEqual([]);
  expect(stage.scheduler.nextAt).toBe(Infinity);
  expect(stage.scheduler.isSettled).toBe(false);
  expect(words(stage.set("1", { stale: false }).after(1))).toEqual(["web %1 needs_input"]);
  expect(stage.scheduler.isSettled).toBe(true);
  stage.asks("2").set("1", { stale: true }).after(1);
  expect(stage.scheduler.isSettled).toBe(false);
});

test("the alert for a pane that cannot be read after a restart stands until it is read", () => {
  const stage = stageOf([NATIVE]);
  stage.asks("1").after(1);
  stage.restart();
  stage.set("1", { status: "idle", prompt_since: null, stale: true });
  expect([words(stage.after(1)), words(stage.after(1))]).toEqual([[], []]);
  expect(words(stage.set("1", { stale: false }).asks("1").after(1))).toEqual([]);
  expect(words(stage.works("1").after(1))).toEqual(["native %1 answered"]);
});

test("an alert has the card of the moment in which it is sent", () => {
  const stage = stageOf([deviceOf("web", { preferences: { wait_minutes: 5 } })]);
  stage.asks("1").after(1);
  stage.set("1", { name: "renamed" }).after(100);
  const [alert] = stage.after(200);
  expect(alert).toMatchObject({ message: { screen: { card: { title: "renamed" } } } });
});

test("a new target or a corrected start of an error neither ends an alert nor makes another", () => {
  const stage = stageOf([NATIVE]);
  stage.asks("1").set("2", { status: "error" }).after(1);
  expect(words(stage.set("1", { target: "work:9.9" }).after(60))).toEqual([]);
  // The start of an error may be corrected although nothing has happened.
  expect(words(stage.set("2", { status_since: stage.at }).after(60))).toEqual([]);
  expect(words(stage.works("1").works("2").after(1))).toEqual([
    "native %1 answered",
    "native %2 answered",
  ]);
});

test("an alert is for the prompt of the last pass, and the next prompt waits anew", () => {
  const stage = stageOf([deviceOf("web", { preferences: { wait_minutes: 5 } })]);
  stage.asks("1").after(1);
  const asked = stage.at - 1;
  stage.at += 300;
  stage.asks("1");
  expect(stage.look()[0]).toMatchObject({ message: { screen: { need: { since: asked } } } });
  expect(words(stage.after(1))).toEqual([]);
  expect(words(stage.after(300))).toEqual(["web %1 needs_input"]);
});

test("hiding a pane withdraws its alert, and showing it again alerts no device", () => {
  const stage = stageOf([NATIVE]);
  stage.asks("1").after(1);
  expect(words(stage.show("1", false).after(100))).toEqual(["native %1 answered"]);
  expect(words(stage.show("1", true).after(100))).toEqual([]);
  expect(words(stage.asks("1").after(1))).toEqual(["native %1 needs_input"]);
});

test("quiet hours are checked each minute and at their end", () => {
  const quiet = { start: "11:00", end: "12:02", time_zone: "UTC", urgent: false };
  const stage = stageOf([deviceOf("phone", { kind: "apns", preferences: { quiet } })]);
  expect(words(stage.asks("1").after(30))).toEqual(["phone %1 not: quiet_hours"]);
  stage.scheduler.decision(URGENT, "%1", stage.now);
  // Not even an urgent decision, where the device does not want it.
  expect(words(stage.look())).toEqual([]);
  expect(stage.scheduler.nextAt).toBe(stage.at + 60);
  stage.after(60);
  expect(stage.scheduler.nextAt).toBe(stage.at + 30);
  expect(words(stage.after(30))).toEqual(["phone %1 needs_input"]);
});

test("an urgent decision is alerted in quiet hours and past the batching of the review", () => {
  const stage = stageOf([
    NATIVE,
    deviceOf("quiet", { kind: "apns", preferences: { quiet: QUIET } }),
  ]);
  stage.batched.add("needs_input");
  expect(words(stage.asks("1").after(1))).toEqual([
    "native %1 not: batching",
    "quiet %1 not: batching",
  ]);
  stage.scheduler.decision(URGENT, "%1", stage.now);
  expect(words(stage.after(1))).toEqual(["native %1 needs_input", "quiet %1 needs_input"]);
});

test("an alert that the review held back is sent with the next change of the device, once that is off", () => {
  const stage = stageOf([NATIVE]);
  stage.batched.add("needs_input");
  expect(words(stage.asks("1").after(1))).toEqual(["native %1 not: batching"]);
  stage.scheduler.reconsider("native");
  expect(words(stage.look())).toEqual([]);
  stage.batched.clear();
  expect(words(stage.after(100))).toEqual([]);
  stage.scheduler.reconsider("native");
  expect(words(stage.look())).toEqual(["native %1 needs_input"]);
});

test("an urgent decision sends no second alert, and none for a muted pane", () => {
  const muted = [{ target: "work:1.1", until: null }];
  const stage = stageOf([NATIVE, deviceOf("off", { preferences: { muted } })]);
  expect(words(stage.asks("1").after(1))).toEqual(["native %1 needs_input", "off %1 not: muted"]);
  stage.scheduler.decision(URGENT, "%1", stage.now);
  expect(words(stage.after(60))).toEqual([]);
});

test("the alert for a decision of a hidden pane has a tag of its own", () => {
  const [action] = stageOf([NATIVE]).scheduler.decision(URGENT, "%9", stageOf().now);
  const tag = `decision-${URGENT.id}`.slice(0, 32);
  expect(action).toMatchObject({ device: "native", message: { tag, identity: null } });
});

test("a pane that a device looks at alerts the others, and that device once it looks away", () => {
  const stage = stageOf([NATIVE, deviceOf("phone", { kind: "apns" })]);
  stage.present.add("phone");
  expect(words(stage.asks("1").after(1))).toEqual([
    "native %1 needs_input",
    "phone %1 not: present",
  ]);
  expect(stage.scheduler.nextAt).toBe(Infinity);
  stage.present.clear();
  expect(words(stage.after(100))).toEqual([]);
  stage.scheduler.reconsider("phone");
  expect(words(stage.look())).toEqual(["phone %1 needs_input"]);
  expect(words(stage.look())).toEqual([]);
});

test("a device is not alerted for a prompt from before its registration", () => {
  const stage = stageOf([]);
  stage.asks("1").after(1);
  stage.devices = [deviceOf("new", { kind: "apns" })];
  stage.scheduler.reconsider("new");
  expect(words(stage.after(2))).toEqual([]);
  expect(words(stage.asks("2").after(1))).toEqual(["new %2 needs_input"]);
});

test("changed preferences hold for a waiting alert, and cause no early reminder", () => {
  const phone = deviceOf("phone", {
    kind: "apns",
    preferences: { wait_minutes: 5, remind_minutes: 5 },
  });
  const stage = stageOf([phone]);
  stage.asks("1").after(1);
  stage.devices = [{ ...phone, preferences: { ...phone.preferences, wait_minutes: 0 } }];
  stage.scheduler.reconsider("phone");
  expect(words(stage.after(1))).toEqual(["phone %1 needs_input"]);
  stage.scheduler.reconsider("phone");
  expect(words(stage.after(1))).toEqual([]);
});

test("a lost alert is due again five minutes later, once, while its prompt stands", () => {
  const stage = stageOf([NATIVE]);
  stage.arrives = false;
  expect(words(stage.asks("1").asks("2").after(1))).toEqual([
    "native %1 needs_input",
    "native %2 needs_input",
  ]);
  expect(stage.scheduler.nextAt).toBe(stage.at + 300);
  stage.works("2").after(1);
  expect(words(stage.after(298))).toEqual([]);
  // Changed preferences do not hasten the retry.
  stage.scheduler.reconsider("native");
  expect(words(stage.look())).toEqual([]);
  expect(words(stage.after(1))).toEqual(["native %1 needs_input"]);
  expect(stage.scheduler.nextAt).toBe(Infinity);
  expect(words(stage.after(3600))).toEqual([]);
});

test("an alert that arrives when its prompt is gone is withdrawn at once", () => {
  const stage = stageOf([NATIVE]);
  const notice = firstNotice(stage);
  const arrives = () => words(stage.scheduler.noteArrival(notice));
  expect(arrives()).toEqual([]);
  stage.set("1", { status: "error" }).after(1);
  expect(arrives()).toEqual(["native %1 answered"]);
  stage.works("1").after(1);
  expect(arrives()).toEqual(["native %1 answered"]);
});

test("after a lost joint alert the prompts that still stand are due again", () => {
  const stage = stageOf([NATIVE]);
  stage.asks("1").asks("2").after(1);
  const notice = { device: "native", tag: "t", pane: "%1", reason: "needs_input" } as const;
  stage.scheduler.noteLoss({ ...notice, identities: ["gone", "1"] }, stage.now);
  expect(words(stage.after(300))).toEqual(["native %1 needs_input"]);
});

test("an alert is not tried again for another prompt than its own, nor on a device that is gone", () => {
  const stage = stageOf([NATIVE]);
  const notice = firstNotice(stage);
  expect(stage.scheduler.mayTry(notice, "pane", stage.now)).toBe(true);
  // The cooldown holds the alert of the next prompt.
  stage.asks("1").after(1);
  expect(stage.scheduler.mayTry(notice, "pane", stage.now)).toBe(false);
  stage.devices = [];
  expect(stage.scheduler.mayTry(notice, "grant", stage.now)).toBe(false);
});

test("an alert is not tried again while its pane cannot be read, and is sent once it can be", () => {
  const stage = stageOf([NATIVE]);
  const notice = firstNotice(stage);
  stage.set("1", { stale: true });
  expect(stage.scheduler.mayTry(notice, "pane", stage.now)).toBe(false);
  expect(words(stage.after(60))).toEqual([]);
  expect(words(stage.set("1", { stale: false }).after(60))).toEqual(["native %1 needs_input"]);
});

test("an alert that is due for a retry in quiet hours waits for their end", () => {
  const quiet = { start: "12:02", end: "13:00", time_zone: "UTC", urgent: true };
  const stage = stageOf([deviceOf("web", { kind: "apns", preferences: { quiet } })]);
  const notice = firstNotice(stage);
  expect(stage.scheduler.mayTry(notice, "pane", stage.now)).toBe(true);
  stage.at += 120;
  expect(stage.scheduler.mayTry(notice, "pane", stage.now)).toBe(false);
  expect(words(stage.look())).toEqual(["web %1 not: quiet_hours"]);
  expect(words(stage.after(3600))).toEqual(["web %1 needs_input"]);
});

test.each([-3600, 3600])(
  "a wall clock that is set by %i s changes no dwell, wait, cooldown or reminder",
  (seconds) => {
    const native = deviceOf("native", { kind: "apns", preferences: { remind_minutes: 10 } });
    const stage = stageOf([native, deviceOf("web", { preferences: { wait_minutes: 1 } })]);
    stage.asks("1").after(1);
    stage.wallIsAhead = seconds;
    expect(words(stage.after(2))).toEqual(["web %1 not: wait"]);
    expect(words(stage.asks("1").after(1))).toContain("native %1 not: cooldown");
    expect(words(stage.after(27))).toEqual(["native %1 needs_input", "web %1 not: wait"]);
    expect(words(stage.after(33))).toEqual(["web %1 needs_input"]);
    expect(words(stage.after(567))).toEqual(["native %1 needs_input"]);
  },
);

test("quiet hours hold back digests and quota alerts, and the latest of each is sent at their end", () => {
  const stage = stageOf([
    NATIVE,
    deviceOf("quiet", { kind: "apns", preferences: { quiet: QUIET } }),
  ]);
  const digest = () => {
    stage.scheduler.digest("review", stage.now);
    stage.scheduler.digest("quota", stage.now);
    return words(stage.look());
  };
  const both = ["native digest review", "native digest quota"];
  const held = ["quiet null not: quiet_hours", "quiet null not: quiet_hours"];
  expect(digest()).toEqual([...both, ...held]);
  stage.at += 600;
  expect(digest()).toEqual([...both, ...held]);
  stage.at += 3600;
  expect(words(stage.look())).toEqual(["quiet digest review", "quiet digest quota"]);
  stage.at += 24 * 3600;
  expect(words(stage.look())).toEqual([]);
});

test("a digest is sent past waits, reminders, mutes and presence, but only for a chosen reason", () => {
  const phone = deviceOf("phone", {
    preferences: { wait_minutes: 5, remind_minutes: 5, muted: [{ target: "", until: null }] },
  });
  const stage = stageOf([phone, deviceOf("off", { preferences: { reasons: ["quota"] } })]);
  stage.present.add("phone");
  stage.scheduler.digest("review", stage.now);
  expect(words(stage.look())).toEqual(["phone digest review", "off null not: reason_off"]);
  expect(words(stage.after(3600))).toEqual([]);
});

describe("parked agents", () => {
  const AGENT = { id: "agent_a", label: "Some Agent" };
  const parked = (until: number | null, agent = AGENT) => ({
    ...{ status: "error" as const, prompt_since: null, agent },
    parked: { reason: "weekly limit", until, continues: false },
  });
  const workingPanes = (members = {}) => {
    const device = deviceOf("web", members);
    const stage = new SchedulerStage([device]).works("1").works("2").works("3").works("4");
    stage.pass();
    return stage;
  };

  test("share one alert for each limit", () => {
    const stage = workingPanes();
    stage.set("1", parked(5000)).set("2", parked(5300)).set("3", parked(9000)).after(1);
    expect(words(stage.after(2))).toEqual(["web %1 error and 1 more", "web %3 error"]);
    expect(stage.store.notices[0]?.tag).toBe(PARKED_TAG);
    expect(words(stage.set("4", parked(5050)).after(600))).toEqual([]);
    expect(words(stage.after(2))).toEqual(["web %4 not: parked"]);
    expect(words(stage.after(9000))).toEqual([]);
  });

  test("without a reset time share one alert in an hour for each program", () => {
    const stage = workingPanes();
    const other = { id: "agent_b", label: "Another" };
    stage.set("1", parked(null)).set("2", parked(null, other)).after(1);
    expect(words(stage.after(2))).toEqual(["web %1 error", "web %2 error"]);
    stage.set("3", parked(null)).after(3600 - 2);
    expect(words(stage.after(2))).toEqual(["web %3 not: parked"]);
    stage.works("1").works("2").works("3").after(1);
    stage.set("1", parked(null)).set("3", parked(100)).after(1);
    expect(words(stage.after(2))).toEqual(["web %1 error", "web %3 error"]);
    stage.set("4", parked(null)).after(4000);
    expect(words(stage.after(2))).toEqual(["web %4 error"]);
  });

  test("are alerted anew once the alerted agent goes on, and apart from errors", () => {
    const stage = workingPanes();
    stage.set("1", parked(5000)).after(1);
    expect(words(stage.set("2", { status: "error" }).after(2))).toEqual(["web %1 error"]);
    expect(words(stage.after(2))).toEqual(["web %2 error"]);
    expect(words(stage.works("1").after(1))).toEqual(["web %1 answered"]);
    stage.set("3", parked(5000)).after(1);
    expect(words(stage.after(2))).toEqual(["web %3 error"]);
  });

  test("share one alert with the errors that quiet hours held back", () => {
    const stage = workingPanes({ preferences: { quiet: QUIET } });
    stage.set("1", parked(5000)).set("2", { status: "error" }).after(3);
    stage.after(2);
    // With the text of the first card.
    expect(words(stage.after(3600))).toEqual(["web %2 error and 1 more"]);
    expect(stage.store.notices[0]?.tag).toBe("waiting");
  });

  test.each([false, true])(
    "end their alert once they ask or work, after a restart: %p",
    (isNew) => {
      const stage = workingPanes();
      stage.set("1", parked(5000)).set("2", parked(5000)).after(1);
      expect(words(stage.after(2))).toEqual(["web %1 error and 1 more"]);
      if (isNew) stage.restart();
      stage.set("1", { parked: null }).asks("1").works("2");
      expect(words(stage.after(1))).toEqual(["web %1 answered"]);
    },
  );

  test("share one reminder", () => {
    const stage = workingPanes({ preferences: { remind_minutes: 10 } });
    stage.set("1", parked(5000)).set("2", parked(5000)).after(1);
    expect(words(stage.after(2))).toEqual(["web %1 error and 1 more"]);
    expect(words(stage.after(600))).toEqual(["web %1 error and 1 more"]);
    expect(words(stage.after(600))).toEqual([]);
  });
});
