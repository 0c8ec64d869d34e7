import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OVERLAY_FILE } from "../config/overlay.ts";
import { StartupError } from "../errors.ts";
import { quoteWord } from "../lib/quote.ts";
import { run, RunError } from "../lib/run.ts";
import { AGENT_NAMES, FRESH, PANES, PROJECTS, type SamplePane } from "./panes.ts";
import { makeRepository } from "./repository.ts";
import { writeEndedSessions } from "./sessions/ended.ts";
import { HOMES, SESSION_WORDS } from "./sessions/session-file.ts";

/** The word with which this program starts itself as a sample pane; no person types it. */
export const SAMPLE_WORD = "demo-pane";

const TMUX_TIMEOUT_MS = 10_000;
const PARENT_CHECK_MS = 1000;

export interface DemoOptions {
  /** Runs the service on this configuration file until it is stopped; the result is its exit code. */
  serve: (configPath: string) => Promise<number>;
  /** The command line that starts this program again: the executable, or Bun and `main.ts`. */
  self: readonly string[];
  /** How many seconds of the sample agents pass in one; absent: one. */
  pace?: number;
}

/**
 * Sample panes on a tmux server of their own, and the service on them. Everything lives in one
 * temporary folder that goes with it, also when this process is killed.
 * @throws StartupError when there is no tmux
 */
export async function runDemo({ serve, self, pace = 1 }: DemoOptions): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "panewatch-demo-"));
  const server = new SampleServer(folder, self, pace);
  const parent = watchParent();
  try {
    await server.start();
    const state = join(folder, "state");
    const config = join(state, "panewatch.yaml");
    await mkdir(state, { mode: 0o700 });
    writeEndedSessions(folder, join(folder, "code", "shop"));
    const overlay = { experimental_agent_workspace_enabled: true };
    await Bun.write(join(state, OVERLAY_FILE), JSON.stringify(overlay));
    await Bun.write(config, configOf(server, folder));
    process.stdout.write("All that it shows is a sample, and gone with Ctrl-C.\n");
    return await serve(config);
  } finally {
    clearInterval(parent);
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function configOf(server: SampleServer, folder: string): string {
  const pathOf = (...names: string[]) => JSON.stringify(join(folder, ...names));
  const runtimes = (["agent_a", "agent_b"] as const).map(
    (each) => `    ${each}: ${JSON.stringify(server.argvOf(FRESH[each], AGENT_NAMES[each]))}`,
  );
  return [
    "# Made by `panewatch demo`; goes when it ends.",
    `mux:\n  socket: ${JSON.stringify(server.socket)}`,
    // The demo must not read the person's own logs, whatever is switched on in it.
    `agents:\n  agent_a_home: ${pathOf(HOMES.agent_a)}\n  agent_b_home: ${pathOf(HOMES.agent_b)}`,
    "naming_mode: window",
    `creation:\n  roots:\n    - label: code\n      path: ${pathOf("code")}`,
    `  runtimes:\n${runtimes.join("\n")}\n`,
  ].join("\n");
}

/** Ends the demo when the process that started it has gone. */
function watchParent(): Timer {
  const parent = process.ppid;
  return setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGTERM");
  }, PARENT_CHECK_MS);
}

/** The private tmux server with the sample panes. */
export class SampleServer {
  readonly socket: string;
  readonly #folder: string;
  readonly #self: readonly string[];
  readonly #pace: number;

  constructor(folder: string, self: readonly string[], pace = 1) {
    this.#folder = folder;
    this.#self = self;
    this.#pace = pace;
    this.socket = join(folder, "tmux.sock");
  }

  async start(): Promise<void> {
    for (const name of PROJECTS) await mkdir(this.#projectOf(name), { recursive: true });
    // A program is recognised by the name that it runs under, so each is a link to this program.
    for (const name of new Set(PANES.flatMap((pane) => pane.name ?? [])))
      await symlink(this.#self[0] ?? process.execPath, join(this.#folder, name));
    const sessions = new Set<string>();
    for (const pane of PANES) {
      // The watchdog starts with the server: there is no moment without it.
      const watch = sessions.size === 0 ? [";", "run-shell", "-b", this.#watchdog()] : [];
      await this.#tmux(...this.#opening(pane, sessions.has(pane.session)), ...watch);
      sessions.add(pane.session);
    }
    await makeRepository(this.#projectOf("shop"));
  }

  async stop(): Promise<void> {
    // The server may never have started, or have ended with its last pane.
    await this.#run(["kill-server"]).catch(() => null);
  }

  #opening(pane: SamplePane, hasSession: boolean): string[] {
    const { session, window } = pane;
    const place = hasSession
      ? ["new-window", "-d", "-t", `=${session}:`]
      : ["new-session", "-d", "-s", session, "-x", "100", "-y", "30"];
    const environment = [...(process.env.LANG ? [] : ["-e", "LANG=C.UTF-8"]), "-e", "PS1=$ "];
    const folder = PROJECTS.includes(session) ? ["-c", this.#projectOf(session)] : [];
    return [...place, ...folder, ...environment, "-n", window, ...this.#commandOf(pane)];
  }

  #commandOf({ name, program, runtime }: SamplePane): string[] {
    if (!name || !program) return ["sh"];
    // The session's id among the arguments ties the process to its session.
    const session = runtime ? [SESSION_WORDS[runtime], crypto.randomUUID()] : [];
    return [...this.argvOf(program, name), ...session];
  }

  /** What starts a sample program under a name. */
  argvOf(program: string, name: string): string[] {
    const rest = this.#self.slice(1);
    return [join(this.#folder, name), ...rest, SAMPLE_WORD, program, `${this.#pace}`, this.#folder];
  }

  #projectOf(name: string): string {
    return join(this.#folder, "code", name);
  }

  /** A killed demo cannot clean up after itself: the server looks whether it still lives. */
  #watchdog(): string {
    const folder = quoteWord(this.#folder);
    return `while kill -0 ${process.pid}; do sleep 1; done; rm -rf -- ${folder}; kill #{pid}`;
  }

  async #tmux(...args: string[]): Promise<void> {
    const { code, stderr } = await this.#run(args).catch((cause: unknown) => {
      const isMissing = cause instanceof RunError && cause.kind === "not_found";
      if (isMissing) throw new StartupError("the demo needs tmux: install it first", { cause });
      throw cause;
    });
    if (code !== 0) throw new Error(`the demo's tmux refused ${args[0]}: ${stderr.trim()}`);
  }

  #run(args: readonly string[]) {
    return run(["tmux", "-u", "-f", "/dev/null", "-S", this.socket, ...args], {
      timeoutMs: TMUX_TIMEOUT_MS,
      maxBytes: 64 * 1024,
      env: { ...process.env, TMUX: undefined },
    });
  }
}
