import { beforeEach, expect, test } from "bun:test";
import { mkdir, open, symlink } from "node:fs/promises";
import { join } from "node:path";
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

function watched(processes: () => PaneProcess[] | Error = () => []) {
  let now = 0;
  let asked = 0;
  const panes = new ObservedPanes({
    processes: async () => {
      asked += 1;
      const found = processes();
      if (found instanceof Error) throw found;
      return found;
    },
    statusHome: () => null,
    monotonic: () => now,
    log: { warn: () => {} },
  });
  return {
    asked: () => asked,
    async see(members: Partial<PaneState>, seconds = 0) {
      now += seconds;
      const state = pane({ kind: "agent_b", cwd: folder, ...members });
      const { id, target } = state;
      const [found] = await panes.read([{ identity: id, id, target, isShown: true, state }]);
      return found;
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
