import * as fs from "node:fs";
import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { parseScreen } from "../../../src/detect/ansi.ts";
import type { Finding, TerminalUse } from "../../../src/detect/finding.ts";
import { run, RunError } from "../../../src/lib/run.ts";
import { interpret } from "../../../src/terminal/interpreter.ts";
import { Foreground } from "../../../src/terminal/mux/foreground.ts";
import type { MuxProvider } from "../../../src/terminal/mux/provider.ts";
import { parseProc, procScript } from "../../../src/terminal/mux/remote-proc.ts";
import { RemoteProcesses } from "../../../src/terminal/mux/remote.ts";
import { terminalUse } from "../../../src/terminal/mux/terminal-use.ts";
import { openMux } from "../../support/mux.ts";
import { patternMatcher } from "../../support/pattern-worker.ts";
import { openRemoteLink, remoteProvider } from "../../support/remote-link.ts";
import { shellsHere } from "../../support/shells.ts";
import { DEFAULT_PATTERNS } from "../../support/screens.ts";
import { PrivateTmux } from "../../support/tmux.ts";
import { until } from "../../support/until.ts";

const signal = AbortSignal.timeout(600_000);
const LIMITS = { timeoutMs: 10_000, maxBytes: 1024 * 1024 };
const isLinux = process.platform === "linux";

const tmux = await PrivateTmux.start({ width: 80, height: 20 });
const local = await openMux(tmux);
const trusted = new Set([...DEFAULT_PATTERNS.prompt, ...DEFAULT_PATTERNS.error]);
const matcher = patternMatcher({ worker: ["false"], trusted });
const link = await openRemoteLink(tmux);
afterAll(async () => {
  link.stop();
  await tmux.stop();
});

