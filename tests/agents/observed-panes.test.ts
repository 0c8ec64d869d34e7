import { beforeEach, expect, test } from "bun:test";
import { mkdir, open, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readProcesses } from "../../src/agents/binding/processes.ts";
import { until } from "../support/until.ts";
import { ObservedPanes } from "../../src/agents/binding/observed-panes.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import type { PaneProcess } from "../../src/terminal/provider.ts";
import { pane } from "../support/pane.ts";
import { temporary } from "../support/temporary.ts";

const ID = "01a20060-f4fb-74c1-8f5f-68b1e185002b";

let folder = "";
beforeEach(async () => {
  folder = await temporary("observed");
});

test("nothing runs where no program was seen", () => {
  expect(watched().panes.isRunning(null)).toBe(false);
});

function watched(
  processes: () => PaneProcess[] | Error = () => [],
  statusHome: string | null = null,
) {
  let now = 0;
  let asked = 0;
  const panes = new ObservedPanes({
    processes: async () => {
      asked += 1;
      const found = processes();
      if (found instanceof Error) throw found;
      return found;
    },
    statusHome: () => statusHome,
    monotonic: () => now,
    log: { warn: () => {} },
  });
  const look = async (state: PaneState, target = state.target, seconds = 0) => {
    now += seconds;
    const { id } = state;
    const [found] = await panes.read([{ identity: id, id, target, isShown: true, state }]);
    return found;
  };
  return {
    panes,
    look,
    asked: () => asked,
    async see(members: Partial<PaneState>, seconds = 0) {
      now += seconds;
      const state = pane({ kind: "agent_b", cwd: folder, ...members });
      return look(state);
    },
  };
}

test("processes are asked again after two seconds, however often the screen changes", async () => {
  const { see, asked } = watched();
  await see({ lines: ["one"] });
  await see({ lines: ["two"] }, 1.9);
  expect(asked()).toBe(1);
  await see({ lines: ["three"] }, 0.1);
  expect(asked()).toBe(2);
  await see({ lines: ["four"] }, 1.9);
  expect(asked()).toBe(2);
});

test("a failed capture or a failed look at the processes proves nothing", async () => {
  let answer: PaneProcess[] | Error = [];
  const { see } = watched(() => answer);
  const first = await see({ lines: ["one"] });
  expect(first?.state.lines).toEqual(["one"]);
  expect(await see({ lines: ["lost"], stale: true }, 5)).toBe(first);
  answer = new Error("no processes");
  expect(await see({ lines: ["two"] }, 5)).toBe(first);
  expect(await see({ kind: "generic" }, 5)).toBeUndefined();
});

test("what the program holds open is a claim, and the folder that it draws is the real one", async () => {
  const locks = join(folder, "thread-writer-locks");
  await mkdir(locks);
  await symlink(locks, join(folder, "link"));
  await using _held = await open(join(locks, `${ID}.lock`), "w");
  const args = ["codex"];
  const { see } = watched(() => [{ pid: process.pid, startedAt: 0, args }]);
  const lines = ["› Ask", `  medium · ${join(folder, "link")}`];
  const seen = await see({ lines });
  expect(seen?.claims.held).toEqual([ID]);
  expect(seen?.drawnFolder).toBe(locks);
});

test("a pane stays the same object until its state, its target or its processes differ", async () => {
  let found: PaneProcess[] = [];
  const { look } = watched(() => found);
  const state = pane({ kind: "agent_b", cwd: folder });
  const first = await look(state);
  expect(await look(state)).toBe(first);
  expect(await look(state, state.target, 3)).toBe(first);
  const moved = await look(state, "elsewhere:1.1", 3);
  expect([moved === first, moved?.target]).toEqual([false, "elsewhere:1.1"]);
  found = [{ pid: process.pid, startedAt: 5, args: ["codex"] }];
  const started = await look(state, "elsewhere:1.1", 3);
  expect([started === moved, started?.starts]).toEqual([false, [5]]);
  expect(await look({ ...state }, "elsewhere:1.1")).not.toBe(started);
});

test.if(process.platform === "linux")(
  "a status file in the data folder that its program was told of names its session",
  async () => {
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
        const found = await watched(() => known).see({ kind });
        return [found?.home, found?.claims.status?.sessionId ?? null];
      };
      expect(await seen("agent_a")).toEqual([folder, ID]);
      expect(await seen("agent_b")).toEqual([folder, null]);
    } finally {
      child.kill();
    }
  },
);

test.if(process.platform === "linux")(
  "where a status file says it, nobody asks which files are open",
  async () => {
    const tasks = join(folder, "claude-1", "shop", ID, "tasks");
    await mkdir(tasks, { recursive: true });
    await using _held = await open(tasks);
    const known = [{ pid: process.pid, startedAt: null, args: ["claude"] }];
    const claims = async () =>
      (await watched(() => known, folder).see({ kind: "agent_a" }))?.claims;
    expect(await claims()).toMatchObject({ status: null, held: [ID] });
    const [own] = await readProcesses(known, "linux");
    const status = { pid: process.pid, sessionId: "named", procStart: own?.startTicks };
    await mkdir(join(folder, "sessions"));
    await writeFile(join(folder, "sessions", `${process.pid}.json`), JSON.stringify(status));
    expect(await claims()).toMatchObject({ status: { sessionId: "named" }, held: [] });
  },
);
