import { afterEach, beforeEach, describe, expect, type Mock, spyOn, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  DEADLINE_MS,
  MAX_MISSES,
  PatternMatcher,
  RETRY_SECONDS,
  START_DEADLINE_MS,
} from "../../src/detect/pattern-matcher.ts";
import { NO_PATTERNS } from "../../src/detect/pattern-rules.ts";
import { PATTERN_WORKER, patternMatcher } from "../support/pattern-worker.ts";
import { temporary } from "../support/temporary.ts";
import { IS_THOROUGH } from "../support/thorough.ts";
import { until } from "../support/until.ts";

// Exponential in the number of "a": a pattern that patternFault would refuse, had it not slipped by.
const slow = "(a+)+$";
const hanging = `${"a".repeat(40)}!`;

let matcher: PatternMatcher | null = null;
const warnings: string[] = [];

/** How often the worker is killed, each time at another moment of its start. */
const KILLS = IS_THOROUGH ? 20 : 5;

const children = () => readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim();

function create(deps: Parameters<typeof patternMatcher>[0] = {}): PatternMatcher {
  warnings.length = 0;
  const warn = (message: string) => warnings.push(message);
  matcher = patternMatcher({ trusted: new Set(["ours"]), warn, ...deps });
  return matcher;
}

/** A worker that this shell script plays. */
const scripted = (script: string) => create({ worker: ["sh", "-c", script] });

/** For a while no start counts as late: what waits for that never ends. */
function withoutStartDeadline() {
  const { setTimeout: later } = globalThis;
  const endless = (work: () => void, ms?: number) =>
    later(ms === START_DEADLINE_MS ? () => undefined : work, ms);
  return spyOn(globalThis, "setTimeout").mockImplementation(endless as typeof setTimeout);
}

afterEach(async () => {
  await matcher?.stop();
});

/** The findings in a text; a job that failed on a busy machine is asked again. */
function answered(subject: PatternMatcher, ...job: Parameters<PatternMatcher["match"]>) {
  return until(async () => {
    const found = await subject.match(...job);
    return found === "failed" ? null : found;
  });
}

test("a match is the lowest hit of each list, prompts in any case, errors as written", async () => {
  const text = "Error: one\nproceed? (y/n)\nError: two\nerror: three\n";
  const found = await answered(create(), text, {
    prompt: ["\\(Y/N\\)", "Proceed\\?"],
    error: ["^\\s*Error:"],
  });
  expect(found).toEqual({
    prompt: { pattern: "\\(Y/N\\)", index: text.indexOf("(y/n)") },
    error: { pattern: "^\\s*Error:", index: text.indexOf("Error: two") },
  });
});

test("a pane whose pattern hangs has failed, and the panes beside it have their findings", async () => {
  const subject = create();
  const patterns = { prompt: [slow], error: [] };
  const [before, found, after] = await Promise.all([
    answered(subject, "nothing here", patterns),
    subject.match(hanging, patterns),
    answered(subject, "aaa", patterns),
  ]);
  expect(before).toEqual({ prompt: null, error: null });
  expect(found).toBe("failed");
  expect(after).toEqual({ prompt: { pattern: slow, index: 0 }, error: null });
});

test("a pattern is set aside after its misses, with one warning, and the other patterns go on", async () => {
  const patterns = { prompt: ["harmless"], error: [slow] };
  const subject = create();
  const text = `harmless ${hanging}`;
  let misses = 0;
  // A miss counts only where the pattern had the processor: a busy machine may take more of them.
  await until(async () => {
    expect(await subject.match(text, patterns)).toBe("failed");
    misses += 1;
    return warnings.length > 0 || null;
  });
  expect(misses).toBeGreaterThanOrEqual(MAX_MISSES);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(slow);
  const after = await answered(subject, text, patterns);
  expect(after).toEqual({ prompt: { pattern: "harmless", index: 0 }, error: null });
  expect(warnings).toHaveLength(1);
});

