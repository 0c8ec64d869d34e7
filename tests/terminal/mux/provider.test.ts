import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StartupError } from "../../../src/errors.ts";
import { createLog } from "../../../src/lib/log.ts";
import { run } from "../../../src/lib/run.ts";
import { openMux } from "../../support/mux.ts";
import type { MuxProvider } from "../../../src/terminal/mux/provider.ts";
import { ProviderError } from "../../../src/terminal/provider.ts";
import { shellScript } from "../../support/shell-script.ts";
import { PrivateTmux } from "../../support/tmux.ts";
import { until } from "../../support/until.ts";
import { temporary } from "../../support/temporary.ts";

const signal = new AbortController().signal;
const log: string[] = [];
const open = (options: Partial<Parameters<typeof openMux>[0]> = {}) =>
  openMux({ socket: "", log: createLog((line) => log.push(line)), ...options });

const folder = await temporary("mux", afterAll);

/** An executable that stands in for tmux; arguments are `$*`. */
const script = (name: string, body: string) => shellScript(join(folder, name), body);

describe("the tmux executable", () => {
  test("refuses the start when it is missing, and says what to install or set", async () => {
    const opening = open({ binary: "no-such-multiplexer" });
    await expect(opening).rejects.toBeInstanceOf(StartupError);
    await expect(opening).rejects.toThrow(/no-such-multiplexer.*install tmux.*mux\.binary/);
  });

  test.each(["tmux 3.1c", "tmux 2.9", "tmux next-3.1"])("is too old: %s", async (version) => {
    const binary = await script("old", `echo '${version}'`);
    await expect(open({ binary })).rejects.toThrow(/3\.2 or newer/);
  });

  test.each([
    ["tmux 3.2", "3.2"],
    ["tmux 3.3a", "3.3a"],
    ["tmux 3.10", "3.10"],
    ["tmux next-3.6", "next-3.6"],
    ["tmux 4.0", "4.0"],
    ["tmux master", "master"],
    ["tmux openbsd-7.5", "openbsd-7.5"],
  ])("is accepted: %s", async (answer, version) => {
    const provider = await open({ binary: await script("new", `echo '${answer}'`) });
    expect(provider.info.version).toBe(version);
  });

  test("refuses the start when it does not answer as tmux does", async () => {
    const binary = await script("other", "echo hello");
    await expect(open({ binary })).rejects.toBeInstanceOf(StartupError);
  });

  test("makes the provider unavailable when it disappears later", async () => {
    const binary = await script("gone", "echo tmux 3.3a");
    const provider = await open({ binary });
    await rm(binary);
    const failure = await provider.list(signal).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ProviderError);
    expect(failure).toMatchObject({ health: "unavailable" });
  });
});

/** Prints the format and then the mark, as a server with one pane would. */
const ECHO_LISTING = `shift $(($# - 5)); printf '%s\\n' "$1" "$5"`;

describe("a tmux listing", () => {
  const listing = async (body: string) => {
    const provider = await open({
      binary: await script("fake", `case "$*" in *-V) echo tmux 3.3a ;; *) ${body} ;; esac`),
    });
    return provider.list(signal);
  };

  test.each([
    ["a refused socket", "echo 'error connecting to /x (Permission denied)' >&2; exit 1"],
    ["a server that ended", "echo 'server exited unexpectedly' >&2; exit 1"],
    ["an exit without a word", "exit 3"],
    ["text that was not asked for", "echo hello"],
    ["nothing, as of a server that ends in mid-answer", "exit 0"],
  ])("fails on %s", async (_name, body) => {
    await expect(listing(body)).rejects.toThrow();
  });

  test.each([
    ["the middle of a row", "head -c 300"],
    ["the end of a row", "sed 's/.$//'"],
    ["a field", "sed 's/#{pid} //'"],
    ["the mark at its end", "head -n 1"],
  ])("fails on output without %s", async (_name, filter) => {
    // The format itself serves as a row: only the framing is tested.
    const row = `${ECHO_LISTING} | sed 's/#{pane_id}/%1/'`;
    expect(await listing(row)).toHaveLength(1);
    await expect(listing(`${row} | ${filter}`)).rejects.toThrow(/listing/);
  });

  test.each([
    "no current target",
    "no server running on /tmp/tmux-0/default",
    "error connecting to /tmp/tmux-0/default (No such file or directory)",
  ])("is empty where tmux says '%s'", async (message) => {
    const listed = await listing(`echo '${message}' >&2; exit 1`);
    expect(listed).toEqual([]);
  });

  test("fails with tmux's message, without its escape sequences", async () => {
    const complaint = "printf 'boom: \\033[31mexploded\\033[0m\\007\\nmore' >&2; exit 1";
    await expect(listing(complaint)).rejects.toThrow(/: boom: exploded$/);
  });

  test("takes numbers that an older server leaves empty as unknown, and no screen as unchanged", async () => {
    const newer = "s/#{pane_output_generation}//";
    const unknown = `s/#{window_activity}//; s/#{cursor_x}//; ${newer}`;
    const old = `${ECHO_LISTING} | sed 's/#{pane_id}/%1/; ${unknown}'`;
    const binary = await script("older", `case "$*" in *-V) echo tmux 3.2 ;; *) ${old} ;; esac`);
    const provider = await open({ binary });
    const panes = await provider.list(signal);
    expect(panes[0]).toMatchObject({ cursor: null });
    // Without the activity no screen counts as unchanged.
    const [pane] = panes;
    const seen = pane ? [{ pane, captured: pane, at: 1e9, text: "" }] : [];
    expect(seen).toHaveLength(1);
    expect((await provider.unchanged(seen, 1e9, signal)).size).toBe(0);
  });
});

