import { describe, expect, spyOn, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { run, RunError, type RunOptions } from "../../src/lib/run.ts";
import { until } from "../support/until.ts";
import { temporary } from "../support/temporary.ts";

const options = { timeoutMs: 60_000, maxBytes: 1000 };
const shell = (script: string, change: Partial<RunOptions> = {}) =>
  run(["sh", "-c", script], { ...options, ...change });
const failure = (running: Promise<unknown>) =>
  running.then(
    () => "ended",
    (error: RunError) => error.kind,
  );
/** The id of a process that has written it into this file. */
const noted = (note: string) =>
  until(async () => Number(await readFile(note, "utf8").catch(() => "")) || null);
/** A zombie has ended: its parent has not waited for it yet. */
const isRunning = async (pid: number) =>
  /^State:\s+[^Z]/m.test(await readFile(`/proc/${pid}/status`, "utf8").catch(() => ""));

test("run gives code, output and error output", async () => {
  const { code, stdout, stderr } = await shell("cat; echo no >&2; exit 3", { stdin: "käse" });
  expect([code, new TextDecoder().decode(stdout), stderr]).toEqual([3, "käse", "no\n"]);
});

test("run passes output to onOutput as it comes, from both streams", async () => {
  const heard: string[] = [];
  const ended = shell("echo first >&2; read answer; echo $answer", {
    stdin: "second\n",
    onOutput: (bytes) => void heard.push(new TextDecoder().decode(bytes)),
  });
  await until(() => heard.length > 0);
  expect((await ended).stderr).toBe("first\n");
  expect(heard.join("")).toBe("first\nsecond\n");
});

test("run feeds long input, whether the program reads it or not", async () => {
  const stdin = "0123456789".repeat(100_000);
  const { stdout } = await shell("cat", { stdin, maxBytes: 2 * stdin.length });
  expect(new TextDecoder().decode(stdout)).toBe(stdin);
  for (const script of ["exit 3", "head -c 10 > /dev/null; exit 3", "exec <&-; sleep 0.1; exit 3"])
    expect((await shell(script, { stdin })).code).toBe(3);
});

test("input to programs leaves no descriptor open", async () => {
  const descriptors = () => readdirSync("/proc/self/fd").length;
  await shell("cat", { stdin: "one" });
  const before = descriptors();
  for (let i = 0; i < 20; i++) await shell("cat", { stdin: "more" });
  expect(descriptors()).toBeLessThanOrEqual(before + 2);
});

test("run executes an argument list as it is, in the given environment and folder", async () => {
  const { stdout } = await run(["printf", "%s|", "$HOME", "a b", ";"], options);
  expect(new TextDecoder().decode(stdout)).toBe("$HOME|a b|;|");
  const place = await shell('printf "%s %s" "$PWD" "$A"', { cwd: "/", env: { A: "1" } });
  expect(new TextDecoder().decode(place.stdout)).toBe("/ 1");
});

describe("run rejects", () => {
  test("a missing executable is not_found", async () => {
    expect(await failure(run(["/nonexistent/x"], options))).toBe("not_found");
  });

  test("too much output is too_large at once, though the program goes on", async () => {
    expect(await failure(shell("while :; do echo 0123456789; done"))).toBe("too_large");
  });

  test("an aborted signal is aborted, before and during the run", async () => {
    expect(await failure(shell("sleep 20", { signal: AbortSignal.abort() }))).toBe("aborted");
    const stopping = new AbortController();
    const running = failure(shell("sleep 20", { signal: stopping.signal }));
    stopping.abort();
    expect(await running).toBe("aborted");
  });

  test("a program past its time is a timeout, also if a descendant holds its output open", async () => {
    for (const script of ["exec sleep 20", "sleep 20; echo x"])
      expect(await failure(shell(script, { timeoutMs: 100 }))).toBe("timeout");
    const note = join(await temporary("run"), "pid");
    const leaving = `setsid sh -c 'echo $$ > "${note}"; exec sleep 20' & wait`;
    // On a busy machine the time may be over before the descendant has left the group.
    for (let timeoutMs = 100; !existsSync(note); timeoutMs *= 2)
      expect(await failure(shell(leaving, { timeoutMs }))).toBe("timeout");
    const pid = await noted(note);
    expect(await isRunning(pid)).toBe(true);
    process.kill(pid);
  });
});

test("a process of another user, which cannot be killed, is not waited for", async () => {
  const note = join(await temporary("run"), "pid");
  const kill = spyOn(process, "kill").mockImplementation(() => {
    throw Object.assign(new Error("kill() failed: EPERM"), { code: "EPERM" });
  });
  try {
    const script = `echo $$ > '${note}'; exec sleep 20`;
    expect(await failure(shell(script, { timeoutMs: 100 }))).toBe("timeout");
  } finally {
    kill.mockRestore();
  }
  const pid = await noted(note);
  expect(await isRunning(pid)).toBe(true);
  process.kill(pid);
});

test.each([
  ["a stopped process", "wait"],
  ["a process that has ended itself", "exit 0"],
])("an abort ends the children of %s", async (_, ending) => {
  const folder = await temporary("run");
  const note = join(folder, "pid");
  const stopping = new AbortController();
  const script = `sleep 21 & echo $! > '${note}'; ${ending}`;
  const running = failure(shell(script, { signal: stopping.signal }));
  const pid = await noted(note);
  stopping.abort();
  expect(await running).toBe("aborted");
  await until(async () => !(await isRunning(pid)));
});
