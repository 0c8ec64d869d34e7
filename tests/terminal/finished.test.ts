import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PaneStatus, type PaneState } from "../../src/protocol/pane.ts";
import type { Work } from "../../src/terminal/record.ts";
import {
  followWork,
  NO_ATTENTION,
  NO_WORK,
  breakRun,
  WORKED_SECONDS,
} from "../../src/terminal/status.ts";
import { pane } from "../support/pane.ts";
import { forAll } from "../support/laws.ts";

const PASS_SECONDS = 0.7;
const START = 1000;
const AGENT = { id: "agent_a", label: "Claude Code" };

/** Status over time of a real agent: each entry holds until the next one. */
const Sequence = z.object({
  passes: z.array(
    z.object({
      at: z.number(),
      status: PaneStatus,
      reason: z.string(),
      evidence: z.string().optional(),
    }),
  ),
  end: z.number(),
});
type Step = z.infer<typeof Sequence>["passes"][number];

function readSequence(name: string) {
  const file = join(import.meta.dir, "..", "fixtures", "sequences", `${name}.json`);
  return Sequence.parse(JSON.parse(readFileSync(file, "utf8")));
}

interface Play {
  steps: readonly Step[];
  end: number;
  members?: Partial<PaneState>;
  /** Seconds from the start of a look; absent: nobody looks. */
  lookAt?: number;
  /** Seconds from the start of an action; absent: nobody acts. */
  actAt?: number;
}

/** The work after each pass, in seconds from the start. */
function play({
  steps,
  end,
  members,
  lookAt = Infinity,
  actAt = Infinity,
}: Play): { at: number; work: Work }[] {
  const passes: { at: number; work: Work }[] = [];
  let work = NO_WORK;
  for (let at = 0; at <= end; at += PASS_SECONDS) {
    const step = steps.findLast((each) => each.at <= at);
    if (!step) continue;
    const { status, reason, evidence } = step;
    const facts = { status, reason, evidence: evidence ? [evidence] : [] };
    const state = pane({ kind: "agent_a", agent: AGENT, ...facts, ...members });
    const seenAt = at >= lookAt ? START + lookAt : -Infinity;
    const actedAt = at >= actAt ? START + actAt : -Infinity;
    work = followWork(work, state, { at: START + at, seenAt, actedAt });
    passes.push({ at, work });
  }
  return passes;
}

/** Seconds from the start, by the last pass. */
function finishedAt(course: Play): number | null {
  const at = play(course).at(-1)?.work.finishedAt ?? null;
  return at === null ? null : at - START;
}

const everFinished = (course: Play) => play(course).some(({ work }) => work.finishedAt !== null);

describe("a recorded turn of a real agent", () => {
  // When the answer was complete, as a person read from the recording.
  test.each([
    ["claude-turn", 14.4],
    ["codex-turn", 15.3],
    ["claude-retry", 10.9],
    ["opencode-retry", 18.1],
    ["gemini-turn", 13.3],
    ["gemini-retry", 13.8],
  ])("is finished when its answer is complete: %s", (name, at) => {
    const { passes, end } = readSequence(name);
    const found = finishedAt({ steps: passes, end });
    expect(Math.abs((found ?? 0) - at)).toBeLessThanOrEqual(PASS_SECONDS);
  });

  test.each([
    ["claude-short", "it took a few seconds"],
    ["codex-short", "it took a few seconds"],
    ["gemini-short", "it took a few seconds"],
    ["claude-compact", "what took long was a compaction"],
    ["codex-compact", "what took long was a compaction"],
    ["claude-asked", "it was asked in between, and done soon after the answer"],
  ])("is not published as finished: %s, as %s", (name) => {
    const { passes, end } = readSequence(name);
    expect(everFinished({ steps: passes, end })).toBe(false);
  });
});

const work = (at: number, status: Step["status"], reason = "agent_a.working.activity"): Step => ({
  at,
  status,
  reason,
});
const turn = (seconds: number): Step[] => [
  work(0, "working"),
  work(seconds, "idle", "agent_a.idle"),
];

