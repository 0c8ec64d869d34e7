import { expect, test } from "bun:test";
import {
  type AlertDecision,
  type AlertDevice,
  type AlertFacts,
  type AlertSubject,
  decideAlert,
} from "../../src/push/alert-state.ts";
import type { Preferences, Suppression } from "../../src/protocol/push.ts";

/** Half a minute before the hour. */
const WALL = Date.UTC(2026, 0, 5, 6, 59, 30) / 1000;

interface Change {
  subject?: Partial<AlertSubject>;
  preferences?: Partial<Preferences>;
  device?: Partial<AlertDevice>;
  facts?: Partial<AlertFacts>;
}

/** What becomes of an alert that is due but for this. */
function decided({ subject, preferences, device, facts }: Change = {}) {
  const pane = { id: "%1", target: "work:1.1" };
  return decideAlert(
    { reason: "needs_input", pane, since: 100, isUrgent: false, ...subject },
    {
      ...{ id: "d", kind: "web", isConfigured: true, knownSince: 0 },
      preferences: {
        ...{ reasons: ["needs_input"], wait_minutes: 0, remind_minutes: 0, quiet: null },
        ...{ muted: [], details: "none", answered: false },
        ...preferences,
      },
      ...device,
    },
    {
      ...{ rules: { cooldown: 30, dwell: 4 }, now: { monotonic: 500, at: WALL } },
      ...{ lastAlertAt: null, isPresent: false, isBatched: false },
      ...facts,
    },
  );
}
const at = (monotonic: number, members: Partial<AlertFacts> = {}) => ({
  facts: { now: { monotonic, at: WALL }, ...members },
});
const DUE = { is: "due" } as const;
const later = (why: Suppression, until: number): AlertDecision => ({ is: "later", why, at: until });
const never = (why: Suppression): AlertDecision => ({ is: "never", why });

test("each reason against an alert is told, the lasting ones first", () => {
  const muted = [{ target: "work:1.1", until: null }];
  expect(decided()).toEqual(DUE);
  expect(decided({ preferences: { reasons: ["error"] } })).toEqual(never("reason_off"));
  expect(decided({ device: { isConfigured: false } })).toEqual(never("not_configured"));
  expect(decided({ preferences: { muted } })).toEqual(never("muted"));
  expect(decided({ preferences: { muted }, subject: { pane: null } })).toEqual(DUE);
  expect(decided({ facts: { isBatched: true, isPresent: true } })).toEqual(never("batching"));
  expect(decided({ facts: { isPresent: true } })).toEqual(later("present", Infinity));
});

test("what has to stand first is waited for to the second, and not where no pane stands", () => {
  expect(decided(at(103.9))).toEqual(later("dwell", 104));
  expect(decided(at(104))).toEqual(DUE);
  expect(decided({ ...at(100), device: { kind: "apns" } })).toEqual(DUE);
  const preferences = { wait_minutes: 1 };
  expect(decided({ ...at(159.9), preferences })).toEqual(later("wait", 160));
  expect(decided({ ...at(160), preferences })).toEqual(DUE);
  expect(decided({ ...at(100), preferences, subject: { pane: null } })).toEqual(DUE);
  expect(decided(at(149.9, { lastAlertAt: 120 }))).toEqual(later("cooldown", 150));
  expect(decided(at(150, { lastAlertAt: 120 }))).toEqual(DUE);
});

test("quiet hours are looked at again when they end, and each minute before", () => {
  const quiet = { start: "22:00", end: "07:00", time_zone: "UTC", urgent: true };
  const asleep = (wall: number, isUrgent = false, urgent = true) =>
    decided({
      preferences: { quiet: { ...quiet, urgent } },
      subject: { isUrgent },
      facts: { now: { monotonic: 500, at: WALL + wall } },
    });
  expect(asleep(-300)).toEqual(later("quiet_hours", 560));
  expect(asleep(10)).toEqual(later("quiet_hours", 520));
  expect(asleep(30)).toEqual(DUE);
  expect(asleep(10, true)).toEqual(DUE);
  expect(asleep(10, true, false)).toEqual(later("quiet_hours", 520));
});
