import { beforeEach, describe, expect, test } from "bun:test";
import { mkdir, open, realpath, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  claimsOf,
  isRunning,
  parseStatusFile,
  type ProcessFacts,
  readProcesses,
  readStatusFiles,
  readVariables,
  withOpenFiles,
} from "../../src/agents/binding/processes.ts";
import { until } from "../support/until.ts";
import { ObservedPanes, realFolder } from "../../src/agents/binding/observed-panes.ts";
import { lateLook } from "../support/late-look.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import type { PaneProcess } from "../../src/terminal/provider.ts";
import { pane } from "../support/pane.ts";
import { temporary } from "../support/temporary.ts";

const ID = "01a20060-f4fb-74c1-8f5f-68b1e185002b";

let folder = "";
beforeEach(async () => {
  folder = await temporary("observed");
});

function openPanes(
  processes: () => PaneProcess[] | Error = () => [],
  statusHome: string | null = null,
) {
  let now = 0;
  let listings = 0;
  const panes = new ObservedPanes({
    processes: async () => {
      listings += 1;
      const found = processes();
      if (found instanceof Error) throw found;
      return found;
    },
    statusHome: () => statusHome,
    clock: { monotonic: () => now },
    log: { warn: () => {} },
  });
  const look = async (state: PaneState, seconds = 0) => {
    now += seconds;
    const { id } = state;
    const [found] = await panes.read([{ identity: id, isShown: true, state }]);
    return found;
  };
  return {
    panes,
    look,
    listings: () => listings,
    async see(members: Partial<PaneState>, seconds = 0) {
      now += seconds;
      const state = pane({ kind: "agent_b", cwd: folder, ...members });
      return look(state);
    },
  };
}

test("processes are listed at most every two seconds, however often the screen changes", async () => {
  const { panes, see, listings } = openPanes();
  expect(panes.isRunning(null)).toBe(false);
  await see({ lines: ["one"] });
  await see({ lines: ["two"] }, 1.9);
  expect(listings()).toBe(1);
  await see({ lines: ["three"] }, 0.1);
  expect(listings()).toBe(2);
  await see({ lines: ["four"] }, 1.9);
  expect(listings()).toBe(2);
});

test("a failed capture or a failed list of processes keeps the pane as last observed", async () => {
  let answer: PaneProcess[] | Error = [];
  const { see } = openPanes(() => answer);
  const first = await see({ lines: ["one"] });
  expect(first?.state.lines).toEqual(["one"]);
  expect(await see({ lines: ["lost"], stale: true }, 5)).toBe(first);
  answer = new Error("no processes");
  expect(await see({ lines: ["two"] }, 5)).toBe(first);
  expect(await see({ kind: "generic" }, 5)).toBeUndefined();
});

test("a lock that the program holds open is a claim, and a linked folder on its screen is resolved", async () => {
  const locks = join(folder, "thread-writer-locks");
  await mkdir(locks);
  await symlink(locks, join(folder, "link"));
  await using _held = await open(join(locks, `${ID}.lock`), "w");
  const args = ["codex"];
  const { see } = openPanes(() => [{ pid: process.pid, startedAt: 0, args }]);
  const lines = ["› Ask", `  medium · ${join(folder, "link")}`];
  const seen = await see({ lines });
  expect(seen?.claims.held).toEqual([ID]);
  expect(seen?.drawnFolder).toBe(locks);
});

test("an observed pane stays the same object until its state or its processes differ", async () => {
  let found: PaneProcess[] = [];
  const { look } = openPanes(() => found);
  const state = pane({ kind: "agent_b", cwd: folder });
  const first = await look(state);
  expect(await look(state)).toBe(first);
  expect(await look(state, 3)).toBe(first);
  const elsewhere = { ...state, target: "elsewhere:1.1" };
  const moved = await look(elsewhere, 3);
  expect([moved === first, moved?.target]).toEqual([false, "elsewhere:1.1"]);
  found = [{ pid: process.pid, startedAt: 5, args: ["codex"] }];
  const started = await look(elsewhere, 3);
  expect([started === moved, started?.startedAt]).toEqual([false, 5]);
  expect(await look({ ...elsewhere })).not.toBe(started);
});

const OTHER = "01a20060-f4fb-74c1-8f5f-68b1e185002c";

function facts(members: Partial<ProcessFacts>): ProcessFacts {
  return {
    pid: 10,
    parent: 1,
    args: ["codex"],
    startTicks: "500",
    startedAt: 1000,
    cwd: "/shop",
    openFiles: [],
    ...members,
  };
}

const status = { pid: 10, procStart: "500", startedAt: 1001, sessionId: ID, status: null };

