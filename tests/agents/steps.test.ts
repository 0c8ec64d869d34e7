import { expect, test } from "bun:test";
import { StepReader } from "../../src/agents/logs/steps.ts";
import { Step } from "../../src/protocol/agents.ts";
import { recordingOf } from "./support/recordings.ts";
import { CLAUDE_LOG, CODEX_LOG, line, openLogs, promptLine } from "./support/records.ts";

/** An object that cannot be turned into text. */
const NO_TEXT = { toString: "nothing" };
const BEGIN = Date.UTC(2026, 10, 1) / 1000;

/** Records of Claude Code, seconds after the begin. */
const call = (seconds: number, id: string, name: string, input: object) =>
  promptLine("", BEGIN + seconds, {
    type: "assistant",
    message: { role: "assistant", content: [{ type: "tool_use", id, name, input }] },
  });
const result = (seconds: number, id: string, toolUseResult: unknown = {}, is_error = false) => {
  const block = { type: "tool_result", tool_use_id: id, content: "secret output", is_error };
  const message = { role: "user", content: [block] };
  return promptLine("", BEGIN + seconds, { message, toolUseResult });
};

async function stepsIn(files: ReadonlyMap<string, Uint8Array | string>, retainedFrom = 0) {
  const { store, replay } = await openLogs();
  const paths = [];
  for (const [path, bytes] of files) paths.push(await replay.write(path, bytes));
  await replay.read();
  const reader = new StepReader({ store, retainedFrom: () => retainedFrom });
  const [id = ""] = store.sessions.ids();
  return { replay, reader, id, path: paths[0] ?? "" };
}

/** All steps of one log with these records. */
async function stepsOf(path: string, ...records: string[]): Promise<Step[]> {
  const { reader, id, replay } = await stepsIn(new Map([[path, records.join("")]]));
  await using _ = replay;
  return (await reader.around(id, null)).steps;
}

/** A record of Codex, seconds after the begin. */
const record = (seconds: number, type: string, payload: object) =>
  line({ timestamp: new Date((BEGIN + seconds) * 1000).toISOString(), type, payload });
const META = record(0, "session_meta", { id: "session-1", cwd: "/home/dev/shop" });

const brief = ({ kind, title, added, removed, state }: Step) =>
  [kind, title, ...(added === null ? [] : [`+${added} -${removed}`]), state].join(" ");

const RECORDED: readonly (readonly ["agent-a" | "agent-b", string, readonly string[]])[] = [
  [
    "agent-a",
    "permission-approve-deny",
    [
      "run node -e \"setTimeout(() => console.log(12, 'passed'), 3000)\" done",
      "run rm -rf build denied",
    ],
  ],
  [
    "agent-a",
    "plan-approved",
    ["edit /home/dev/.claude/plans/plan-a-discount-flag-nifty-dongarra.md +5 -0 done"],
  ],
  ["agent-a", "subagent", ["task Count the exports done"]],
  ["agent-a", "todos", ["run sleep 2; echo read done", "run sleep 2; echo added done"]],
  ["agent-a", "question-multi", []],
  [
    "agent-b",
    "permission-approve-deny",
    ["run echo tests; sleep 3; echo 12 passed done", "run rm -rf build denied"],
  ],
  ["agent-b", "queued-message", ["run sleep 5; echo ok done"]],
  ["agent-b", "killed-all-mid-turn", ["run sleep 8; echo slept running"]],
  ["agent-b", "todos", ["run sleep 2; echo read done", "run sleep 2; echo added done"]],
  ["agent-b", "v0.60.1-permission-shell", ['run node -e "console.log(12)" done']],
];

test.each(RECORDED)(
  "the recording %s/%s gives its commands, edits and tasks as steps",
  async (runtime, name, expected) => {
    const { reader, id, replay } = await stepsIn(recordingOf(runtime, name).files);
    await using _ = replay;
    const list = await reader.around(id, null);
    expect(list.steps.map(brief)).toEqual([...expected]);
    expect([list.from, list.to]).toEqual([null, null]);
    for (const step of list.steps) expect(Step.parse(step)).toEqual(step);
  },
);

test("steps name what each tool did and its state, and never its output", async () => {
  const patch = [{ lines: [" a", "-b", NO_TEXT, "+c", "+d"] }];
  const steps = await stepsOf(
    CLAUDE_LOG,
    promptLine("Go on.", BEGIN + 1),
    call(2, "t1", "Read", { file_path: "/home/dev/shop/src/cart.ts" }),
    result(3, "t1"),
    call(4, "t2", "Edit", { file_path: "/home/dev/shop/src/cart.ts" }),
    result(5, "t2", { structuredPatch: patch }),
    call(6, "t3", "Bash", { command: "npm test\nnpm run lint" }),
    result(7, "t3", {}, true),
    call(8, "t4", "Grep", { pattern: "refund\\(" }),
    call(9, "t5", "mcp__db__query", { sql: "select 1" }),
    call(10, "t6", "TodoWrite", { todos: [] }),
  );
  expect(steps.map(brief)).toEqual([
    "read src/cart.ts done",
    "edit src/cart.ts +2 -1 done",
    "run npm test failed",
    "search refund\\( running",
    "other mcp__db__query running",
  ]);
  expect(steps[0]?.at).toBe(BEGIN + 2);
  expect(JSON.stringify(steps)).not.toContain("secret");
});

