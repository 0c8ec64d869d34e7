import { expect, test } from "bun:test";
import fc from "fast-check";
import type { AlertAction } from "../../src/push/scheduler.ts";
import { deviceOf, SchedulerStage } from "./stage.ts";
import { forAll } from "../support/laws.ts";

const COOLDOWN = 30;
const DWELL = 2;

const deed = fc.oneof(
  fc.record({
    pane: fc.constantFrom("1", "2", "3"),
    does: fc.constantFrom("ask", "work", "fail", "close", "lose", "find"),
  }),
  fc.record({ pane: fc.constant(""), does: fc.constantFrom("break", "restart") }),
);
const steps = fc.array(fc.record({ deed, seconds: fc.constantFrom(0.7, 1, 1.5, 3, 12, 31, 70) }), {
  maxLength: 60,
});
const wishes = fc.record({
  kind: fc.constantFrom("apns" as const, "web" as const, "ntfy" as const),
  wait_minutes: fc.constantFrom(0, 0, 1),
});

interface SentAlert {
  at: number;
  identity: string;
  device: string;
}

/**
 * A prompt or an error that the test made. It is news in a pane that was watched before, and a prompt
 * also where that pane worked or asked something else when it was last read.
 */
interface Appearance {
  identity: string;
  does: "ask" | "fail";
  from: number;
  to: number | null;
  isNews: boolean;
}

class Run {
  readonly stage: SchedulerStage;
  readonly sent: SentAlert[] = [];
  /** The cause of each notification that stands. */
  readonly open = new Map<string, { identity: string; does: Appearance["does"] | undefined }>();
  readonly appearances: Appearance[] = [];
  /** Times of passes after a restart or a failed pass. */
  readonly breaks: number[] = [];
  /** Unreadable panes, and whether each was read since the last start. */
  readonly lost = new Map<string, { wasRead: boolean }>();
  readonly #closed = new Map<string, number>();
  #current = new Map<string, Appearance>();
  #isBlind = false;
  readonly #seen = new Set(["1", "2", "3"]);

  constructor(list: readonly { kind: "apns" | "web" | "ntfy"; wait_minutes: number }[]) {
    const devices = list.map(({ kind, wait_minutes }, index) =>
      deviceOf(`d${index}`, { kind, preferences: { wait_minutes } }),
    );
    this.stage = new SchedulerStage(devices).works("1").works("2").works("3");
    this.stage.pass();
  }

  step(does: string, name: string, seconds: number): void {
    const { stage } = this;
    // A closed pane never comes back: the next of its name is another pane.
    const identity = `${name}${"'".repeat(this.#closed.get(name) ?? 0)}`;
    stage.at += seconds;
    if (does === "break") {
      this.#isBlind = true;
      this.note(stage.pass(true));
      return;
    }
    if (does === "restart") {
      stage.restart();
      this.#isBlind = true;
      this.breaks.push(stage.at);
      for (const lost of this.lost.values()) lost.wasRead = false;
    }
    const lost = this.lost.get(identity);
    if (does === "lose" && this.#seen.has(identity) && !lost) {
      stage.set(identity, { stale: true });
      this.lost.set(identity, { wasRead: true });
    } else if (lost && does !== "lose" && does !== "close") {
      stage.set(identity, { stale: false });
      this.lost.delete(identity);
    }
    if (does === "work" || does === "close") this.#end(identity);
    // A lasting error is one error; a prompt may be another one.
    const isFailing = this.#current.get(identity)?.does === "fail";
    if (does === "ask" || (does === "fail" && !isFailing)) {
      const last = this.#current.get(identity);
      const wasCertain = this.#seen.has(identity) && last?.does !== "fail";
      this.#end(identity);
      const isSeen = !this.#isBlind && !lost;
      const isNews = isSeen || (does === "ask" && wasCertain);
      this.#begin(identity, does, isNews && lost?.wasRead !== false);
    }
    if (does === "ask") stage.asks(identity);
    if (does === "fail" && !isFailing)
      stage.set(identity, { status: "error", prompt_since: null, status_since: stage.at });
    if (does === "work") stage.works(identity);
    if (does === "close") {
      stage.close(identity);
      this.#closed.set(name, (this.#closed.get(name) ?? 0) + 1);
      this.lost.delete(identity);
    }
    this.note(stage.pass());
    this.#isBlind = false;
    // A pane that was only lost or found has not been seen.
    if (does === "ask" || does === "fail" || does === "work") this.#seen.add(identity);
  }

