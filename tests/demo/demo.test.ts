import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SampleServer } from "../../src/demo/server.ts";
import { run } from "../../src/lib/run.ts";
import { becomes } from "../support/becomes.ts";
import { isAlive } from "../support/strays.ts";
import { PANEWATCH } from "../support/program.ts";
import { until } from "../support/until.ts";
import { temporary } from "../support/temporary.ts";

const ENTRY = join(import.meta.dir, "entry.ts");

const folder = await temporary("test", afterAll);
const server = new SampleServer(folder, { self: PANEWATCH, pace: 6 });
await server.start();
afterAll(() => server.stop());

async function tmux(socket: string, ...args: string[]): Promise<string> {
  const options = { timeoutMs: 60_000, maxBytes: 1_000_000 };
  const { code, stdout, stderr } = await run(["tmux", "-u", "-S", socket, ...args], options);
  if (code !== 0) throw new Error(stderr);
  return new TextDecoder().decode(stdout).trimEnd();
}
const screen = (window: string) => tmux(server.socket, "capture-pane", "-p", "-t", window);
const shows = (window: string, text: string) =>
  until(async () => (await screen(window)).includes(text));
const keys = (window: string, ...names: string[]) =>
  tmux(server.socket, "send-keys", "-t", window, ...names);

describe("sample panes", () => {
  test("run under the commands that they are recognised by", async () => {
    await shows("shop:checkout", "Do you want to proceed?");
    // A pane is a shell for the moment before it is its program.
    const format = "#{window_name} #{pane_current_command}";
    const list = async () =>
      (await tmux(server.socket, "list-panes", "-a", "-F", format)).split("\n").sort();
    await becomes(list, [
      "build build",
      "catalogue codex-demo",
      "checkout claude-demo",
      "discounts claude-demo",
      "import import-orders",
      "notes sh",
      "orders codex-demo",
      "pages claude-demo",
      "release release",
      "search codex-demo",
      "shell sh",
      "storage claude-demo",
    ]);
  });

  test("react to their answers", async () => {
    await keys("shop:checkout", "1");
    await shows("shop:checkout", "Done: run the tests of the checkout.");
    await shows("shop:storage", "Which database");
    await keys("shop:storage", "2");
    await shows("shop:storage", "Going with PostgreSQL.");
    await shows("ops:release", "Overwrite? [y/N]");
    await keys("ops:release", "y", "Enter");
    await shows("ops:release", "Wrote release/app.tar.gz.");
    await shows("ops:import", "ValueError");
    await shows("ops:build", "compiling core");
    // The next request comes by itself.
    await shows("shop:checkout", "rm -rf build/checkout");
  });
});

describe("a demo leaves no folder and no server", () => {
  async function start(name: string, argv: (note: string) => string[]) {
    const note = join(folder, `config-${name}`);
    const started = Bun.spawn(argv(note), { stdio: ["ignore", "ignore", "inherit"] });
    const config = await until(
      () => (existsSync(note) ? readFileSync(note, "utf8") : null) || null,
    );
    const home = dirname(dirname(config));
    expect(Bun.YAML.parse(readFileSync(config, "utf8"))).toMatchObject({
      agents: { agent_a_home: join(home, ".claude"), agent_b_home: join(home, ".codex") },
      creation: {
        roots: [{ label: "code", path: join(home, "code") }],
        runtimes: {
          agent_a: expect.arrayContaining([join(home, "claude-demo")]),
          agent_b: expect.arrayContaining([join(home, "codex-demo")]),
        },
      },
    });
    expect(existsSync(join(home, "code", "shop"))).toBe(true);
    const pid = Number(await tmux(join(home, "tmux.sock"), "display-message", "-p", "#{pid}"));
    const isGone = () => until(() => (existsSync(home) || isAlive(pid) ? null : true));
    return { started, isGone, home };
  }

  test("when it is stopped", async () => {
    const { started, isGone } = await start("stopped", demo);
    started.kill("SIGINT");
    expect(await started.exited).toBe(0);
    expect(await isGone()).toBe(true);
  });

  test("when it is killed", async () => {
    const { started, isGone, home } = await start("killed", demo);
    const logs = () => [...new Bun.Glob(".c*/**/*.jsonl").scanSync({ cwd: home, dot: true })];
    await until(() => logs().length === 9);
    started.kill("SIGKILL");
    expect(await isGone()).toBe(true);
  });

  test("when it is killed during its start", async () => {
    const tmp = join(folder, "killed-early");
    await mkdir(tmp);
    const started = Bun.spawn(demo(join(tmp, "note")), {
      env: { ...process.env, TMPDIR: tmp },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const socket = await until(
      () => new Bun.Glob("*/tmux.sock").scanSync({ cwd: tmp, onlyFiles: false }).next().value,
    );
    started.kill("SIGKILL");
    expect(await until(() => (existsSync(dirname(join(tmp, socket))) ? null : true))).toBe(true);
  });

  test("when the process that started it is killed", async () => {
    const { started, isGone } = await start("orphan", (note) => [
      ...["sh", "-c", '"$@"; :', "sh"],
      ...demo(note),
    ]);
    started.kill("SIGKILL");
    expect(await isGone()).toBe(true);
  });
});

const demo = (note: string) => [process.execPath, ENTRY, note, ...PANEWATCH];
