import { afterAll, describe, expect, mock, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { ALLOWED_KEYS } from "../../../src/protocol/input.ts";
import {
  escapePattern,
  keyBytes,
  pastesControls,
  sendSteps,
} from "../../../src/terminal/mux/send.ts";
import type { InputStep, SendGuard } from "../../../src/terminal/provider.ts";
import { FEED } from "../../../src/terminal/mux/client.ts";
import { argumentsOf, type CommandLine, scriptOf } from "../../../src/terminal/mux/tmux.ts";
import { openMux } from "../../support/mux.ts";
import { refusalOf } from "../../support/refusal.ts";
import { PrivateTmux } from "../../support/tmux.ts";
import { runs, sampled } from "../../support/thorough.ts";
import { until } from "../../support/until.ts";

let names = 0;

const tmux = await PrivateTmux.start();
afterAll(() => tmux.stop());

const send = (id: string, steps: InputStep[], guard: SendGuard | null = null) =>
  sendSteps(tmux.feed, id, steps, guard);
const buffers = () => tmux.command("list-buffers", "-F", "#{buffer_name}");
const identityOf = (id: string) => tmux.format(id, "#{pid}:#{start_time}/#{pane_id}/#{pane_pid}");
const shows = (id: string, text: string) =>
  until(async () => (await tmux.screen(id)).includes(text));

/** A pane whose program writes every byte it receives, raw, to a file; it prints `modes` first. */
async function record(modes = "", place = ["new-window", "-d", "-t", "main:"]) {
  const file = join(tmux.folder, `bytes-${++names}`);
  const program = 'stty raw -echo; : > "$2"; printf %sready "$1"; exec cat >> "$2"';
  const argv = ["-P", "-F", "#{pane_id}", "sh", "-c", program, "sh", modes, file];
  const id = await tmux.command(...place, ...argv);
  await shows(id, "ready");
  /** The bytes that arrived, once there are at least this many; fewer where no more came in time. */
  const received = async (bytes: number) => {
    const whole = () => readFileSync(file);
    await until(() => whole().length >= bytes).catch(() => undefined);
    return whole();
  };
  return { id, received };
}

async function reasonOf(work: Promise<unknown>): Promise<string> {
  const error = await refusalOf(work);
  expect(error.kind).toBe("invalid");
  return (error.detail as { reason: string }).reason;
}

describe("text", () => {
  // A mark after each text also shows an extra byte.
  const END = "·end·";

  async function arrives(target: Awaited<ReturnType<typeof record>>, texts: string[]) {
    for (const text of texts.flatMap((each) => [each, END]))
      expect([text, await send(target.id, [{ do: "text", text }])]).toEqual([text, "sent"]);
    const wanted = texts.map((text) => text + END).join("");
    const got = await target.received(Buffer.byteLength(wanted));
    expect(got.toString()).toBe(wanted);
  }

  test("with shell and tmux syntax in it arrives byte for byte", async () => {
    await arrives(await record(), [
      ";",
      "ends with;",
      "ends with \\;",
      "-l",
      "--",
      "$HOME `id` $(id) #{pane_id} #(id) %H %% ~",
      `'single' "double" \\ back\\\\slash`,
      "Enter",
      "C-c",
      "{ braces } } {",
      "tab\tinside",
      "A=b",
      "~",
      "~root ~",
      "back\\slash at the end\\",
      "two\nlines\n",
      "\n",
      "é 漢字 😀 👩‍👩‍👧 \u202eright to left \u00a0 \ue000",
      " leading and trailing ",
    ]);
  });

  test("of any characters arrives byte for byte", async () => {
    const text = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
      .map((value) => value.replace(/[^\P{Cc}\n\t]/gu, ""))
      .filter((value) => value !== "" && value.isWellFormed());
    await arrives(await record(), fc.sample(text, { numRuns: runs(160), seed: 7 }));
  });

  test("of 64 KiB arrives whole, in one line and in many", async () => {
    const line = "0123456789abcde;".repeat(4096);
    const lines = `${"x".repeat(63)}\n`.repeat(1024);
    await arrives(await record(), [line, lines]);
  });

  test("with a tab is pasted: typed, the tab would be a key", async () => {
    const { id, received } = await record("\x1b[?2004h");
    await send(id, [{ do: "text", text: "a\tb" }]);
    const wanted = "\x1b[200~a\tb\x1b[201~";
    expect((await received(wanted.length)).toString()).toBe(wanted);
  });

  test("of several lines is one bracketed paste where the program asked for it", async () => {
    const { id, received } = await record("\x1b[?2004h");
    await send(id, [{ do: "text", text: "one\ntwo" }]);
    await send(id, [{ do: "text", text: "three" }]);
    const wanted = "\x1b[200~one\ntwo\x1b[201~three";
    expect((await received(wanted.length)).toString()).toBe(wanted);
  });

  test("keeps its order with the keys of the same send", async () => {
    const { id, received } = await record();
    await send(id, [
      { do: "text", text: "a" },
      { do: "key", key: "Enter" },
      { do: "text", text: "b\nc" },
      { do: "key", key: "Tab" },
      { do: "key", key: "Up" },
      { do: "text", text: "" },
      { do: "text", text: "d" },
    ]);
    expect((await received(10)).toString()).toBe("a\rb\nc\t\x1b[Ad");
    expect(await buffers()).toBe("");
  });
});

describe("an allowed key", () => {
  const all: InputStep[] = ALLOWED_KEYS.map((key) => ({ do: "key", key }));

  for (const [mode, modes] of [
    ["normal", ""],
    ["application", "\x1b[?1h"],
  ] as const) {
    test(`has the bytes that tmux sends, with ${mode} cursor keys`, async () => {
      const { id, received } = await record(modes);
      const flag = modes ? "1" : "0";
      await until(async () =>
        (await tmux.format(id, "#{keypad_cursor_flag}")) === flag ? true : null,
      );
      await tmux.command("send-keys", "-t", id, ...ALLOWED_KEYS);
      const wanted = ALLOWED_KEYS.map((key) => keyBytes(key, mode)).join("");
      expect((await received(wanted.length)).toString()).toBe(wanted);
      await tmux.command("copy-mode", "-t", id);
      await send(id, all);
      expect((await received(2 * wanted.length)).toString()).toBe(wanted + wanted);
      for (const key of ["C-q", "F1"]) expect(() => keyBytes(key, mode)).toThrow("not a key");
      // A person who scrolls in the pane is not interrupted.
      expect(await tmux.format(id, "#{pane_in_mode}")).toBe("1");
    });
  }

  test.each([
    ["1", ["2.9a", "3.2a", "3.3a", "3.5a", "3.6", "3.6b"]],
    ["0", ["3.7", "3.7c", "3.8", "3.10", "4.0", "next-3.8", "master"]],
  ])("is pasted (%s) where the server's version needs that", async (answer, versions) => {
    const { id } = await record();
    for (const version of versions)
      expect([version, await tmux.format(id, pastesControls(version))]).toEqual([version, answer]);
  });

  test("reaches only its own pane when the window is synchronised", async () => {
    const { id, received } = await record();
    const beside = await record("", ["split-window", "-d", "-t", id]);
    await tmux.command("set-option", "-w", "-t", id, "synchronize-panes", "on");
    await send(id, [
      { do: "text", text: "y" },
      { do: "key", key: "Enter" },
    ]);
    expect((await received(2)).toString()).toBe("y\r");
    await tmux.command("set-option", "-w", "-t", id, "-u", "synchronize-panes");
    await send(beside.id, [{ do: "text", text: "end" }]);
    expect((await beside.received(3)).toString()).toBe("end");
  });
});

describe("the guard of a send", () => {
  const KEY: InputStep[] = [{ do: "key", key: "Enter" }];

  test("refuses another process", async () => {
    const { id, received } = await record();
    const identity = await identityOf(id);
    expect(await send(id, KEY, { identity, contains: [] })).toBe("sent");
    expect(await send(id, KEY, { identity: `${identity}1`, contains: [] })).toBe("refused");
    expect(await send(id, KEY, { identity: `1${identity}`, contains: [] })).toBe("refused");
    await send(id, [{ do: "text", text: "end" }]);
    expect((await received(4)).toString()).toBe("\rend");
  });

  test("is compared in the turn that sends: whenever the prompt changes, no other one is answered", async () => {
    const file = join(tmux.folder, "answers");
    const asks = `printf '\\033[2J\\033[HRemove item %d?\\n> 1. Yes\\n' $n`;
    const notes = `if [ "$word" = next ]; then n=$((n + 1)); else echo "$word $n" >> '${file}'; fi`;
    const id = await tmux.open([`stty -echo; n=1; while ${asks}; read -r word; do ${notes}; done`]);
    const identity = await identityOf(id);
    let item = 1;
    const change = async () => {
      await tmux.command("send-keys", "-t", id, "next", "Enter");
      item += 1;
      await shows(id, `Remove item ${item}?`);
    };
    await shows(id, "> 1. Yes");
    /** Answers the prompt on the screen, which changes before so many commands reach tmux. */
    const answer = async (changesBefore: number, isGuarded: boolean) => {
      let feeds = 0;
      const feed = async (lines: readonly CommandLine[]) => {
        feeds += 1;
        if (feeds === changesBefore) await change();
        return tmux.feed(lines);
      };
      const contains = [`Remove item ${item}?`, "> 1. Yes"];
      const steps: InputStep[] = [{ do: "text", text: `${item}` }, ...KEY];
      return sendSteps(feed, id, steps, isGuarded ? { identity, contains } : null);
    };
    expect(await answer(1, true)).toBe("refused");
    expect(await answer(2, true)).toBe("sent");
    expect(await answer(1, false)).toBe("sent");
    const answers = () => readFileSync(file, "utf8").split("\n").filter(Boolean);
    await until(() => existsSync(file) && answers().length >= 2);
    // Without a guard the answer for the second item has reached the third.
    expect(answers()).toEqual(["2 2", "2 3"]);
  });

  test("needs every text, on the screen of the pane itself", async () => {
    const wanted = await tmux.open(["printf 'Delete it?\\n> 1. Yes\\n'; exec cat"]);
    const other = await tmux.open(["printf 'Delete all?\\n> 1. Yes\\n'; exec cat"]);
    for (const id of [wanted, other]) await shows(id, "Yes");
    const contains = ["Delete it?", "> 1. Yes"];
    expect(await send(other, KEY, { identity: await identityOf(other), contains })).toBe("refused");
    expect(await send(wanted, KEY, { identity: await identityOf(wanted), contains })).toBe("sent");
  });

  test("refuses a shell that is in front after the program that showed the dialog", async () => {
    const id = await tmux.open(["printf 'Run it?\\n> 1. Yes\\n'; sleep 600; exec cat"]);
    await shows(id, "Yes");
    const identity = await identityOf(id);
    const command = await tmux.format(id, "#{pane_current_command}");
    const guard = { identity, command, contains: ["Run it?", "> 1. Yes"] };
    expect(await send(id, KEY, { ...guard, command: `${command}x` })).toBe("refused");
    expect(await send(id, KEY, guard)).toBe("sent");
    const shell = await tmux.open(["sh -i"]);
    await send(shell, [{ do: "text", text: "printf 'Run it?\\n> 1. Yes\\n'; sleep 600\n" }]);
    await until(async () => (await tmux.format(shell, "#{pane_current_command}")) === "sleep");
    await until(async () => (await tmux.screen(shell)).split("\n").includes("> 1. Yes"));
    const asked = { ...guard, identity: await identityOf(shell), command: "sleep" };
    await send(shell, [{ do: "key", key: "C-c" }], asked);
    await until(async () => (await tmux.format(shell, "#{pane_current_command}")) !== "sleep");
    expect(await tmux.screen(shell)).toContain("> 1. Yes");
    expect(await send(shell, KEY, asked)).toBe("refused");
  });

  test("neither compares nor runs a command name that tmux would read as a format", async () => {
    const { id } = await record();
    const file = `${tmux.folder}/name-was-run`;
    const guard = { identity: await identityOf(id), contains: [] };
    expect(await send(id, KEY, { ...guard, command: `x}#(touch ${file})` })).toBe("sent");
    expect(await Bun.file(file).exists()).toBe(false);
  });

  test("may be longer than an argument list of tmux", async () => {
    const { id, received } = await record();
    const identity = await identityOf(id);
    const contains = Array.from({ length: 100 }, (_, index) => `${index}${"x".repeat(200)}`);
    expect(await send(id, KEY, { identity, contains })).toBe("refused");
    await send(id, [{ do: "text", text: "end" }]);
    expect((await received(3)).toString()).toBe("end");
  });

  test("leaves no buffer behind when it refuses a text", async () => {
    const { id } = await record();
    const guard = { identity: `1:1/${id}/1`, contains: [] };
    expect(await send(id, [{ do: "text", text: "secret" }], guard)).toBe("refused");
    expect(await buffers()).toBe("");
  });

  test("accepts any line on its own screen, and on no other", async () => {
    const hostile = fc.string({
      unit: fc.constantFrom(..."#{}[],:;?*\\|$()'\"%~&<>=!^ abC1é漢"),
      minLength: 3,
      maxLength: 30,
    });
    const lines = [
      ...new Set(fc.sample(hostile, { numRuns: runs(320), seed: 11 }).map((line) => `<${line}>`)),
    ];
    const [shown, absent] = [lines.slice(0, 20), lines.slice(20)];
    const id = await tmux.open([
      `cat <<'LINES'\n${shown.join("\n")}\nend of it\nLINES\nexec cat >/dev/null`,
    ]);
    await shows(id, "end of it");
    const identity = await identityOf(id);
    const screen = await tmux.screen(id);
    const passes = async (line: string) =>
      (await tmux.format(id, `#{&&:1,#{C:${escapePattern(line)}}}`)) === "1";
    for (const line of lines)
      expect({ line, passes: await passes(line) }).toEqual({ line, passes: screen.includes(line) });
    expect(shown.every((line) => screen.includes(line))).toBe(true);
    expect(await send(id, KEY, { identity, contains: shown })).toBe("sent");
    const [missing = ""] = absent;
    expect(await send(id, KEY, { identity, contains: [...shown, missing] })).toBe("refused");
  });

  test("never runs text of a screen, neither as a format nor as a shell command", async () => {
    const { id } = await record();
    const file = `${tmux.folder}/was-run`;
    const texts = [`#(touch ${file})`, `##(touch ${file})`, `#{l:x}#(touch ${file})`];
    const identity = await identityOf(id);
    for (const text of texts)
      expect(await send(id, KEY, { identity, contains: [text] })).toBe("refused");
    expect(await Bun.file(file).exists()).toBe(false);
  });
});

describe("a send that fails", () => {
  const STEPS: InputStep[] = [
    { do: "text", text: "x" },
    { do: "key", key: "Enter" },
  ];

  test("never reaches tmux with an id of another form", async () => {
    const ids = [
      "",
      "%",
      "%1 ; kill-server",
      "main",
      "=main",
      "%1\n",
      "@1",
      "{last}",
      "%01",
      "%00",
    ];
    for (const id of ids) expect(await reasonOf(send(id, STEPS))).toBe("not a pane id");
  });

  test("gives tmux's message for a pane that is gone, and leaves no buffer", async () => {
    for (const steps of [STEPS, []])
      expect(await reasonOf(send("%4711", steps))).toBe("can't find pane: %4711");
    expect(await buffers()).toBe("");
  });

  test("gives tmux's message when no server runs, cut to 300 characters", async () => {
    const gone = await PrivateTmux.start();
    await gone.stop();
    const reason = await reasonOf(sendSteps(gone.feed, "%0", STEPS, null));
    expect(reason).toMatch(/no server running|error connecting/);
    const verbose = async () => ({
      code: 1,
      stdout: new Uint8Array(),
      stderr: `line one\n${"x".repeat(4000)}`,
    });
    const long = await reasonOf(sendSteps(verbose, "%0", STEPS, null));
    expect(long).toStartWith("line one xxx");
    expect(long.length).toBe(300);
  });

  test("is unknown when the server ends in mid-command", async () => {
    // The client of a tmux that was killed may exit with 0 and without output.
    const ends = async () => ({ code: 0, stdout: new Uint8Array(), stderr: "" });
    for (const guard of [null, { identity: "1:1/%1/1", contains: ["Run it?"] }])
      expect(await sendSteps(ends, "%1", STEPS, guard)).toBe("unknown");
    // There is no buffer to delete.
    const fed = mock(ends);
    expect(await sendSteps(fed, "%1", [{ do: "key", key: "Up" }], null)).toBe("unknown");
    expect(fed).toHaveBeenCalledTimes(1);
    const lost = async () => ({ code: 1, stdout: new Uint8Array(), stderr: "server exited" });
    expect(await sendSteps(lost, "%1", STEPS, null)).toBe("unknown");
    const absent = async () => ({ code: 1, stdout: new Uint8Array(), stderr: "no server running" });
    expect(await reasonOf(sendSteps(absent, "%1", STEPS, null))).toBe("no server running");
  });

  test("is refused for a dead pane and for one with its input switched off", async () => {
    const { id } = await record();
    await tmux.command("select-pane", "-d", "-t", id);
    expect(await reasonOf(send(id, STEPS))).toBe(`input to pane ${id} is switched off`);
    const dead = await tmux.open(["read line"]);
    await tmux.command("set-option", "-p", "-t", dead, "remain-on-exit", "on");
    await send(dead, [{ do: "key", key: "Enter" }]);
    await until(async () => (await tmux.format(dead, "#{pane_dead}")) === "1");
    expect(await reasonOf(send(dead, STEPS))).toBe(`the program in pane ${dead} has ended`);
    expect(await buffers()).toBe("");
  });

  test("gives up on a tmux that hangs, and has asked to delete the buffer", async () => {
    const calls: (readonly CommandLine[])[] = [];
    let ended = 0;
    const hangs = async (lines: readonly CommandLine[]) => {
      calls.push(lines);
      await setImmediate();
      ended += 1;
      throw new Error("tmux: no end within 5000 ms");
    };
    expect(await reasonOf(sendSteps(hangs, "%1", STEPS, null))).toBe("tmux: no end within 5000 ms");
    expect(ended).toBe(2);
    const [main, cleanup] = calls;
    expect(cleanup).toEqual([[["delete-buffer", "-b", main?.[0]?.[0]?.[2] ?? ""]]]);
  });

  test("a sent text is on no command line, where any user of the machine could read it", async () => {
    const { id, received } = await record();
    const mux = await openMux(tmux);
    const lines: string[] = [];
    const run = mux.client.run.bind(mux.client);
    mux.client.run = (line, options) => {
      lines.push(line.flat().join(" "));
      return run(line, options);
    };
    await mux.send(id, [{ do: "text", text: "hunter2" }], null);
    expect((await received(7)).toString()).toBe("hunter2");
    expect(lines).toEqual(["source-file -"]);
  });

  test("a command that is cut off on its way to tmux is not run", async () => {
    const before = await buffers();
    const fill = ["set-buffer", "-b", "cut", "--", "two words"];
    const decide = ["if-shell", "-F", "1", "set-buffer -b chosen word", "set-buffer -b other word"];
    const script = scriptOf([[fill, decide], [fill]]);
    const ends = Array.from({ length: script.trimEnd().length }, (_, end) => end);
    for (const end of sampled(ends, 7)) await tmux.run(argumentsOf(FEED), script.slice(0, end));
    expect(await buffers()).toBe(before);
    await tmux.run(argumentsOf(FEED), script);
    expect((await buffers()).split("\n").sort()).toEqual(
      [...before.split("\n").filter(Boolean), "chosen", "cut"].sort(),
    );
  });
});
