import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { RunResult } from "../../../src/lib/run.ts";
import { CREATED_OPTION, newMark } from "../../../src/terminal/mux/commands.ts";
import { THIS_MACHINE } from "../../../src/terminal/namespace.ts";
import { MuxReader } from "../../../src/terminal/mux/reader.ts";
import { argumentsOf, type CommandLine } from "../../../src/terminal/mux/tmux.ts";
import { PrivateTmux } from "../../support/tmux.ts";
import { until } from "../../support/until.ts";

const { signal } = new AbortController();
let tmux: PrivateTmux;
let reader: MuxReader;
let now: number;
/** The listings that were requested, whole or light. */
let asked: string[];

beforeEach(async () => {
  tmux = await PrivateTmux.idle();
  now = 0;
  asked = [];
  reader = readerOf((line) => {
    asked.push(isWhole(line) ? "whole" : "light");
    return tmux.run(argumentsOf(line));
  });
});
afterEach(() => tmux.stop());

function readerOf(run: (line: CommandLine) => Promise<RunResult>): MuxReader {
  const client = { run, newMark, batchRows: 1, feed: () => Promise.reject(new Error("fed")) };
  return new MuxReader(client, THIS_MACHINE, () => now);
}

const isWhole = (line: CommandLine) =>
  line.flat().some((argument) => argument.includes("pane_current_command"));

/** Lists until a light listing shows no change. */
async function settle(): Promise<void> {
  await until(async () => {
    asked.length = 0;
    await reader.all(signal);
    return asked.join() === "light" || null;
  });
  asked.length = 0;
}

describe("while nothing moves", () => {
  test("only the light fields are asked for, and the listing is the same object", async () => {
    await tmux.quiet();
    await settle();
    const before = await reader.all(signal);
    expect(await reader.all(signal)).toBe(before);
    expect(asked).toEqual(["light", "light"]);
  });

  test("the whole is asked for every five seconds: a command may change without a trace", async () => {
    await tmux.quiet();
    await settle();
    now += 4.999;
    await reader.all(signal);
    now += 0.001;
    await reader.all(signal);
    await reader.all(signal);
    expect(asked).toEqual(["light", "whole", "light"]);
  });
});

describe("what moves is seen at once", () => {
  const changes: [string, (id: string) => Promise<unknown>][] = [
    ["a window's name", (id) => tmux.command("rename-window", "-t", id, "other")],
    ["a session's name", (id) => tmux.command("rename-session", "-t", id, "other")],
    ["a title", (id) => tmux.command("select-pane", "-t", id, "-T", "other")],
    ["a place", (id) => tmux.command("move-window", "-s", id, "-t", "work:7")],
    ["a process", (id) => tmux.command("respawn-pane", "-k", "-t", id, "sleep", "601")],
    [
      "that it was created here",
      (id) => tmux.command("set-option", "-p", "-t", id, CREATED_OPTION, "1"),
    ],
    ["a pane more", () => tmux.quiet("more")],
  ];
  test.each(changes)("%s", async (_name, change) => {
    const id = await tmux.quiet("first", "work");
    await tmux.quiet("second", "work");
    await settle();
    const before = await reader.all(signal);
    await change(id);
    const after = await reader.all(signal);
    expect(after).not.toBe(before);
    expect(asked.slice(0, 3)).toEqual(["light", "light", "whole"]);
  });

  test("no pane at all", async () => {
    await tmux.quiet();
    await settle();
    await tmux.kill();
    expect((await reader.all(signal)).panes).toEqual([]);
    expect(asked).toEqual(["light", "whole"]);
    // An empty listing is no base for a light one.
    await reader.all(signal);
    await reader.all(signal);
    expect(asked.slice(2)).toEqual(["whole", "whole"]);
  });
});

test("an answer that is cut is not taken for silence", async () => {
  await tmux.quiet();
  await settle();
  const cut = readerOf(async (line) => {
    const result = await tmux.run(argumentsOf(line));
    return isWhole(line) ? result : { ...result, stdout: result.stdout.subarray(0, -1) };
  });
  const first = await until(async () => {
    const listing = await cut.all(signal);
    return (await cut.all(signal)) === listing ? listing : null;
  });
  await tmux.quiet("more");
  expect((await cut.all(signal)).panes).toHaveLength(first.panes.length + 1);
});

test("a pane whose process is not named any more, as its program has ended, is the same one", async () => {
  let hasEnded = false;
  const pid = await tmux.format(await tmux.quiet(), "#{pane_pid}");
  reader = readerOf(async (line) => {
    const result = await tmux.run(argumentsOf(line));
    if (!hasEnded) return result;
    const told = new TextDecoder().decode(result.stdout).replaceAll(` ${pid} `, "  ");
    return { ...result, stdout: new TextEncoder().encode(told) };
  });
  const before = await reader.all(signal);
  hasEnded = true;
  now += 5;
  const after = await reader.all(signal);
  expect(after.panes.map(({ identity }) => identity)).toEqual(
    before.panes.map(({ identity }) => identity),
  );
});