test("a reply that a busy machine delays is no miss of the pattern", async () => {
  const subject = create();
  const patterns = { prompt: ["busy"], error: [] };
  const text = "busy";
  await subject.match(text, patterns);
  for (let i = 0; i < MAX_MISSES; i++) {
    const found = await until(async () => {
      const job = subject.match(text, patterns);
      // This thread does nothing else for longer than the deadline; the reply waits for it.
      const end = performance.now() + 3 * DEADLINE_MS;
      await Promise.resolve();
      while (performance.now() < end);
      const outcome = await job;
      return outcome === "failed" ? null : outcome;
    });
    expect(found).toEqual({ prompt: { pattern: "busy", index: 0 }, error: null });
  }
  expect(warnings).toEqual([]);
});

test("a reply after the deadline counts when the worker had no processor time", async () => {
  const reply = JSON.stringify(NO_PATTERNS);
  const idle = scripted(
    `echo ready; read -r job; echo 'begin 0'; sleep 0.3; echo '${reply}'; exec sleep 60`,
  );
  const found = await answered(idle, "a", { prompt: ["b"], error: [] });
  expect(found).toEqual(NO_PATTERNS);
});

test("a worker without processor time makes no pattern count as slow", async () => {
  const idle = scripted("echo ready; read -r job; echo 'begin 0'; echo 'at 0'; exec sleep 60");
  for (let i = 0; i <= MAX_MISSES; i++) {
    const found = await idle.match("a", { prompt: ["a"], error: [] });
    expect(found).toBe("failed");
  }
  expect(warnings).toEqual([]);
});

test("calls at the same time get their own answers", async () => {
  const subject = create();
  const found = await Promise.all(
    ["a", "b", "c"].map((id) => answered(subject, `${id}?`, { prompt: ["[abc]\\?"], error: [id] })),
  );
  expect(found).toEqual(
    ["a", "b", "c"].map((id) => ({
      prompt: { pattern: "[abc]\\?", index: 0 },
      error: { pattern: id, index: 0 },
    })),
  );
});

test("a pattern that hangs is ended, and uses no processor any more", async () => {
  const subject = create();
  await subject.match(hanging, { prompt: [slow], error: [] });
  await subject.stop();
  expect(await until(() => (children() === "" ? "none" : null))).toBe("none");
});

test("a worker that is killed at any moment fails its own job alone, at once", async () => {
  using _ = withoutStartDeadline();
  const subject = create();
  const text = "a".repeat(400_000);
  const patterns = { prompt: ["b"], error: [] };
  for (let i = 0; i < KILLS; i++) {
    await subject.match("a", patterns);
    for (const pid of children().split(" ").filter(Boolean)) process.kill(Number(pid), "SIGKILL");
    // At once: nobody has noticed yet, and the job is longer than what a pipe takes.
    const found = await subject.match(text, patterns);
    expect(["failed", NO_PATTERNS]).toContainEqual(found);
  }
  const found = await answered(subject, "b", patterns);
  expect(found).toMatchObject({ prompt: { pattern: "b" } });
});

test("a worker that closes its input or gives no valid answer fails at once", async () => {
  for (const script of ["echo ready; exec <&-; sleep 60", "echo ready; read -r job; echo {; cat"]) {
    using _ = withoutStartDeadline();
    const odd = scripted(script);
    const text = "a".repeat(400_000);
    const found = await odd.match(text, { prompt: ["a"], error: [] });
    expect(found).toBe("failed");
    await odd.stop();
  }
});

test("trusted patterns start no process, and rank with other patterns as if all had run together", async () => {
  const subject = create();
  const before = children();
  const found = await subject.match("it is ours", {
    prompt: ["ours"],
    error: [],
  });
  expect(found).toEqual({ prompt: { pattern: "ours", index: 6 }, error: null });
  expect(children()).toBe(before);
  // Beside other patterns they rank as if all had run together.
  const both = await answered(subject, "ours, theirs", {
    prompt: ["theirs", "ours"],
    error: ["ours"],
  });
  expect(both).toEqual({
    prompt: { pattern: "theirs", index: 6 },
    error: { pattern: "ours", index: 0 },
  });
});

