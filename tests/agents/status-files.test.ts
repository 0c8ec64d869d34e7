import { expect, test } from "bun:test";
import { mkdir, writeFile, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  isRunning,
  parseStatusFile,
  readProcesses,
  readStatusFiles,
  readVariables,
  withOpenFiles,
} from "../../src/agents/binding/processes.ts";
import { until } from "../support/until.ts";
import { temporary } from "../support/temporary.ts";

const TEXT = JSON.stringify({
  pid: 7,
  sessionId: "d598256f",
  procStart: "158669",
  startedAt: 1795302400604,
  status: "busy",
  unknown: { of: "later" },
});

test("a status file is read for what is needed of it, also where its words are new", () => {
  expect(parseStatusFile(TEXT)).toEqual({
    pid: 7,
    sessionId: "d598256f",
    procStart: "158669",
    startedAt: 1795302400.604,
    status: "busy",
  });
  expect(parseStatusFile(TEXT.replace("busy", "dreaming"))?.status).toBe(null);
  for (const text of ["", "{", "[]", '{"pid":"7"}']) expect(parseStatusFile(text)).toBe(null);
});

test("a torn status file is read again, and one that stays torn is none", async () => {
  const home = await temporary("status");
  await mkdir(join(home, "sessions"));
  const path = join(home, "sessions", "7.json");
  await writeFile(path, TEXT.slice(0, 40));
  let reads = 0;
  expect(await readStatusFiles(home, [7], async () => void reads++)).toEqual([]);
  expect(reads).toBe(4);
  const found = await readStatusFiles(home, [7, 8], () => writeFile(path, TEXT));
  expect(found.map(({ pid }) => pid)).toEqual([7]);
  const sized = async (bytes: number) => {
    await writeFile(path, TEXT.padEnd(bytes));
    return (await readStatusFiles(home, [7], async () => {})).length;
  };
  expect([await sized(64 * 1024), await sized(64 * 1024 + 1)]).toEqual([1, 0]);
});

test.if(process.platform === "linux")(
  "the system tells of a process and what it holds open",
  async () => {
    const file = join(await temporary("held"), "held.txt");
    await writeFile(file, "");
    const child = Bun.spawn(["sleep", "60"], { stdin: Bun.file(file), cwd: tmpdir() });
    const known = [{ pid: child.pid, startedAt: 5, args: ["sleep"] }];
    const read = async () => (await withOpenFiles(await readProcesses(known, "linux")))[0] ?? null;
    // Between its birth and its program it has no arguments.
    const facts = await until(async () => {
      const found = await read();
      return found?.args[0] === "sleep" ? found : null;
    });
    expect(facts).toMatchObject({ pid: child.pid, parent: process.pid, startedAt: 5 });
    expect(facts?.args).toEqual(["sleep", "60"]);
    expect(facts?.startTicks).toMatch(/^\d+$/);
    expect(facts?.cwd).toBe(await realpath(tmpdir()));
    expect(facts?.openFiles).toContain(file);
    child.kill();
    await child.exited;
    expect(await readProcesses(known, "linux")).toEqual([]);
  },
);

test("elsewhere nothing is made up", async () => {
  const known = [{ pid: 3, startedAt: 5, args: ["claude"] }];
  expect(await readProcesses(known, "darwin")).toEqual([
    {
      ...{ pid: 3, parent: 0, args: ["claude"], startedAt: 5 },
      startTicks: null,
      cwd: null,
      openFiles: [],
    },
  ]);
});

test("a program's own data folder is read from its environment", async () => {
  const env = { ...process.env, CODEX_HOME: "/somewhere/else", CLAUDE_CONFIG_DIR: "not absolute" };
  const child = Bun.spawn(["sleep", "60"], { env });
  try {
    const read = () => readVariables(child.pid, ["CODEX_HOME", "CLAUDE_CONFIG_DIR"]);
    await until(async () => (await read())[0]);
    expect(await read()).toEqual(["/somewhere/else", null]);
  } finally {
    child.kill();
  }
});

test.if(process.platform === "linux")(
  "processes are followed downwards past those that are named twice or have ended",
  async () => {
    const ended = Bun.spawn(["true"]);
    await ended.exited;
    const script = "sh -c 'sleep 60 & wait' & wait";
    const outer = Bun.spawn(["sh", "-c", script], { detached: true });
    const known = (pid: number) => ({ pid, startedAt: null, args: ["sh"] });
    try {
      const chain = await until(async () => {
        const found = await readProcesses([known(outer.pid)], "linux");
        return found.length === 3 && found[2]?.args[0] === "sleep" ? found : null;
      });
      const [, inner, sleep] = chain;
      expect([inner?.parent, sleep?.parent]).toEqual([outer.pid, inner?.pid]);
      const twice = [known(ended.pid), known(outer.pid), known(inner?.pid ?? 0)];
      const pids = (await readProcesses(twice, "linux")).map(({ pid }) => pid);
      expect(pids).toEqual(chain.map(({ pid }) => pid));
    } finally {
      process.kill(-outer.pid);
    }
  },
);

test.if(process.platform === "linux")(
  "a process is the one that it was by its number and start",
  async () => {
    const [own] = await readProcesses([{ pid: process.pid, startedAt: null, args: [] }], "linux");
    expect(isRunning(process.pid, own?.startTicks)).toBe(true);
    expect(isRunning(process.pid, "1")).toBe(false);
    expect(isRunning(process.pid, null)).toBe(true);
    const ended = Bun.spawn(["true"]);
    await ended.exited;
    expect(isRunning(ended.pid, null)).toBe(false);
  },
);

test.if(process.platform === "linux")("of many processes the first 48 are looked at", async () => {
  const read = async (before: number) => {
    // Larger than any number that Linux gives.
    const ended = Array.from({ length: before }, (_, index) => 2 ** 22 + 1 + index);
    const known = [...ended, process.pid].map((pid) => ({ pid, startedAt: null, args: [] }));
    const found = await readProcesses(known, "linux");
    return found.some(({ pid }) => pid === process.pid);
  };
  expect([await read(47), await read(48)]).toEqual([true, false]);
});
