import { expect, test } from "bun:test";
import { claimsOf, type ProcessFacts } from "../../src/agents/binding/processes.ts";

const ID = "01a20060-f4fb-74c1-8f5f-68b1e185002b";
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

test("a status file counts for the live process of its number and start alone", () => {
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

test("a log, a lock or a task folder that the process holds names its session", () => {
  const held = (runtime: "agent_a" | "agent_b", path: string) =>
    claimsOf(runtime, [facts({ openFiles: [path] })], []).held;
  const log = `/home/dev/.codex/sessions/2026/11/21/rollout-2026-11-21T23-12-57-${ID}`;
  expect(held("agent_b", `${log}.jsonl`)).toEqual([ID]);
  expect(held("agent_b", `${log}_${OTHER}.jsonl`)).toEqual([ID]);
  expect(held("agent_b", `/home/dev/.codex/thread-writer-locks/${ID}.lock`)).toEqual([ID]);
  expect(held("agent_a", `/tmp/claude-1000/-home-dev-shop/${ID}/tasks`)).toEqual([ID]);
  expect(held("agent_b", "/home/dev/.codex/state_5.sqlite")).toEqual([]);
  expect(held("agent_a", `${log}.jsonl`)).toEqual([]);
});

test("what a daemon and those below it hold proves nothing of the pane it hangs under", () => {
  const openFiles = [`/home/dev/.codex/thread-writer-locks/${ID}.lock`];
  const daemon = facts({ pid: 12, parent: 10, args: ["codex", "app-server"], openFiles });
  const child = facts({ pid: 11, parent: 12, openFiles });
  expect(claimsOf("agent_b", [child, facts({}), daemon], []).held).toEqual([]);
});

test("arguments name the session that is gone on with, or copied", () => {
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

test("nothing else in arguments is taken for a session", () => {
  const started = (...args: string[]) => claimsOf("agent_a", [facts({ args })], []).startedWith;
  expect(started("claude", `resume=${ID}`)).toBeNull();
  expect(started("claude", `--other=--resume=${ID}`)).toBeNull();
  expect(started("claude", "--resume=", ID)).toBeNull();
  expect(started("claude", "--verbose=1", `--session-id=${ID}`)).toBe(ID);
});