test.each([
  ["2.1.332", true, "denied"],
  ["2.1.332", undefined, "failed"],
  // It does not tell.
  ["2.1.319", undefined, "denied"],
])(
  "a call that the person stopped in Claude Code %s (before it ran: %p) is %s",
  async (version, toolDenialBeforeRun, state) => {
    const content = "The user doesn't want to proceed with this tool use.";
    const block = { type: "tool_result", tool_use_id: "t1", is_error: true, content };
    const end = promptLine("", BEGIN + 9, {
      ...{ version, toolDenialBeforeRun, toolDenialKind: "user-rejected" },
      message: { role: "user", content: [block] },
    });
    const steps = await stepsOf(
      CLAUDE_LOG,
      promptLine("Go on.", BEGIN + 1),
      call(2, "t1", "Bash", { command: "npm test" }),
      end,
    );
    expect(steps.map(brief)).toEqual([`run npm test ${state}`]);
  },
);

test("each file of a patch and each command of Codex is a step with its state", async () => {
  const patch =
    "*** Begin Patch\n*** Update File: a.ts\n@@\n-old\n+new\n+more\n*** Add File: b/c.ts\n+x\n*** End Patch";
  const steps = await stepsOf(
    CODEX_LOG,
    META,
    record(1, "response_item", {
      ...{ type: "custom_tool_call", name: "apply_patch", call_id: "c1", input: patch },
    }),
    record(2, "response_item", { type: "custom_tool_call_output", call_id: "c1", output: "ok" }),
    record(3, "response_item", {
      ...{ type: "function_call", name: "shell", call_id: "c2" },
      arguments: JSON.stringify({ command: ["bash", "-lc", NO_TEXT, "npm test"] }),
    }),
    record(4, "response_item", {
      ...{ type: "function_call_output", call_id: "c2" },
      output: JSON.stringify({ output: "no", metadata: { exit_code: 1 } }),
    }),
    record(5, "event_msg", {
      type: "item_completed",
      item: {
        ...{ type: "CommandExecution", id: "c3", command: ["/bin/bash", NO_TEXT, "-lc"] },
        ...{ parsed_cmd: [{ type: "read", name: "a.ts", path: "a.ts" }], exit_code: 0 },
      },
    }),
    ...["completed", "declined"].map((status, i) =>
      record(6 + i, "event_msg", {
        type: "item_completed",
        item: {
          ...{ type: "FileChange", id: `f${i}`, status },
          changes: [{ path: "/home/dev/shop/d.ts", diff: "@@\n-old\n+new\n" }],
        },
      }),
    ),
  );
  expect(steps.map(brief)).toEqual([
    "edit a.ts +2 -1 done",
    "edit b/c.ts +1 -0 done",
    "run npm test failed",
    "read a.ts done",
    "edit d.ts +1 -1 done",
    // A declined edit has changed nothing.
    "edit d.ts denied",
  ]);
  expect(new Set(steps.map(({ id: each }) => each)).size).toBe(6);
});

test.each([
  [
    "an exit code before the word rejected",
    "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nthe push was rejected by user hooks",
    "done",
  ],
  [
    "no exit code of its own",
    "Process running with session ID 3\nOutput:\nthe server exited with code 1",
    "done",
  ],
  [
    "an exit code behind the time",
    "Wall time: 1 seconds\nProcess exited with code 2\nOutput:\nno",
    "failed",
  ],
  ["an abort by the user", "aborted by user after 3.1s", "denied"],
  [
    "an exit code behind a long output",
    JSON.stringify({ output: "x".repeat(9000), metadata: { exit_code: 1 } }),
    "failed",
  ],
])(
  "the state of a command does not come from what it printed: %s",
  async (_name, output, state) => {
    const request = { type: "function_call", name: "shell", call_id: "c1" };
    const steps = await stepsOf(
      CODEX_LOG,
      META,
      record(1, "response_item", { ...request, arguments: '{"command":["git","push"]}' }),
      record(2, "response_item", { type: "function_call_output", call_id: "c1", output }),
    );
    expect(steps.map(brief)).toEqual([`run git push ${state}`]);
  },
);

test("a script whose arguments are not JSON has its first line as the title of its step", async () => {
  const script = String.raw`tools.exec_command({"cmd": "grep '\x1b' a.log"})`;
  const exec = { type: "custom_tool_call", call_id: "c1", name: "exec", input: script };
  const steps = await stepsOf(CODEX_LOG, META, record(1, "response_item", exec));
  expect(steps.map(brief)).toEqual([`run ${script} running`]);
});