describe("a turn", () => {
  test("is finished since it turned idle, once it was long and the agent has been idle for a moment", () => {
    expect(finishedAt({ steps: turn(20), end: 21 })).toBeNull();
    expect(finishedAt({ steps: turn(20), end: 30 })).toBeCloseTo(20.3);
  });

  test("is not finished in a shell, in a program that is no agent, or when it ends other than idle", () => {
    const long = { steps: turn(20), end: 30 };
    expect(everFinished({ ...long, members: { kind: "shell" } })).toBe(false);
    expect(everFinished({ ...long, members: { kind: "generic", agent: null } })).toBe(false);
    for (const status of ["error", "needs_input"] as const)
      expect(everFinished({ steps: [work(0, "working"), work(20, status)], end: 30 })).toBe(false);
  });

  test("is not finished where only typing changed the screen", () => {
    const steps = [work(0, "working", "settle.changed"), work(20, "idle", "agent_a.idle")];
    expect(everFinished({ steps, end: 30 })).toBe(false);
  });

  test("goes on through a short idle gap, and the work on both sides counts together", () => {
    const steps = [
      work(0, "working"),
      work(6, "idle"),
      work(7, "working"),
      work(13, "idle", "agent_a.idle"),
    ];
    const passes = play({ steps, end: 20 });
    expect(passes.filter(({ at, work }) => at < 13 && work.finishedAt !== null)).toEqual([]);
    expect(passes.at(-1)?.work.finishedAt).not.toBeNull();
  });

  test("includes a compaction in its middle", () => {
    const compacting = { ...work(8, "working"), evidence: "✢ Compacting conversation… (3s)" };
    const steps = [work(0, "working"), compacting, work(15, "working"), work(20, "idle")];
    expect(everFinished({ steps, end: 30 })).toBe(true);
  });

  test("is no work while Codex reaches for a server that it lost", () => {
    const lost = { ...work(5, "working"), evidence: "◦ Reconnecting to server… (14s)" };
    expect(everFinished({ steps: [work(0, "idle"), lost, work(30, "idle")], end: 40 })).toBe(false);
  });

  test("is not finished any more after a look or an action, and a look before its end changes nothing", () => {
    const long = { steps: turn(20), end: 40 };
    expect(finishedAt({ ...long, lookAt: 30 })).toBeNull();
    expect(finishedAt({ ...long, actAt: 30 })).toBeNull();
    expect(finishedAt({ ...long, lookAt: 10 })).not.toBeNull();
  });

  test("is not finished any more once an action is sent; typing at the desk changes nothing", () => {
    const sent = { steps: [...turn(20), work(30, "working", "settle.sent")], end: 31 };
    expect(finishedAt({ ...sent, actAt: 30 })).toBeNull();
    const typed = { steps: [...turn(20), work(30, "working", "settle.changed")], end: 31 };
    expect(finishedAt(typed)).not.toBeNull();
    expect(finishedAt({ ...typed, lookAt: 30 })).toBeNull();
  });

  test("is never shown as finished to a person who acted just before its end", () => {
    const long = { steps: turn(20), end: 40 };
    expect(everFinished({ ...long, actAt: 19 })).toBe(false);
  });

  test("is not finished any more at new work, a prompt or an error", () => {
    for (const status of ["working", "needs_input", "error"] as const)
      expect(finishedAt({ steps: [...turn(20), work(30, status)], end: 40 })).toBeNull();
  });
});

test("a turn that ended while a capture or a pass failed is not published as finished", () => {
  const agent = { kind: "agent_a", agent: AGENT } as const;
  const [working, idle] = [
    pane({ ...agent, status: "working" }),
    pane({ ...agent, status: "idle" }),
  ];
  const after = (before: Work, state: PaneState, at: number) =>
    followWork(before, state, { at, ...NO_ATTENTION });
  const ended = (work: Work) => after(after(work, idle, 21), idle, 24).finishedAt;
  const long = after(after(NO_WORK, working, 0), working, 20);
  expect(ended(long)).toBe(21);
  expect(ended(after(long, { ...working, stale: true }, 20.5))).toBeNull();
  expect(ended(breakRun(long))).toBeNull();
});

test("for any statuses: a turn is finished only while idle, and only after long work", () => {
  const step = fc.record({
    seconds: fc.integer({ min: 1, max: 15 }),
    status: fc.constantFrom("working", "idle", "needs_input", "error" as const),
  });
  forAll([fc.array(step, { maxLength: 12 })], (parts) => {
    let at = 0;
    const steps = parts.map(({ seconds, status }) => {
      const started = work(at, status as Step["status"]);
      at += seconds;
      return started;
    });
    for (const pass of play({ steps, end: at })) {
      const since = pass.work.finishedAt;
      if (since === null) continue;
      const now = steps.findLast((each) => each.at <= pass.at);
      expect(now?.status).toBe("idle");
      expect(since - START).toBeLessThanOrEqual(pass.at);
      expect(since - START).toBeGreaterThanOrEqual(WORKED_SECONDS);
    }
  });
});
