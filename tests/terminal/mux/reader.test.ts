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
let requests: string[];

beforeEach(async () => {
  tmux = await PrivateTmux.idle();
  now = 0;
  requests = [];
  reader = readerOf((line) => {
    requests.push(isWhole(line) ? "whole" : "light");
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
    requests.length = 0;
    await reader.all(signal);
    return requests.join() === "light" || null;
  });
  requests.length = 0;
}

describe("a reader of a server where nothing moves", () => {
  test("asks only for the light fields, and gives the same listing object", async () => {
    await tmux.quiet();
    await settle();
    const before = await reader.all(signal);
    expect(await reader.all(signal)).toBe(before);
    expect(requests).toEqual(["light", "light"]);
  });

  test("asks for the whole listing every five seconds, as a command may change without a trace", async () => {
    await tmux.quiet();
    await settle();
    now += 4.999;
    await reader.all(signal);
    now += 0.001;
    await reader.all(signal);
    await reader.all(signal);
    expect(requests).toEqual(["light", "whole", "light"]);
  });
});

describe("a reader of a server where something moves", () => {
  const changes: [string, (id: string) => Promise<unknown>][] = [
    ["a window's new name", (id) => tmux.command("rename-window", "-t", id, "other")],
    ["a session's new name", (id) => tmux.command("rename-session", "-t", id, "other")],
    ["a new title", (id) => tmux.command("select-pane", "-t", id, "-T", "other")],
    ["a pane's new place", (id) => tmux.command("move-window", "-s", id, "-t", "work:7")],
    ["a new process", (id) => tmux.command("respawn-pane", "-k", "-t", id, "sleep", "601")],
    [
      "the mark of a pane that was created here",
      (id) => tmux.command("set-option", "-p", "-t", id, CREATED_OPTION, "1"),
    ],
    ["a new pane", () => tmux.quiet("more")],
  ];
  test.each(changes)("lists at once %s", async (_name, change) => {
    const id = await tmux.quiet("first", "work");
    await tmux.quiet("second", "work");
    await settle();
    const before = await reader.all(signal);
    await change(id);
    const after = await reader.all(signal);
    expect(after).not.toBe(before);
    expect(requests.slice(0, 3)).toEqual(["light", "light", "whole"]);
  });

  test("gives an empty listing at once when the server has ended, and reads the next listings whole", async () => {
    await tmux.quiet();
    await settle();
    await tmux.kill();
    expect((await reader.all(signal)).panes).toEqual([]);
    expect(requests).toEqual(["light", "whole"]);
    // An empty listing is no base for a light one.
    await reader.all(signal);
    await reader.all(signal);
    expect(requests.slice(2)).toEqual(["whole", "whole"]);
  });
});

test("a light listing that was cut off is not taken for an unchanged one", async () => {
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

test("a pane keeps its identity when its program has ended and tmux no longer names the process", async () => {
  let hasEnded = false;
  const pid = await tmux.format(await tmux.quiet(), "#{pane_pid}");
  reader = readerOf(async (line) => {
    const result = await tmux.run(argumentsOf(line));
    if (!hasEnded) return result;
    const unnamed = new TextDecoder().decode(result.stdout).replaceAll(` ${pid} `, "  ");
    return { ...result, stdout: new TextEncoder().encode(unnamed) };
  });
  const before = await reader.all(signal);
  hasEnded = true;
  now += 5;
  const after = await reader.all(signal);
  expect(after.panes.map(({ identity }) => identity)).toEqual(
    before.panes.map(({ identity }) => identity),
  );
});