  note(decisions: readonly AlertAction[]): void {
    for (const each of decisions) {
      if (!("message" in each)) continue;
      const { device, message } = each;
      if (message.kind === "pane") {
        const [identity = ""] = message.identities;
        // The prompt of an unreadable pane may be over.
        expect(this.lost.has(identity)).toBe(false);
        this.sent.push({ at: this.stage.at, identity, device });
        const { does } = this.#current.get(identity) ?? {};
        this.open.set(`${device} ${message.tag}`, { identity, does });
      }
      if (message.kind !== "answered") continue;
      const shown = this.open.get(`${device} ${message.tag}`);
      // No alert is withdrawn whose prompt may still stand, also in an unreadable pane.
      expect(this.#current.get(shown?.identity ?? "")?.does).not.toBe(shown?.does ?? "ask");
      this.open.delete(`${device} ${message.tag}`);
    }
  }

  #begin(identity: string, does: "ask" | "fail", isNews: boolean): void {
    const appearance = { identity, does, from: this.stage.at, to: null, isNews };
    this.#current.set(identity, appearance);
    this.appearances.push(appearance);
  }

  #end(identity: string): void {
    const current = this.#current.get(identity);
    if (current) current.to = this.stage.at;
    this.#current.delete(identity);
  }

  alertsOf({ identity, from, to }: Appearance, device: string): SentAlert[] {
    return this.sent.filter(
      (each) =>
        each.device === device &&
        each.identity === identity &&
        each.at >= from &&
        (to === null || each.at < to),
    );
  }
}

/** Checks a law for any events and any devices. */
function forAllRuns(law: (run: Run) => void): void {
  forAll([fc.array(wishes, { minLength: 1, maxLength: 3 }), steps], 400, (list, all) => {
    const run = new Run(list);
    for (const { deed: what, seconds } of all) run.step(what.does, what.pane, seconds);
    law(run);
  });
}

test("law: a prompt alerts a device once, and only if it was seen to begin; a pane keeps its cooldown", () => {
  forAllRuns((run) => {
    for (const device of run.stage.devices) {
      // Never two alerts for one appearance, and none for an appearance that was not watched.
      for (const each of run.appearances) {
        const alerts = run.alertsOf(each, device.id);
        expect(alerts.length).toBeLessThanOrEqual(each.isNews ? 1 : 0);
      }
      // A flapping screen stays within the cooldown, which a restart forgets.
      const byPane = Object.groupBy(
        run.sent.filter((sent) => sent.device === device.id),
        (sent) => sent.identity,
      );
      for (const sents of Object.values(byPane))
        for (const [index, sent] of (sents ?? []).entries()) {
          const before = sents?.[index - 1];
          if (!before || run.breaks.some((at) => at > before.at && at <= sent.at)) continue;
          expect(sent.at - before.at).toBeGreaterThanOrEqual(COOLDOWN - 1e-6);
        }
    }
  });
});

test("law: a prompt or an error that outlasts every hold is alerted on each device", () => {
  forAllRuns((run) => {
    const last = run.breaks.at(-1) ?? 0;
    const standing = run.appearances.filter(
      (each) => each.to === null && each.isNews && each.from >= last,
    );
    for (const identity of run.lost.keys()) run.step("find", identity, 1);
    // Longer than any hold; two passes, as the first may end a failure.
    for (let i = 0; i < 4; i++) run.step("none", "", 60 + COOLDOWN + DWELL);
    for (const each of standing)
      for (const device of run.stage.devices) expect(run.alertsOf(each, device.id)).toHaveLength(1);
  });
});

test("law: every alert is withdrawn when its pane closes, also after a restart", () => {
  forAllRuns((run) => {
    for (const identity of ["1", "2", "3"]) run.step("close", identity, 1);
    expect([...run.open]).toEqual([]);
    expect(run.stage.store.notices).toEqual([]);
  });
});
