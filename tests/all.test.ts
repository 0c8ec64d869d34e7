// What `npm test` counts: a suite that breaks, ends badly or leaves something running has failed.
import { beforeEach, expect, test } from "bun:test";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { cpuSecondsBelow } from "./support/cpu-seconds.ts";
import { isAlive, ownNames, runsElsewhere } from "./support/strays.ts";
import { runSuite, type Suite } from "./support/suite.ts";
import { until } from "./support/until.ts";
import { temporary } from "./support/temporary.ts";

let folder = "";
beforeEach(async () => {
  folder = await temporary("all");
});

const run = (script: string, suite: Partial<Suite> = {}) =>
  runSuite(
    { name: "some", argv: () => ["sh", "-c", script], isCounted: false, ...suite },
    join(folder, "some"),
    300,
  );
/** A runner that ends with `code` after it has reported. */
const runReporting = (attributes: string, code = 0) =>
  run("", {
    isCounted: true,
    argv: (report) => ["sh", "-c", `echo '<testsuites ${attributes}>' > ${report}; exit ${code}`],
  });

test("a command counts as a test, and its output streams stay in order", async () => {
  const { passed, failed, output } = await run("echo one; echo two >&2; echo three");
  expect([passed, failed, output]).toEqual([1, 0, "one\ntwo\nthree\n"]);
  expect(await run("exit 3")).toMatchObject({ passed: 0, failed: 1 });
});

test("tests are counted from the runner's report", async () => {
  const found = [
    [await runReporting('tests="9" failures="2" errors="1" skipped="1"', 1), 5, 3],
    [await runReporting('tests="9" failures="0"'), 9, 0],
    // A file that did not load, and a suite that found no test.
    [await runReporting('tests="9" failures="0"', 1), 9, 1],
    [await runReporting('tests="0"'), 0, 1],
    [await run("kill -9 $$", { isCounted: true }), 0, 1],
  ] as const;
  for (const [result, passed, failed] of found) expect(result).toMatchObject({ passed, failed });
  expect(found[0][0].left).toBe(1);
});

test("a suite that cannot be started fails, and a suite with a reason not to run is not run", async () => {
  const missing = await run("", { argv: () => ["/no/such/runner"] });
  expect(missing).toMatchObject({ passed: 0, failed: 1 });
  expect(missing.output).toContain("/no/such/runner");
  const unprepared = await run("", { prepare: () => Promise.reject(new Error("no browser")) });
  expect(unprepared).toMatchObject({ failed: 1, output: "some: Error: no browser\n" });
  const other = await run("exit 1", { prepare: async () => ({ notRun: "no such thing here" }) });
  expect(other).toMatchObject({ passed: 0, failed: 0, notRun: "no such thing here" });
});

test("CPU time beside a suite counts as the suite's, with its child processes", async () => {
  const beside = Bun.spawn(["sh", "-c", "while :; do sh -c :; done"], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  const cpu = () => cpuSecondsBelow(beside.pid);
  await until(async () => (await cpu()) > 0.1);
  const before = await cpu();
  const { cpuSeconds } = await run("", {
    prepare: async () => ({
      env: {},
      cpuSeconds: cpu,
      async close() {
        beside.kill();
        await beside.exited;
      },
    }),
  });
  expect(cpuSeconds).toBeGreaterThanOrEqual(before);
  expect(await cpuSecondsBelow(beside.pid)).toBe(0);
});

test("a process or file that a suite leaves behind is removed and counts as a failure", async () => {
  const pidFile = join(folder, "pid");
  // In a session of its own, as a tmux server is, and with nobody above it.
  const leave = `touch "$TMPDIR/left"; (setsid sleep 61 & echo $! > ${pidFile}) >/dev/null 2>&1`;
  const { passed, failed, output } = await run(leave);
  expect([passed, failed]).toEqual([1, 2]);
  expect(output).toBe("left running: sleep 61\nleft behind: file left\n");
  const pid = Number(await Bun.file(pidFile).text());
  await until(() => !isAlive(pid));
  expect(await readdir(folder)).toEqual(["pid"]);
});

test("a program whose title stands where its environment was is ended too", async () => {
  const pidFile = join(folder, "pid");
  // As sshd does, which writes its title over both.
  const title = `$0 = "title of $ENV{TMPDIR}"; sleep 63`;
  const leave = `(setsid perl -e '${title}' & echo $! > ${pidFile}) >/dev/null 2>&1`;
  const titled = `until grep -q ^title /proc/$(cat ${pidFile})/cmdline; do sleep 0.02; done`;
  expect((await run(`${leave}; ${titled}`)).output).toMatch(/^left running: title of .*\n$/);
  const pid = Number(await Bun.file(pidFile).text());
  await until(() => !isAlive(pid));
});

test("a run that is broken off begins no other suite and leaves nothing", async () => {
  const all = Bun.spawn([process.execPath, "tests/all.ts", "check", "format"], {
    env: { ...process.env, TMPDIR: folder },
    stdout: "pipe",
  });
  const begun = new Bun.Glob("pw-test-*/check/*");
  await until(async () => {
    const names = await Array.fromAsync(begun.scan({ cwd: folder, onlyFiles: false }));
    return names.length > 0;
  });
  all.kill("SIGINT");
  expect(await all.exited).toBe(130);
  expect(await readdir(folder)).toEqual([]);
  expect(await new Response(all.stdout).text()).not.toContain("format");
});

test("a left tmux server, socket and folder are each reported", async () => {
  // The server has a place of the run alone, whoever forgot to give it one.
  const leave = [
    "tmux -f /dev/null new-session -d 'exec sleep 62'",
    'mkdir "$TMPDIR/empty"',
    `${process.execPath} -e 'Bun.listen({ unix: process.env.TMPDIR + "/sock", socket: { data() {} } }); process.kill(process.pid, "SIGKILL")'`,
  ];
  const { output, failed } = await run(`(${leave.join("; ")}; true) 2>/dev/null`);
  const lines = output.trimEnd().split("\n").toSorted();
  expect(lines).toEqual([
    "left behind: folder empty",
    expect.stringMatching(/^left behind: folder tmux-\d+$/),
    "left behind: socket sock",
    "left running: sleep 62",
    expect.stringMatching(/^left running: tmux /),
  ]);
  expect(failed).toBe(lines.length);
});

test("in the system's temporary folder only our own names and tmux sockets are reported", async () => {
  const sockets = join(folder, `tmux-${process.getuid?.()}`);
  for (const name of ["panewatch-a", "pw-test-b", "wsp-c", "somebody-else", sockets])
    await mkdir(join(name === sockets ? "" : folder, name));
  await Bun.write(join(sockets, "default"), "");
  expect((await ownNames(folder)).toSorted()).toEqual([
    ...["panewatch-a", "pw-test-b"].map((name) => join(folder, name)),
    join(sockets, "default"),
    join(folder, "wsp-c"),
  ]);
});

test("a test run elsewhere is noticed, a run in the own folder is not", async () => {
  // The name is all that is looked at.
  const start = (TMPDIR: string) =>
    Bun.spawn(["sleep", "60"], { argv0: "bun test", env: { ...process.env, TMPDIR } });
  const [other, own] = [start("/nowhere"), start(join(folder, "own"))];
  try {
    await until(async () => (await runsElsewhere(join(folder, "own"))) || null);
    expect(await runsElsewhere("/")).toBe(false);
  } finally {
    for (const child of [other, own]) child.kill();
    await Promise.all([other.exited, own.exited]);
  }
});
