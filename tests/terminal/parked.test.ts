import { expect, test } from "bun:test";
import type { Parked } from "../../src/protocol/pane.ts";
import { NO_ATTENTION } from "../../src/terminal/status.ts";
import type { PaneObservation } from "../../src/terminal/record.ts";
import { observe } from "../../src/terminal/observe.ts";
import { NO_NOTES } from "../../src/terminal/pane-notes.ts";
import { listedPane } from "../support/pane.ts";
import {
  findIn,
  inputOf,
  type RecordedScreen,
  readScreen,
  readScreens,
} from "../support/screens.ts";

const EVENING = Date.UTC(2026, 10, 23, 22, 10) / 1000;

const pane = listedPane({ title: "", command: "agent", cwd: "/" });

function see(recorded: RecordedScreen, at: number, before: PaneObservation | null = null) {
  const input = inputOf(recorded);
  const { screen } = input;
  const look = {
    ...{ at, monotonic: at, pane, screen, display: screen, composer: null, mayAct: true },
    ...{ finding: findIn(input), captureLines: 200, override: null },
    ...{ nameOf: () => "", interacted: 0, isAwaited: false, provider: "mux", isFresh: true },
    ...{ notes: NO_NOTES, host: undefined },
    ...NO_ATTENTION,
  };
  return { ...look, ...observe(look, before) };
}

/** Of the recorded screens; times without a zone are those of this machine. */
const here = (...date: [number, number, number, number]) => new Date(...date).getTime() / 1000;
const utc = (...date: [number, number, number, number, number?]) => {
  const [year, month, day, hour, minute = 0] = date;
  return Date.UTC(year, month, day, hour, minute) / 1000;
};
const nextAt = (hour: number, minute = 0) => {
  const day = new Date(EVENING * 1000).setHours(hour, minute, 0, 0);
  return (day / 1000 > EVENING ? day : new Date(day).setDate(new Date(day).getDate() + 1)) / 1000;
};
const UTC_044 = utc(2026, 10, 24, 0, 44);
const UTC_26TH = utc(2026, 10, 26, 19, 41);
const UTC_1AM = utc(2026, 10, 24, 1);
const PARKED: Readonly<Record<string, Parked>> = {
  "claude/limit-hit-v2.1.330": { reason: "5-hour limit", until: UTC_1AM, continues: true },
  "claude/limit-hit-v2.1.330-60x20": { reason: "5-hour limit", until: UTC_1AM, continues: true },
  "claude/limit-hit-v2.1.330-80x24": { reason: "5-hour limit", until: UTC_1AM, continues: true },
  "claude/limit-cancelled-v2.1.330": {
    ...{ reason: "usage limit", until: utc(2026, 10, 24, 10, 20), continues: false },
  },
  "claude/limit-cancelled-v2.1.330-60x20": {
    ...{ reason: "usage limit", until: utc(2026, 10, 24, 10, 20), continues: false },
  },
  "claude/limit-hit-unnamed-v2.1.330": {
    ...{ reason: "usage limit", until: utc(2026, 10, 24, 10, 20), continues: true },
  },
  "claude/limit-hit-v2.1.329": { reason: "5-hour limit", until: UTC_044, continues: true },
  "claude/limit-cancelled-v2.1.329": { reason: "5-hour limit", until: UTC_044, continues: false },
  "claude/limit-opus-stop-v2.1.329": { reason: "Opus limit", until: UTC_26TH, continues: false },
  "claude/limit-sonnet-stop-v2.1.329": {
    ...{ reason: "Sonnet limit", until: UTC_26TH, continues: false },
  },
  "claude/limit-fable-stop-v2.1.329": { reason: "Fable limit", until: UTC_26TH, continues: false },
  "gemini/limit-daily-stop": { reason: "daily limit", until: null, continues: false },
  "codex/limit-until": { reason: "usage limit", until: nextAt(10, 33), continues: false },
  "claude/limit-weekly-stop-v2.1.330": {
    reason: "weekly limit",
    until: utc(2026, 10, 25, 9),
    continues: false,
  },
  "claude/limit-weekly-wait-v2.1.330": {
    reason: "usage limit",
    until: here(2026, 10, 25, 9),
    continues: true,
  },
  "codex/error-usage-limit": { reason: "usage limit", until: null, continues: false },
};

test("a recorded screen is parked exactly where a limit has ended the turn, with the time it tells", () => {
  const found = readScreens().flatMap((recorded) => {
    const { parked } = see(recorded, EVENING).state;
    return parked ? [[recorded.name, parked]] : [];
  });
  expect(Object.fromEntries(found)).toEqual(PARKED);
});

test("the time of a limit stays while its error stands, and goes with it", () => {
  const limited = readScreen("claude", "limit-weekly-stop-v2.1.330");
  const hit = readScreen("claude", "limit-hit-v2.1.330");
  const first = see(hit, EVENING);
  const later = see(hit, EVENING + 86_400, first);
  expect(later.state.parked).toBe(first.state.parked);
  const other = see(limited, EVENING + 86_400, later);
  expect(other.state.parked).toEqual({
    reason: "weekly limit",
    until: utc(2026, 10, 25, 9),
    continues: false,
  });
  const idle = readScreen("claude", "limit-near-v2.1.330");
  expect(see(idle, EVENING + 90_000, other).state).toMatchObject({ status: "idle", parked: null });
});