/** The id of a pane whose shell was given this line, once its screen holds the text. */
async function openTyping(line: string, shown: string): Promise<string> {
  const id = await tmux.open(["exec bash --norc --noprofile -i"]);
  await until(async () => /[$#]/.test(await tmux.screen(id)));
  await tmux.command("send-keys", "-t", id, "-l", `clear; ${line}`);
  await tmux.command("send-keys", "-t", id, "Enter");
  await until(async () => {
    const screen = await tmux.screen(id);
    return (screen.includes(shown) && !screen.includes("clear;")) || null;
  });
  return id;
}

async function read(id: string, provider: MuxProvider): Promise<Finding> {
  await provider.list(signal);
  const looked = await provider.look(id, 100, signal);
  if (!looked) throw new Error(`${id} is gone`);
  const screen = parseScreen(looked.capture.text);
  const subject = { pane: looked.pane, screen, kindOverride: null, age: "now" } as const;
  return (await interpret({ provider, matcher }, subject, DEFAULT_PATTERNS)).finding;
}

/** Waits until the pane is read so: a program reads a moment after it has printed. */
async function becomes(
  id: string,
  wanted: { status: string; rule?: string },
  providers = [local],
): Promise<void> {
  for (const provider of providers)
    await until(async () => {
      const { status, rule } = await read(id, provider);
      return status === wanted.status && (!wanted.rule || rule === wanted.rule);
    });
}

const here = new Foreground();
const there = new RemoteProcesses(link);
const shellOf = async (id: string) => Number(await tmux.format(id, "#{pane_pid}"));

const runs = (script: string) => `'${process.execPath}' -e "${script}"`;
const WATCHES = runs("process.stdout.write('Env: '); process.stdin.resume()");

describe.if(isLinux)("what the kernel says of a terminal", () => {
  test.each([
    [
      "a shell at its prompt",
      "PS1='next: '",
      "next:",
      { waiting: "polls", lines: false, echo: false },
    ],
    ["read", "read -p 'Env: '", "Env:", { waiting: "reads", lines: true, echo: true }],
    ["a secret", "read -sp 'Word: '", "Word:", { waiting: "reads", lines: true, echo: false }],
    ["a key", "read -n1 -p 'Key: '", "Key:", { waiting: "reads", lines: false, echo: true }],
    ["sleep", "printf 'Busy: '; sleep 600", "Busy:", { waiting: "none", lines: true, echo: true }],
    [
      "a script behind a shell",
      "sh -c 'printf \"Env: \"; cat'",
      "Env:",
      { waiting: "reads", lines: true, echo: true },
    ],
    [
      "a script behind ten others",
      'export n=\'[ $1 -gt 0 ] || { printf Env:; read x; }; sh -c "$n" x $(($1 - 1)); :\'; sh -c "$n" x 10',
      "Env:",
      { waiting: "reads", lines: true, echo: true },
    ],
    [
      "a script's last program beside forty others",
      "sh -c 'for i in $(seq 40); do sleep 600 & done; printf Env:; head -1; :'",
      "Env:",
      { waiting: "reads", lines: true, echo: true },
    ],
    [
      "a loop that watches the terminal",
      WATCHES,
      "Env:",
      { waiting: "polls", lines: true, echo: true },
    ],
    [
      "a loop that watches only its clock",
      runs("process.stdout.write('Busy: '); setTimeout(() => {}, 600_000)"),
      "Busy:",
      { waiting: "none", lines: true, echo: true },
    ],
    [
      "a sleep that is a wait for no file",
      "perl -e '$| = 1; print \"Busy: \"; select undef, undef, undef, 600'",
      "Busy:",
      { waiting: "none", lines: true, echo: true },
    ],
    [
      "a wait for a pipe",
      "perl -e '$| = 1; print \"Busy: \"; pipe R, W; vec($in, fileno R, 1) = 1; select $in, undef, undef, 600'",
      "Busy:",
      { waiting: "none", lines: true, echo: true },
    ],
    [
      "a sleep beside a child that has ended and was not waited for",
      "perl -e '$| = 1; pipe R, W; fork or exit; close W; <R>; print \"Busy: \"; sleep 600'",
      "Busy:",
      { waiting: "none", lines: true, echo: true },
    ],
    [
      "a file that is followed",
      "f=$(mktemp); printf 'Busy: ' > $f; tail -f $f | cat",
      "Busy:",
      { waiting: "none", lines: true, echo: true },
    ],
    [
      "a wait for the terminal",
      "perl -e '$| = 1; print \"Env: \"; vec($in, 0, 1) = 1; select $in, undef, undef, 600'",
      "Env:",
      { waiting: "polls", lines: true, echo: true },
    ],
  ] as const)("%s", async (name, line, shown, expected) => {
    const shell = await shellOf(await openTyping(line, shown));
    // A runtime that collects garbage runs for a moment, whatever it waits for otherwise.
    const lasting = (processes: typeof here | typeof there, wanted: TerminalUse) =>
      until(async () => {
        for (let times = 0; times < (processes === here ? 20 : 3); times++)
          if (!Bun.deepEquals(await processes.terminalUse(shell, "now"), wanted)) return null;
        return true;
      });
    expect(await lasting(here, expected)).toBe(true);
    // The memory that says for which files it waits is not read there.
    const isUnread = ["a wait for a pipe", "a file that is followed"].includes(name);
    expect(await lasting(there, isUnread ? { ...expected, waiting: "polls" } : expected)).toBe(
      true,
    );
  });

  test("says that a program polls where the kernel shows its calls to tracers only", async () => {
    const shell = await shellOf(await openTyping(WATCHES, "Env:"));
    const { readFileSync } = fs;
    const denying = (...[path, options]: Parameters<typeof readFileSync>) => {
      if (/^\/proc\/.*\/syscall$/.test(String(path))) throw new Error("EPERM");
      return readFileSync(path, options);
    };
    using _ = spyOn(fs, "readFileSync").mockImplementation(denying as typeof readFileSync);
    await until(async () => (await here.terminalUse(shell))?.waiting === "polls");
  });

  test("says that a program polls where the number of the watched file was closed", async () => {
    const shell = await shellOf(await openTyping(WATCHES, "Env:"));
    const { existsSync, readlinkSync } = fs;
    const isWatched = (path: fs.PathLike) => /\/task\/\d+\/fd\/\d+$/.test(String(path));
    const gone = (path: fs.PathLike) => {
      if (isWatched(path)) throw new Error("ENOENT");
      return readlinkSync(path);
    };
    using _link = spyOn(fs, "readlinkSync").mockImplementation(gone as typeof readlinkSync);
    using _file = spyOn(fs, "existsSync").mockImplementation(
      (path) => !isWatched(path) && existsSync(path),
    );
    await until(async () => (await here.terminalUse(shell))?.waiting === "polls");
  });

  test("is unknown for a process that has ended", async () => {
    const gone = 2 ** 22 + 1;
    expect(await here.terminalUse(gone)).toBeNull();
    expect(await there.terminalUse(gone, "now")).toBeNull();
  });

  test.each(shellsHere(["bash --posix", "dash", "busybox sh", "zsh --emulate sh"]))(
    "is told by %s as the shell of another machine",
    async (shell) => {
      const pid = await shellOf(await openTyping("read -sp 'Word: '", "Word:"));
      const { stdout } = await run(shell.split(" "), { ...LIMITS, stdin: procScript([pid]) });
      const proc = parseProc(new TextDecoder().decode(stdout));
      const expected = { waiting: "reads", lines: true, echo: false };
      expect(terminalUse(proc, pid)).toEqual(expected as TerminalUse);
    },
  );

  test("is asked of another machine at once for all panes, and of none that has no /proc", async () => {
    const asked: string[] = [];
    const counted = (output: string) =>
      new RemoteProcesses({
        ask: async (_kind, text) => {
          asked.push(text);
          return { code: 0, stdout: new TextEncoder().encode(output), stderr: "" };
        },
      });
    const some = counted("proc x86_64\n");
    const roots = [11, 12, 13];
    await Promise.all(roots.map((root) => some.terminalUse(root, "now")));
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain("11 12 13");
    await some.terminalUse(11, "recent");
    expect(asked).toHaveLength(1);
    const none = counted("none\n");
    for (const root of roots) expect(await none.terminalUse(root, "now")).toBeNull();
    expect(asked).toHaveLength(2);
    // A machine that could not start the script may have one.
    const failing = counted("");
    for (const root of roots)
      expect(failing.terminalUse(root, "now")).rejects.toThrow("cannot be read");
    expect(asked).toHaveLength(5);
  });

  test("is asked of another machine once its ps has ended, whose time it does not share", async () => {
    const ps = Promise.withResolvers<void>();
    const asked: string[] = [];
    const slow = new RemoteProcesses({
      ask: async (_kind, text) => {
        asked.push(text);
        await ps.promise;
        return { code: 0, stdout: new TextEncoder().encode("none\n"), stderr: "" };
      },
    });
    const both = Promise.all([slow.processes(11, "now"), slow.terminalUse(11, "now")]);
    await until(() => asked.length > 0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toHaveLength(1);
    ps.resolve();
    await both;
    expect(asked).toHaveLength(2);
  });

  test("is asked of another machine whose ps hangs, which is tried again, each time later", async () => {
    const { now } = performance;
    let passedMs = 0;
    using _ = spyOn(performance, "now").mockImplementation(() => now.call(performance) + passedMs);
    const asked: string[] = [];
    const hanging = new RemoteProcesses({
      ask: async (_kind, text) => {
        asked.push(text);
        if (text.includes(" ps ")) throw new RunError("timeout", "it hangs");
        return { code: 0, stdout: new TextEncoder().encode("proc x86_64\n"), stderr: "" };
      },
    });
    const triesAfter = async (seconds: number) => {
      passedMs += seconds * 1000;
      asked.length = 0;
      await hanging.processes(11, "now").catch(() => []);
      expect(await hanging.terminalUse(11, "now")).toBeNull();
      expect(asked.at(-1)).toContain("root");
      return asked.length === 2;
    };
    const tries = [];
    for (const seconds of [0, 10, 10, 20, 15]) tries.push(await triesAfter(seconds));
    expect(tries).toEqual([true, false, true, false, true]);
  });
});

describe("a question on the last line, of this machine and of another", () => {
  const both = [local, remoteProvider(link)];
  test.each([
    [
      "any word behind which a shell reads",
      "read -p 'Target environment: '",
      "Target",
      "generic.input",
    ],
    ["a secret that nobody names", "read -sp 'Magic word: '", "Magic", "generic.secret"],
    [
      "a question with a line break behind it",
      "echo 'Continue? (y/n)'; read",
      "y/n",
      "generic.yes_no",
    ],
    ["one key", "read -n1 -sp 'Press any key to continue . . . '", "Press", "generic.press_enter"],
    [
      "a program in a session of its own",
      "setsid -w sh -c 'printf \"Env: \"; read x'",
      "Env:",
      "generic.input",
    ],
    [
      "a list that a script draws, reading keys",
      "printf 'Pick one:\\n> staging\\n  production\\n'; read -rsn1",
      "production",
      "generic.rows",
    ],
  ] as const)("waits: %s", async (_name, line, shown, rule) => {
    const id = await openTyping(line, shown);
    await becomes(id, { status: "needs_input", rule }, both);
  });

  test.each([
    ["a prompt of a shell that ends in a colon", "PS1='user name: '", "user name:"],
    ["a prompt of a shell that asks", "PS1='what next? '", "what next?"],
    ["a draft", "PS1='demo:~$ '; bind '\"\\C-x\": \"echo Continue? (y/n)\"'", "demo:~$"],
    ["progress", "printf 'Checking path: '; sleep 600", "Checking"],
    ["a question that a log quotes", "echo 'skipped: Continue? (y/n)'; sleep 600", "skipped"],
  ] as const)("does not wait: %s", async (name, line, shown) => {
    const id = await openTyping(line, shown);
    if (name === "a draft") {
      await tmux.command("send-keys", "-t", id, "C-x");
      await until(async () => (await tmux.screen(id)).includes("(y/n)"));
    }
    await becomes(id, { status: "idle" }, both);
  });

  test.each([
    ["read -p 'Do you want to continue? [Y/n] '; exec sleep 600", "y"],
    ["read -p 'Ok to proceed? (y) '; exec sleep 600", "y"],
    ["read -p 'Overwrite? [y/N] '; exec sleep 600", "y"],
    ["read -sp 'Password: '; exec sleep 600", "y"],
    ["read -p 'Press Enter to continue'; exec sleep 600", ""],
  ])("waits no more once it was answered: %s", async (line, answer) => {
    const id = await openTyping(line, line.slice(line.indexOf("'") + 1, line.indexOf("'") + 9));
    await becomes(id, { status: "needs_input" }, both);
    await tmux.command("send-keys", "-t", id, "-l", answer);
    await tmux.command("send-keys", "-t", id, "Enter");
    await until(async () => (await tmux.format(id, "#{pane_current_command}")) === "sleep");
    await becomes(id, { status: "idle" }, both);
  });
});

describe("a terminal inside tmux inside a pane", () => {
  // The system's own: one of another Debian runs below its loader, which does not look like tmux.
  const inner = (line: string) =>
    `TMUX= PATH=/usr/bin:$PATH tmux -f /dev/null -S "$PWD/inner" new bash -c '${line}' \\; set destroy-unattached on`;

  test.each([
    ["a question", 'read -p "Apply it? [y/N] " x', "Apply", "generic.yes_no"],
    ["a secret", 'read -sp "Password: " x', "Password", "generic.secret"],
  ])("waits for %s", async (_name, line, shown, rule) => {
    const id = await openTyping(`cd "$(mktemp -d)"; ${inner(line)}; rm -r "$PWD"`, shown);
    await becomes(id, { status: "needs_input", rule });
    await tmux.command("send-keys", "-t", id, "n", "Enter");
    await becomes(id, { status: "idle" });
  });
});

describe("a dialog that no agent shows", () => {
  const DIALOG =
    "Do you want to proceed?\\n❯ 1. Yes\\n  2. No\\n\\n Esc to cancel · Tab to amend\\n";

  test("is no prompt where a pager behind a pipe shows it", async () => {
    const id = await openTyping(`printf '${DIALOG}' | less`, "amend");
    await becomes(id, { status: "idle", rule: "generic.viewer" });
    expect(await read(id, local)).toMatchObject({ agent: null, prompt: null });
  });

  test("is no prompt where a program only prints it", async () => {
    const id = await openTyping(`printf '${DIALOG}'; sleep 600`, "amend");
    await becomes(id, { status: "idle" });
  });

  test("a question that was cleared into the history waits no more", async () => {
    const id = await openTyping(
      "printf 'Overwrite gone? (y/n) '; read; printf '\\033[2J\\033[Hidle\\n'; exec sleep 600",
      "gone?",
    );
    await becomes(id, { status: "needs_input" });
    await tmux.command("send-keys", "-t", id, "y", "Enter");
    await becomes(id, { status: "idle" });
  });
});