describe("a tmux capture", () => {
  const capturing = async (body: string) => {
    const provider = await open({
      binary: await script(
        "fake",
        `case "$*" in *-V) echo tmux 3.3a ;; *list-panes*) ${ECHO_LISTING} | sed 's/#{pane_id}/%1/' ;; *) ${READ}; ${body} ;; esac`,
      ),
    });
    const panes = await provider.list(signal);
    return provider.capture(panes, 200, signal);
  };
  // The first command on stdin: "display-message" "-p" "MARK".
  const READ = `mark=$(sed -n '2s/.* "\\(.*\\)"$/\\1/p')`;
  const SAY = "echo $mark";

  test("holds the text up to the mark at its end", async () => {
    const found = await capturing(`${SAY}; echo text; ${SAY}`);
    expect(found).toEqual(new Map([["%1", { text: "text\n", display: null }]]));
  });

  test.each([
    ["that is cut, though the exit code is 0", `${SAY}; echo te`],
    ["that is empty", "exit 0"],
    ["with one capture too many", `${SAY}; ${SAY}; ${SAY}`],
    ["of a server that ended", `${SAY}; echo 'server exited unexpectedly' >&2; exit 1`],
    ["of a client that was killed", `${SAY}; exit 137`],
    ["of other text", "echo hello"],
  ])("fails as a whole on output %s", async (_name, body) => {
    await expect(capturing(body)).rejects.toThrow(/capture/);
  });

  test("fails for one pane alone where only that pane cannot be captured", async () => {
    const failing = (why: string) => capturing(`${SAY}; ${SAY}; echo "${why}" >&2; exit 1`);
    expect((await failing("something about the pane")).get("%1")).toBeInstanceOf(Error);
    expect(await failing("can't find pane: %1")).toEqual(new Map());
    expect(await failing("something else\ncan't find pane: %1")).toEqual(new Map());
    expect((await failing("something\ncan't find pane: %2")).get("%1")).toBeInstanceOf(Error);
  });
});

