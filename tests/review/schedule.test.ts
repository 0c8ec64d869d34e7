import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  changeTimer,
  claimWindow,
  dueOf,
  restartWindow,
  settingsOf,
  TIMER_OFF,
} from "../../src/agents/review/store.ts";
import { forAll } from "../support/laws.ts";

const NOW = 1_900_000_000;
const COUNTS = {
  agents_changed: 0,
  pending_decisions: 0,
  terminal_requests: 0,
  total_cards: 1,
  urgent_items: 0,
};
const on = (minutes: number, now = NOW) =>
  changeTimer(TIMER_OFF, { interval_minutes: minutes }, { now, onError: false });

describe("review settings", () => {
  test("the timer is off at first, and the choice about pane errors does not switch it on", () => {
    expect(settingsOf(TIMER_OFF, false)).toMatchObject({
      enabled: false,
      interval_minutes: null,
      next_due_at: null,
      presets: [30, 60],
    });
    const next = changeTimer(TIMER_OFF, { urgent_pane_errors: true }, { now: NOW, onError: false });
    expect(settingsOf(next, false)).toMatchObject({
      enabled: false,
      urgent_bypass: { pane_errors: true },
    });
  });

  test("a new interval begins a window now, the same interval leaves the window", () => {
    expect(on(30).next_due_at).toBe(NOW + 1800);
    const later = { now: NOW + 600, onError: false };
    expect(changeTimer(on(30), { interval_minutes: 30 }, later)).toEqual(on(30));
    expect(changeTimer(on(30), { interval_minutes: 60 }, later).next_due_at).toBe(NOW + 600 + 3600);
  });

  test("an interval of null switches the timer off, an absent interval leaves the window", () => {
    const at = { now: NOW + 60, onError: false };
    expect(changeTimer(on(30), { interval_minutes: null }, at).next_due_at).toBeNull();
    expect(changeTimer(on(30), { urgent_pane_errors: true }, at).next_due_at).toBe(NOW + 1800);
  });

  test("the first switch-on takes the choice about errors from push, a later one keeps the person's", () => {
    const first = changeTimer(TIMER_OFF, { interval_minutes: 30 }, { now: NOW, onError: true });
    expect(first.urgent_pane_errors).toBe(1);
    const changed = changeTimer(first, { urgent_pane_errors: false }, { now: NOW, onError: true });
    const off = changeTimer(changed, { interval_minutes: null }, { now: NOW, onError: true });
    const again = changeTimer(off, { interval_minutes: 60 }, { now: NOW, onError: true });
    expect(again.urgent_pane_errors).toBe(0);
  });
});

describe("review windows", () => {
  test("a window does not end before its time, nor while the timer is off", () => {
    expect(claimWindow(on(30), NOW + 1799, true)).toEqual({ timer: on(30), digest: null });
    expect(claimWindow(TIMER_OFF, NOW, true)).toEqual({ timer: TIMER_OFF, digest: null });
  });

  test("a window without work ends without a digest", () => {
    const { timer, digest } = claimWindow(on(30), NOW + 1800, false);
    expect(digest).toBeNull();
    expect(timer).toMatchObject({ next_due_at: NOW + 3600, last_digest_at: null, due_since: null });
  });

  test("a window with work gives a digest, and the review stays due until the window restarts", () => {
    const { timer, digest } = claimWindow(on(30), NOW + 1801, true);
    expect(digest).toBe(NOW + 1800);
    expect(timer).toMatchObject({ next_due_at: NOW + 3601, last_digest_at: NOW + 1801 });
    expect(dueOf(timer, COUNTS, NOW + 1900).is_due).toBe(true);
    const done = restartWindow(timer, NOW + 2000);
    expect(done.next_due_at).toBe(NOW + 3800);
    expect(dueOf(done, COUNTS, NOW + 2000).is_due).toBe(false);
  });

  test("a restart of the window changes nothing while the timer is off", () => {
    expect(restartWindow(TIMER_OFF, NOW)).toEqual(TIMER_OFF);
  });
});

test("law: two digests are at least a window apart, unless the clock was set back between them", () => {
  const steps = fc.array(fc.integer({ min: -4000, max: 4000 }), { maxLength: 60 });
  forAll([steps, fc.integer({ min: 5, max: 40 })], (jumps, minutes) => {
    let timer = on(minutes);
    let now = NOW;
    let last: { at: number; wasSetBack: boolean } | null = null;
    for (const jump of jumps) {
      now += jump;
      if (jump < 0 && last) last.wasSetBack = true;
      const claimed = claimWindow(timer, now, true);
      timer = claimed.timer;
      if (claimed.digest !== null) {
        if (last && !last.wasSetBack) expect(now - last.at).toBeGreaterThanOrEqual(minutes * 60);
        last = { at: now, wasSetBack: false };
      }
      expect(timer.next_due_at).toBeGreaterThan(now);
      expect((timer.next_due_at ?? 0) - now).toBeLessThanOrEqual(minutes * 60);
    }
  });
});
