import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run, type RunResult } from "../../src/lib/run.ts";
import { FEED } from "../../src/terminal/mux/client.ts";
import { argumentsOf, type CommandLine, scriptOf } from "../../src/terminal/mux/tmux.ts";
import { until } from "./until.ts";

/** A tmux server of a test's own, in a folder of its own. `stop()` belongs into `afterAll`. */
export class PrivateTmux {
  readonly folder: string;
  /** For programs that shall find this server as a person's would be found. */
  readonly env: Record<string, string | undefined>;

  readonly #sessions = new Map<string, string>();

  private constructor(folder: string) {
    this.folder = folder;
    this.env = {
      ...process.env,
      TMUX_TMPDIR: folder,
      // A service that is killed leaves here what it was working on, and it goes with the folder.
      TMPDIR: folder,
      TMUX: undefined,
      TERM: "xterm-256color",
      // tmux runs a command of one word through it: the same on every machine.
      SHELL: "/bin/sh",
    };
  }

  /** No server yet: the first pane starts it. */
  static async idle(): Promise<PrivateTmux> {
    return new PrivateTmux(await mkdtemp(join(tmpdir(), "panewatch-tmux-")));
  }

  static async start(size = { width: 80, height: 24 }): Promise<PrivateTmux> {
    const tmux = await PrivateTmux.idle();
    await tmux.boot(size);
    return tmux;
  }

  /** Starts the server with one session, `main`; again, after it was killed. */
  async boot({ width, height } = { width: 80, height: 24 }): Promise<void> {
    const session = ["new-session", "-d", "-s", "main", "-n", "first"];
    const size = ["set-option", "-g", "default-size", `${width}x${height}`];
    const shell = ["set-option", "-g", "default-command", "exec sh"];
    await this.command(...session, ";", ...size, ";", ...shell);
  }

  get socket(): string {
    return join(this.folder, `tmux-${process.getuid?.() ?? 0}`, "default");
  }

  run = (args: readonly string[], stdin?: string): Promise<RunResult> =>
    run(["tmux", "-u", "-f", "/dev/null", ...args], {
      timeoutMs: 60_000,
      maxBytes: 16 * 1024 * 1024,
      env: this.env,
      ...(stdin === undefined ? {} : { stdin }),
    });

  /** As `MuxClient.feed`. */
  feed = (lines: readonly CommandLine[]): Promise<RunResult> =>
    this.run(argumentsOf(FEED), scriptOf(lines));

  /** @returns stdout without the last newline. @throws Error when tmux fails. */
  async command(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args);
    if (code !== 0) throw new Error(`tmux ${args.join(" ")}: ${stderr}`);
    return new TextDecoder().decode(stdout).replace(/\n$/, "");
  }

  /**
   * A pane in a window of its own that runs `command`; answers its id. One word is a line for the
   * shell, which stays in the foreground unless the line says `exec`.
   */
  async open(command: readonly string[] = []): Promise<string> {
    return this.command("new-window", "-d", "-t", "main:", "-P", "-F", "#{pane_id}", ...command);
  }

  /** A pane that prints nothing, in a window of its own; starts server and session when needed. */
  async quiet(window = "work", session = "main"): Promise<string> {
    const print = ["-P", "-F", "#{session_id} #{pane_id}", "sleep", "600"];
    const known = this.#sessions.get(session);
    const { code } = known ? await this.run(["has-session", "-t", known]) : { code: 1 };
    const created =
      known && code === 0
        ? await this.command("new-window", "-d", "-t", `${known}:`, "-n", window, ...print)
        : await this.#begin(["new-session", "-d", "-s", session, "-n", window, ...print]);
    const [sessionId = "", paneId = ""] = created.split(" ");
    this.#sessions.set(session, sessionId);
    // Between fork and exec it is still tmux itself.
    await until(async () => {
      const running = await this.format(paneId, "#{pane_current_command} #{pane_current_path}");
      return running.startsWith("sleep /") || null;
    });
    return paneId;
  }

  /** A server that is just ending takes no session; the one after it does. */
  #begin(args: readonly string[]): Promise<string> {
    return until(() =>
      this.command(...args).catch((error: unknown) => {
        if (/server exited unexpectedly/.test(String(error))) return null;
        throw error;
      }),
    );
  }

  async format(pane: string, format: string): Promise<string> {
    return this.command("display-message", "-p", "-t", pane, format);
  }

  async screen(pane: string): Promise<string> {
    return this.command("capture-pane", "-p", "-t", pane);
  }

  /** Ends the server and waits until it is gone. */
  async kill(): Promise<void> {
    await this.run(["kill-server"]);
    await until(async () => {
      const { stderr } = await this.run(["list-sessions"]);
      return /^(no server running|error connecting)/.test(stderr) || null;
    });
  }

  async stop(): Promise<void> {
    await this.run(["kill-server"]);
    await rm(this.folder, { recursive: true, force: true });
  }
}