describe("a real tmux server", () => {
  let tmux: PrivateTmux;
  let provider: MuxProvider;

  beforeEach(async () => {
    tmux = await PrivateTmux.idle();
    provider = await open({ socket: tmux.socket });
  });
  afterEach(() => tmux.stop());

  const list = () => provider.list(signal);

  test("lists a pane of linked windows and grouped sessions once, under its oldest session", async () => {
    const id = await tmux.quiet("shared", "zebra");
    await tmux.command("new-session", "-d", "-s", "alpha", "sleep", "600");
    await tmux.command("link-window", "-s", "zebra:0", "-t", "alpha:7");
    await tmux.command("new-window", "-d", "-t", "alpha:9", "sleep", "600");
    await tmux.command("new-session", "-d", "-s", "beta", "-t", "zebra");
    const panes = (await list()).filter((pane) => pane.id === id);
    expect(panes.map((pane) => pane.target)).toEqual(["zebra:0.0"]);
    expect((await provider.look(id, 200, signal))?.pane).toEqual(panes[0]);
    // In the order of the sessions that name them.
    const targets = (await list()).map((pane) => pane.target);
    expect(targets).toEqual(["alpha:0.0", "alpha:9.0", "zebra:0.0"]);
  });

  test("gives a pane a target of session, window and pane, and ids of tmux's own form alone are pane ids", async () => {
    const id = await tmux.quiet("build", "main");
    const [pane] = await list();
    expect(pane?.target).toMatch(/^main:\d+\.\d+$/);
    expect(pane?.hierarchy.map(({ kind }) => kind)).toEqual(["session", "window", "pane"]);
    expect([id, "%0", "%12"].every((each) => provider.isPaneId(each))).toBe(true);
    expect(["", "%", "%1;", "h:1", "main:0.0"].some((each) => provider.isPaneId(each))).toBe(false);
  });

  test("has an empty listing while it has no session", async () => {
    await tmux.command("start-server", ";", "set-option", "-g", "exit-empty", "off");
    expect(await provider.list(signal)).toEqual([]);
    await tmux.quiet();
    expect(await list()).toHaveLength(1);
  });

  test("lists floating and modal panes, where tmux has them", async () => {
    const first = await tmux.quiet();
    const floating: string[] = [];
    for (const flags of [[], ["-O"]]) {
      const print = ["-d", "-P", "-F", "#{pane_id}", "sleep 600"];
      const { code, stdout, stderr } = await tmux.run(["new-pane", ...flags, ...print]);
      if (code === 0) floating.push(new TextDecoder().decode(stdout).trim());
      else expect(stderr).toMatch(/^(unknown command|command new-pane: unknown flag)/);
    }
    const panes = await list();
    expect(panes.map(({ id }) => id)).toEqual([first, ...floating]);
    const found = await provider.capture(panes, 200, signal);
    expect([...found.keys()]).toEqual([first, ...floating]);
    for (const id of floating)
      expect(await provider.send(id, [{ do: "text", text: "x" }], null)).toBe("sent");
  });

  test("keeps a pane's identity when its program ends, and gives a respawned one another", async () => {
    const id = await tmux.quiet();
    await tmux.command("set-option", "-g", "remain-on-exit", "on");
    const [before] = await list();
    await run(["kill", await tmux.format(id, "#{pane_pid}")], { timeoutMs: 60_000, maxBytes: 0 });
    await until(async () => (await tmux.format(id, "#{pane_dead}")) === "1");
    const [after] = await list();
    expect([before?.hasEnded, after?.hasEnded]).toEqual([false, true]);
    expect(after?.identity).toBe(before?.identity ?? "");
    expect((await provider.look(id, 200, signal))?.pane.identity).toBe(before?.identity ?? "");
    await tmux.command("respawn-pane", "-t", id, "sleep", "601");
    expect((await list())[0]?.identity).not.toBe(before?.identity ?? "");
  });

  test("leaves a pane unchanged when its neighbour prints, where tmux counts output for each pane", async () => {
    const id = await tmux.quiet();
    const beside = await tmux.command(
      ...["split-window", "-d", "-t", id, "-P", "-F", "#{pane_id}", "sleep", "600"],
    );
    const [still] = await list();
    if (!still) throw new Error("not listed");
    const captured = await provider.capture([still], 200, signal);
    const capture = captured.get(id);
    if (!capture || capture instanceof Error) throw new Error("not captured");
    const at = performance.now() / 1000;
    await writeFile(await tmux.format(beside, "#{pane_tty}"), "output\r\n");
    await until(async () => (await tmux.screen(beside)).includes("output"));
    const pane = (await list()).find((each) => each.id === id) ?? still;
    const seen = [{ pane, captured: still, at, text: capture.text }];
    const isCounted = (await tmux.format(id, "#{pane_output_generation}")) !== "";
    expect((await provider.unchanged(seen, at, signal)).has(id)).toBe(isCounted);
  });

  test("reports a progress bar, where tmux knows of it", async () => {
    const id = await tmux.quiet();
    const tty = await tmux.format(id, "#{pane_tty}");
    expect((await list())[0]?.hasProgress).toBe(false);
    const knows = (await tmux.format(id, "#{pane_pb_state}")) !== "";
    await writeFile(tty, "\u001b]9;4;1;40\u0007building");
    await until(async () => (await tmux.screen(id)).includes("building"));
    expect((await list())[0]?.hasProgress).toBe(knows);
    await writeFile(tty, "\u001b]9;4;0\u0007, done");
    await until(async () => (await tmux.screen(id)).includes("done"));
    expect((await list())[0]?.hasProgress).toBe(false);
  });

  test("lists paths with line breaks and tabs whole", async () => {
    const cwd = join(tmux.folder, "a\n b\t$(id);'\"🙂");
    await mkdir(cwd);
    await tmux.command("new-session", "-d", "-c", cwd, "sleep", "600");
    const seen = async () => (await list()).map((pane) => [pane.command, pane.cwd]);
    await until(async () => Bun.deepEquals(await seen(), [["sleep", cwd]]));
  });

  test("lists and captures 200 panes, and sends 64 KiB to one of them", async () => {
    const first = await tmux.quiet();
    const more = ["new-window", "-d", "-t", "main:", "sleep 600"];
    await tmux.feed(Array.from({ length: 200 }, () => [more]));
    const panes = await list();
    expect(panes).toHaveLength(201);
    const tty = await tmux.format(first, "#{pane_tty}");
    await writeFile(tty, "the first\r\n");
    const found = await until(async () => {
      const captures = await provider.capture(panes, 200, signal);
      const one = captures.get(first);
      return one && "text" in one && one.text.includes("the first") ? captures : null;
    });
    expect([...found.keys()]).toEqual(panes.map((pane) => pane.id));
    expect([...found.values()].filter((capture) => capture instanceof Error)).toEqual([]);
    const text = "x".repeat(64 * 1024);
    expect(await provider.send(first, [{ do: "text", text }], null)).toBe("sent");
  });

  test("joins wrapped lines, keeps attributes, and captures history above the screen", async () => {
    const id = await tmux.quiet();
    const tty = await tmux.format(id, "#{pane_tty}");
    const wide = "w".repeat(100);
    const rows = Array.from({ length: 40 }, (_, row) => `row ${row}`).join("\r\n");
    await writeFile(tty, `${rows}\r\n${wide}\r\n\u001b[31mred\u001b[0m end\r\n`);
    const capture = async (lines: number) => {
      const found = (await provider.capture(await list(), lines, signal)).get(id);
      return found && "text" in found ? found.text : "";
    };
    const text = await until(async () => {
      const now = await capture(200);
      return now.includes("end") ? now : null;
    });
    expect(text).toContain(`${wide}\n`);
    expect(text).toContain("\u001b[31mred\u001b[39m end");
    expect(text).toStartWith("row 0");
    expect(await capture(30)).not.toContain("row 10\n");
    // Without history it is the end of the same text: the sweep compares that.
    const screen = await capture(0);
    expect(screen).toStartWith("row 20\n");
    expect(text).toEndWith(screen);
  });

  test("captures an alternate screen without the history from before it", async () => {
    const id = await tmux.quiet();
    const tty = await tmux.format(id, "#{pane_tty}");
    const rows = Array.from({ length: 60 }, (_, row) => `older ${row}`).join("\r\n");
    await writeFile(tty, `${rows}\r\n\u001b[?1049h\u001b[2J\u001b[Hfull screen`);
    const pane = await until(async () => (await list()).find((each) => each.alternate));
    const found = (await provider.capture([pane], 200, signal)).get(id);
    expect(found && "text" in found && found.text.trimEnd()).toBe("full screen");
  });

  test("captures the rows of an alternate screen as they are drawn, also over a line that wrapped", async () => {
    const id = await tmux.quiet();
    const tty = await tmux.format(id, "#{pane_tty}");
    const drawn = `\u001b[H${"first".padEnd(80)}\u001b[2H${"second".padEnd(80)}`;
    await writeFile(tty, `\u001b[?1049h\u001b[2J\u001b[H${"w".repeat(100)}${drawn}`);
    const pane = await until(async () => (await list()).find((each) => each.alternate));
    const found = (await provider.capture([pane], 200, signal)).get(id);
    expect(found && "text" in found && found.text.trimEnd()).toBe("first\nsecond");
  });

  test("loses automatic renaming once where the settings ask for that, and again after a restart", async () => {
    const renaming = await open({ socket: tmux.socket, disableAutoRename: true });
    const option = () => tmux.command("show-options", "-gwv", "automatic-rename");
    await renaming.list(signal);
    await tmux.quiet();
    await provider.list(signal);
    expect(await option()).toBe("on");
    await renaming.list(signal);
    await until(async () => (await option()) === "off");
    expect(await option()).toBe("off");
    // A person may switch it on again.
    await tmux.command("set-option", "-gw", "automatic-rename", "on");
    await renaming.list(signal);
    expect(await option()).toBe("on");
    await tmux.kill();
    await renaming.list(signal);
    await tmux.quiet();
    await renaming.list(signal);
    await until(async () => (await option()) === "off");
    expect(await option()).toBe("off");
  });

  test("gives a failure, a whole or an empty listing when it is killed under load, never a part", async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 10; i++) await tmux.quiet();
      const panes = await list();
      const captures = Array.from({ length: 4 }, async () => {
        return `captured ${(await provider.capture(panes, 200, signal)).size}`;
      });
      const listings = Array.from({ length: 4 }, async () => `listed ${(await list()).length}`);
      const results = Promise.allSettled([...captures, ...listings]);
      const killed = tmux.kill();
      for (const result of await results)
        seen.add(result.status === "rejected" ? "failed" : result.value);
      await killed;
    }
    for (const outcome of seen)
      expect(["failed", "captured 10", "listed 10", "listed 0"]).toContain(outcome);
  });
});