test("a status file counts only for the live process with its pid and start time", () => {
  const named = (process: Partial<ProcessFacts>, file = status) =>
    claimsOf("agent_a", [facts(process)], [file]).status?.sessionId ?? null;
  expect(named({})).toBe(ID);
  expect(named({ startTicks: "501" })).toBe(null);
  expect(named({ pid: 11 })).toBe(null);
  expect(named({ startTicks: null })).toBe(ID);
  expect(named({ startTicks: null, startedAt: 1031 })).toBe(ID);
  expect(named({ startTicks: null, startedAt: 1032 })).toBe(null);
  expect(named({ startTicks: null, startedAt: null })).toBe(null);
});

test("a log, a lock or a task folder that a process holds open names its session", () => {
  const heldSessions = (runtime: "agent_a" | "agent_b", path: string) =>
    claimsOf(runtime, [facts({ openFiles: [path] })], []).held;
  const log = `/home/dev/.codex/sessions/2026/11/21/rollout-2026-11-21T23-12-57-${ID}`;
  expect(heldSessions("agent_b", `${log}.jsonl`)).toEqual([ID]);
  expect(heldSessions("agent_b", `${log}_${OTHER}.jsonl`)).toEqual([ID]);
  expect(heldSessions("agent_b", `/home/dev/.codex/thread-writer-locks/${ID}.lock`)).toEqual([ID]);
  expect(heldSessions("agent_a", `/tmp/claude-1000/-home-dev-shop/${ID}/tasks`)).toEqual([ID]);
  expect(heldSessions("agent_b", "/home/dev/.codex/state_5.sqlite")).toEqual([]);
  expect(heldSessions("agent_a", `${log}.jsonl`)).toEqual([]);
});

test("files held open by a daemon and its children prove nothing of the pane above them", () => {
  const openFiles = [`/home/dev/.codex/thread-writer-locks/${ID}.lock`];
  const daemon = facts({ pid: 12, parent: 10, args: ["codex", "app-server"], openFiles });
  const child = facts({ pid: 11, parent: 12, openFiles });
  expect(claimsOf("agent_b", [child, facts({}), daemon], []).held).toEqual([]);
});

test("the arguments of a program name the session that it resumes or forks", () => {
  const start = (runtime: "agent_a" | "agent_b", ...args: string[]) => {
    const { startedWith, forkedFrom } = claimsOf(runtime, [facts({ args })], []);
    return { startedWith, forkedFrom };
  };
  const goesOn = { startedWith: ID, forkedFrom: null };
  const copies = { startedWith: null, forkedFrom: ID };
  const nothing = { startedWith: null, forkedFrom: null };
  expect(start("agent_b", "codex", "resume", ID)).toEqual(goesOn);
  expect(start("agent_b", "codex", "fork", ID)).toEqual(copies);
  expect(start("agent_b", "codex", "resume", "--last")).toEqual(nothing);
  expect(start("agent_a", "claude", "--resume", ID)).toEqual(goesOn);
  expect(start("agent_a", "claude", `--resume=${ID}`)).toEqual(goesOn);
  expect(start("agent_a", "claude", "--session-id", ID)).toEqual(goesOn);
  expect(start("agent_a", "claude", "-r", ID, "--fork-session")).toEqual(copies);
  expect(start("agent_a", "claude", "--resume", "my title")).toEqual(nothing);
  expect(start("agent_a", "claude", "resume", ID)).toEqual(nothing);
  expect(start("agent_a", "claude", "--verbose", ID)).toEqual(nothing);
  expect(start("agent_b", "codex", "--resume", ID)).toEqual(nothing);
  expect(start("agent_b", "codex", "--cd", ID)).toEqual(nothing);
});

test("an id elsewhere in the arguments of a program names no session", () => {
  const started = (...args: string[]) => claimsOf("agent_a", [facts({ args })], []).startedWith;
  expect(started("claude", `resume=${ID}`)).toBeNull();
  expect(started("claude", `--other=--resume=${ID}`)).toBeNull();
  expect(started("claude", "--resume=", ID)).toBeNull();
  expect(started("claude", "--verbose=1", `--session-id=${ID}`)).toBe(ID);
});

const TEXT = JSON.stringify({
  pid: 7,
  sessionId: "d598256f",
  procStart: "158669",
  startedAt: 1795302400604,
  status: "busy",
  unknown: { of: "later" },
});

