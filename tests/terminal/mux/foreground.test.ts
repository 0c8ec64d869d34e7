import { expect, test } from "bun:test";
import { Foreground } from "../../../src/terminal/mux/foreground.ts";
import { ProcessTable } from "../../../src/terminal/mux/process-table.ts";
import { sendSteps } from "../../../src/terminal/mux/send.ts";
import { PrivateTmux } from "../../support/tmux.ts";
import { until } from "../../support/until.ts";

// `ps -A -o pid=,ppid=,pgid=,tpgid=,lstart=,command=`: the pane's shell 100 has started npx in front, which
// started a shell and node in its own group; a tool of node runs in a group of its own.
const TABLE = `
  100    1   100  200 Sun Nov 22 01:24:07 2026 -zsh
  200  100   200  200 Sun Nov 22 01:24:07 2026 npm exec some-agent
  201  200   200  200 Sun Nov 22 01:24:07 2026 sh -c some-agent --flag
  202  201   200  200 Sun Nov 22 01:24:07 2026 node /usr/lib/some-agent/cli.js --flag
  300  202   300  200 Sun Nov 22 01:24:07 2026 git status
  400  100   400  200 Sun Nov 22 01:24:07 2026 sleep 100
  500    1   500   -1 Sun Nov 22 01:24:07 2026 /usr/sbin/daemon
no process line
`;

/** The foreground of a pane with this process id, by a process table. */
function frontOf(pid: number, text = TABLE) {
  const agesMs = { now: 0, recent: 0 };
  const table = new ProcessTable({ read: async () => text, agesMs });
  return table.processes(pid, "now");
}
const argsOf = async (pid: number, text?: string) =>
  (await frontOf(pid, text)).map(({ args }) => args);

test("the foreground of a pane is the chain from the group's leader down, inside that group", async () => {
  expect(await argsOf(100)).toEqual([
    ["npm", "exec", "some-agent"],
    ["sh", "-c", "some-agent", "--flag"],
    ["node", "/usr/lib/some-agent/cli.js", "--flag"],
  ]);
});

test("what a script starts beside a helper that runs on is in the foreground too", async () => {
  const started = "  203  200   200  200 Sun Nov 22 01:24:07 2026 other-agent\n";
  expect(await argsOf(100, TABLE + started)).toContainEqual(["other-agent"]);
});

test("a foreground process has its number and its start time", async () => {
  const [first] = await frontOf(100);
  const startedAt = new Date(2026, 10, 22, 1, 24, 7).getTime() / 1000;
  expect(first).toMatchObject({ pid: 200, startedAt });
});

test("a pipeline whose first process has ended still has its other processes in the foreground", async () => {
  const less = "  601  100   600  600 Sun Nov 22 01:24:07 2026 less\n";
  const text = TABLE.replace("100    1   100  200", "100    1   100  600") + less;
  expect(await argsOf(100, text)).toEqual([["less"]]);
});

test("a program to which sudo gave a terminal of its own is in the foreground behind it", async () => {
  const inner = "  601  600   601  601 Sun Nov 22 01:24:07 2026 some-agent\n";
  const sudo = "  600  100   600  600 Sun Nov 22 01:24:07 2026 sudo some-agent\n";
  const text = TABLE.replace("100    1   100  200", "100    1   100  600") + sudo + inner;
  expect(await argsOf(100, text)).toEqual([["sudo", "some-agent"], ["some-agent"]]);
});

test("a pane process without a terminal, or one that has ended, has no foreground", async () => {
  expect([await frontOf(500), await frontOf(999)]).toEqual([[], []]);
});

test("a chain of processes is bounded, also when it is circular", async () => {
  const circle = "10 11 10 10 Sun Nov  1 01:24:07 2026 a\n11 10 10 10 Sun Nov  1 01:24:07 2026 b\n";
  expect((await frontOf(10, circle)).length).toBeLessThanOrEqual(8);
});

test("a job in the background is not in the foreground until fg", async () => {
  const tmux = await PrivateTmux.start({ width: 80, height: 20 });
  try {
    const id = await tmux.open(["exec bash --norc -i"]);
    const pid = Number(await tmux.format(id, "#{pane_pid}"));
    const enter = { do: "key", key: "Enter" } as const;
    const type = (text: string) => sendSteps(tmux.feed, id, [{ do: "text", text }, enter], null);
    await type("sleep 1234 & echo ready $((1 + 1))");
    await until(async () => (await tmux.screen(id)).includes("ready 2"));
    const read = async () => (await new Foreground().processes(pid, "now")).map(({ args }) => args);
    expect(await read()).toEqual([["bash", "--norc", "-i"]]);
    await type("fg");
    await until(async () => (await read())[0]?.includes("1234"));
    expect(await read()).toEqual([["sleep", "1234"]]);
  } finally {
    await tmux.stop();
  }
});