test("steps are found before a last record that is longer than one read", async () => {
  const image = call(3, "t2", "Read", { file_path: "/home/dev/shop/b.png" });
  const text = [
    promptLine("Go on.", BEGIN + 0),
    call(1, "t1", "Bash", { command: "echo one" }),
    result(2, "t1"),
    image,
    result(4, "t2", { stdout: "x".repeat(5 * 1024 * 1024) }),
  ];
  const { reader, id, replay } = await stepsIn(new Map([[CLAUDE_LOG, text.join("")]]));
  await using _ = replay;
  const { steps, from, to } = await reader.around(id, null);
  expect(steps.map(({ title }) => title)).toEqual(["echo one", "b.png"]);
  expect([from, to]).toEqual([null, null]);
});

test("steps of a renamed log are read under its new name", async () => {
  const text = promptLine("Go on.", BEGIN + 0) + call(1, "t1", "Bash", { command: "echo one" });
  const { reader, id, replay } = await stepsIn(new Map([[CLAUDE_LOG, text]]));
  await using _ = replay;
  await replay.rename(CLAUDE_LOG, ".claude/projects/y/a.jsonl");
  await replay.read();
  expect((await reader.around(id, null)).steps.map(({ title }) => title)).toEqual(["echo one"]);
});

test("steps of a log that has grown are read to its new end", async () => {
  const first = promptLine("Go on.", BEGIN + 0) + call(1, "t1", "Bash", { command: "echo one" });
  const { reader, id, replay, path } = await stepsIn(new Map([[CLAUDE_LOG, first]]));
  await using _ = replay;
  expect((await reader.around(id, null)).steps.map(({ title }) => title)).toEqual(["echo one"]);
  await Bun.write(path, first + call(2, "t2", "Bash", { command: "echo two" }));
  const { steps } = await reader.around(id, null);
  expect(steps.map(({ title }) => title)).toEqual(["echo one", "echo two"]);
});

test("steps of a long log are a stretch without gaps, with the times of its begin and its end", async () => {
  const filler = "x".repeat(6000);
  const turns = 1500;
  const text = [promptLine("Go on.", BEGIN + 0)];
  for (let turn = 1; turn <= turns; turn++) {
    text.push(call(turn * 10, `t${turn}`, "Bash", { command: `echo ${turn}` }));
    text.push(result(turn * 10 + 1, `t${turn}`, { stdout: filler }));
  }
  const { reader, id, replay } = await stepsIn(new Map([[CLAUDE_LOG, text.join("")]]));
  await using _ = replay;
  const titles = (steps: readonly Step[]) => steps.map(({ title }) => Number(title.slice(5)));
  const isWhole = (list: Awaited<ReturnType<typeof reader.around>>) => {
    const [from, to] = [list.from ?? 0, list.to ?? Infinity];
    const inside = Array.from({ length: turns }, (_turn, i) => i + 1).filter(
      (turn) => BEGIN + turn * 10 > from && BEGIN + turn * 10 <= to,
    );
    return inside.every((turn) => titles(list.steps).includes(turn));
  };
  const newest = await reader.around(id, null);
  expect(titles(newest.steps).at(-1)).toBe(turns);
  expect([newest.to, newest.steps.length <= 400, isWhole(newest)]).toEqual([null, true, true]);
  const middle = await reader.around(id, BEGIN + 700 * 10);
  expect(titles(middle.steps)).toContain(700);
  expect([isWhole(middle), (middle.from ?? 0) > BEGIN, middle.to !== null]).toEqual([
    ...[true, true, true],
  ]);
  const begin = await reader.around(id, BEGIN);
  expect([titles(begin.steps)[0], begin.from, isWhole(begin)]).toEqual([1, null, true]);
});

test("steps past the retention are left out, and so are all steps of a log that was replaced", async () => {
  const text =
    promptLine("Go on.", BEGIN + 0) +
    call(1, "t1", "Bash", { command: "echo old" }) +
    call(90, "t2", "Bash", { command: "echo new" });
  const { reader, id, replay, path } = await stepsIn(new Map([[CLAUDE_LOG, text]]), BEGIN + 60);
  await using _ = replay;
  expect((await reader.around(id, null)).steps.map(({ title }) => title)).toEqual(["echo new"]);
  await replay.replace(CLAUDE_LOG, Buffer.from(`${text}${text}`));
  expect(path.endsWith(CLAUDE_LOG)).toBe(true);
  expect(await reader.around(id, null)).toEqual({ steps: [], from: null, to: null });
  // Opening a pipe would wait for somebody who writes.
  await Bun.$`rm ${path} && mkfifo ${path}`;
  expect(await reader.around(id, null)).toEqual({ steps: [], from: null, to: null });
});