test("a status file is read despite unknown fields and an unknown status, and ignored when malformed", () => {
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

test("a torn status file is read again up to four times, and one of over 64 KiB is ignored", async () => {
  await mkdir(join(folder, "sessions"));
  const path = join(folder, "sessions", "7.json");
  await writeFile(path, TEXT.slice(0, 40));
  let reads = 0;
  expect(await readStatusFiles(folder, [7], async () => void reads++)).toEqual([]);
  expect(reads).toBe(4);
  const found = await readStatusFiles(folder, [7, 8], () => writeFile(path, TEXT));
  expect(found.map(({ pid }) => pid)).toEqual([7]);
  const sized = async (bytes: number) => {
    await writeFile(path, TEXT.padEnd(bytes));
    return (await readStatusFiles(folder, [7], async () => {})).length;
  };
  expect([await sized(64 * 1024), await sized(64 * 1024 + 1)]).toEqual([1, 0]);
});

test("a status file that is a pipe or a link is not waited for", async () => {
  await mkdir(join(folder, "sessions"), { recursive: true });
  const at = (pid: number) => join(folder, "sessions", `${pid}.json`);
  await Bun.$`mkfifo ${at(7)}`;
  await symlink("/dev/zero", at(8));
  await writeFile(at(9), TEXT.replace('"pid":7', '"pid":9'));
  // A read that hangs would keep one of the few threads that read files.
  const found = await readStatusFiles(folder, [7, 8, 9], async () => {});
  expect(found.map(({ pid }) => pid)).toEqual([9]);
});

test("facts of a process that only Linux gives are empty on other systems", async () => {
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

test("the data folder of a program is read from its environment, unless its path is not absolute", async () => {
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

describe.if(process.platform === "linux")("processes on Linux", () => {
  test("a status file in the data folder named by the program's environment names its session", async () => {
    await mkdir(join(folder, "sessions"));
    const env = { CLAUDE_CONFIG_DIR: folder, CODEX_HOME: folder };
    const child = Bun.spawn(["sleep", "60"], { env });
    const known = [{ pid: child.pid, startedAt: null, args: ["claude"] }];
    try {
      const facts = await until(async () => {
        const [own] = await readProcesses(known, "linux");
        return own?.args[0] === "sleep" ? own : null;
      });
      const status = { pid: child.pid, sessionId: ID, procStart: facts.startTicks };
      await writeFile(join(folder, "sessions", `${child.pid}.json`), JSON.stringify(status));
      const seen = async (kind: "agent_a" | "agent_b") => {
        const found = await openPanes(() => known).see({ kind });
        return [found?.home, found?.claims.status?.sessionId ?? null];
      };
      expect(await seen("agent_a")).toEqual([folder, ID]);
      expect(await seen("agent_b")).toEqual([folder, null]);
    } finally {
      child.kill();
    }
  });

  test("open files are not read when a status file names the session", async () => {
    const tasks = join(folder, "claude-1", "shop", ID, "tasks");
    await mkdir(tasks, { recursive: true });
    await using _held = await open(tasks);
    const known = [{ pid: process.pid, startedAt: null, args: ["claude"] }];
    const claims = async () =>
      (await openPanes(() => known, folder).see({ kind: "agent_a" }))?.claims;
    expect(await claims()).toMatchObject({ status: null, held: [ID] });
    const [own] = await readProcesses(known, "linux");
    const status = { pid: process.pid, sessionId: "named", procStart: own?.startTicks };
    await mkdir(join(folder, "sessions"));
    await writeFile(join(folder, "sessions", `${process.pid}.json`), JSON.stringify(status));
    expect(await claims()).toMatchObject({ status: { sessionId: "named" }, held: [] });
  });

  test("a live process is read with its parent, arguments, start, folder and open files, an ended one is not", async () => {
    const file = join(folder, "held.txt");
    await writeFile(file, "");
    const child = Bun.spawn(["sleep", "60"], { stdin: Bun.file(file), cwd: tmpdir() });
    const known = [{ pid: child.pid, startedAt: 5, args: ["sleep"] }];
    const read = async () => (await withOpenFiles(await readProcesses(known, "linux")))[0] ?? null;
    // Between fork and exec a process has no arguments.
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
  });

  test("children of a process are read once each, beside processes that have ended or are named twice", async () => {
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
  });

  test("a process is running only if its pid lives and has the same start", async () => {
    const [own] = await readProcesses([{ pid: process.pid, startedAt: null, args: [] }], "linux");
    expect(isRunning(process.pid, own?.startTicks)).toBe(true);
    expect(isRunning(process.pid, "1")).toBe(false);
    expect(isRunning(process.pid, null)).toBe(true);
    const ended = Bun.spawn(["true"]);
    await ended.exited;
    expect(isRunning(ended.pid, null)).toBe(false);
  });

  test("of many processes only the first 48 are read", async () => {
    const read = async (before: number) => {
      // Larger than any pid of Linux.
      const ended = Array.from({ length: before }, (_, index) => 2 ** 22 + 1 + index);
      const known = [...ended, process.pid].map((pid) => ({ pid, startedAt: null, args: [] }));
      const found = await readProcesses(known, "linux");
      return found.some(({ pid }) => pid === process.pid);
    };
    expect([await read(47), await read(48)]).toEqual([true, false]);
  });
});

test("a folder keeps its path while a disk does not answer, and then gets its real one", async () => {
  const link = join(folder, "link");
  await symlink("/", link);
  expect(await realFolder(link)).toBe("/");
  const { look, others, answer } = await lateLook("/", () => [realFolder(link)]);
  expect(await Promise.all([look, ...others])).toEqual(["timed_out", link]);
  answer();
  await until(async () => (await realFolder(link)) === "/");
});