test("trusted patterns are found and never set aside, however slow the worker is", async () => {
  const reply = JSON.stringify(NO_PATTERNS);
  // The worker never ends a job with the trusted pattern, and answers a job without it.
  const script = `echo ready; while read -r job; do echo 'begin 0'; case $job in
    *ours*theirs*) echo 'at 0'; while :; do :; done;; *) echo '${reply}';; esac; done`;
  const slowly = scripted(script);
  const patterns = { prompt: ["ours", "theirs"], error: [] };
  for (let times = 0; times <= 2 * MAX_MISSES; times++) {
    const found = await slowly.match("it is ours", patterns);
    expect(found).toMatchObject({ prompt: { pattern: "ours" } });
  }
  expect(warnings).toEqual([]);
});

test("a stopped matcher gives failed", async () => {
  const stopped = create();
  await stopped.stop();
  const found = await stopped.match("a", { prompt: ["a"], error: [] });
  expect(found).toBe("failed");
});

test("a worker that cannot be started is logged once", async () => {
  const broken = create({ worker: ["/nonexistent/worker"] });
  for (let i = 0; i < 2; i++) {
    const found = await broken.match("a", { prompt: ["a"], error: [] });
    expect(found).toBe("failed");
  }
  expect(warnings).toHaveLength(1);
});

describe("a worker that starts and hangs", () => {
  const patterns = { prompt: ["a"], error: [] };
  const clock = { seconds: 0, now: () => 0, monotonic: () => clock.seconds };
  /** Counted here: the program may be ended before it has done anything. */
  const starts = () => spawning.mock.calls.length;
  let spawning: Mock<typeof Bun.spawn>;
  let folder = "";

  beforeEach(async () => {
    folder = await temporary("worker");
    spawning = spyOn(Bun, "spawn");
    clock.seconds = 1000;
  });
  afterEach(() => spawning.mockRestore());

  /** A worker that has the illness until the file `well` exists. */
  const launch = (illness = "exec sleep 60", startMs = 300, trusted: readonly string[] = []) => {
    const work = PATTERN_WORKER.map((word) => `'${word}'`).join(" ");
    const script = `[ -e ${folder}/well ] && exec ${work}; ${illness}`;
    const worker = ["sh", "-c", script];
    return create({ worker, trusted: new Set(trusted), clock, startMs });
  };

  test("does not hide a prompt that trusted patterns find", async () => {
    const both = { prompt: ["Proceed", "another"], error: [] };
    const subject = launch(undefined, undefined, ["Proceed"]);
    expect(await subject.match("Proceed?", both)).toMatchObject({ prompt: { pattern: "Proceed" } });
    expect(await subject.match("quiet", both)).toBe("failed");
  });

  test("delays one pane once, and no pane behind it", async () => {
    const subject = launch();
    const panes = Array.from({ length: 50 }, () => subject.match("a", patterns));
    expect(await Promise.all(panes)).toEqual(panes.map(() => "failed"));
    expect(starts()).toBe(1);
    clock.seconds += RETRY_SECONDS - 1;
    await subject.match("a", patterns);
    expect(starts()).toBe(1);
  });

  test("is started again after growing pauses, without a delay for any pane", async () => {
    const subject = launch();
    await subject.match("a", patterns);
    clock.seconds += RETRY_SECONDS;
    expect(await subject.match("a", patterns)).toBe("failed");
    await until(() => starts() === 2);
    // Its failure is noted some time after it began.
    await until(async () => {
      clock.seconds += RETRY_SECONDS;
      await subject.match("a", patterns);
      return starts() === 3 || null;
    });
    expect(clock.seconds).toBeGreaterThanOrEqual(1000 + RETRY_SECONDS * 3);
  });

  test("is used again once it can be started", async () => {
    const subject = launch("exit 1", START_DEADLINE_MS);
    await subject.match("a", patterns);
    writeFileSync(join(folder, "well"), "");
    await until(async () => {
      clock.seconds += RETRY_SECONDS;
      return (await subject.match("a", patterns)) !== "failed" || null;
    });
  });
});
