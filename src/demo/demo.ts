import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OVERLAY_FILE } from "../config/overlay.ts";
import { StartupError } from "../errors.ts";
import { quoteWord } from "../lib/quote.ts";
import { run, RunError } from "../lib/run.ts";
import type { SampleRuntime } from "./requests.ts";
import { HOMES, SESSION_WORDS } from "./sessions/session-file.ts";

/** One sample pane: its place, and the program in it (absent: a shell). */
interface SamplePane {
  session: string;
  window: string;
  /** The name that the program runs under, which is how it is recognised. */
  name?: string;
  program?: string;
  /** Of an agent, whose session is logged where the workspace is shown. */
  runtime?: SampleRuntime;
}

const PANES: readonly SamplePane[] = [
  {
    session: "shop",
    window: "checkout",
    name: "claude-demo",
    program: "permission",
    runtime: "agent_a",
  },
  {
    session: "shop",
    window: "storage",
    name: "claude-demo",
    program: "questions",
    runtime: "agent_a",
  },
  { session: "ops", window: "release", name: "release", program: "release" },
  { session: "ops", window: "build", name: "build", program: "build" },
  { session: "ops", window: "import", name: "import-orders", program: "imports" },
  { session: "home", window: "shell" },
  { session: "home", window: "notes" },
];

/** Beside them where the workspace is shown. */
const WORKSPACE_PANES: readonly SamplePane[] = [
  {
    ...{ session: "shop", window: "discounts", name: "claude-demo", program: "discounts" },
    runtime: "agent_a",
  },
  {
    ...{ session: "shop", window: "search", name: "codex-demo", program: "search" },
    runtime: "agent_b",
  },
  {
    ...{ session: "shop", window: "orders", name: "codex-demo", program: "worker" },
    runtime: "agent_b",
  },
];

/** Folders in which panes can be made. */
const PROJECTS = ["shop", "ops"];

/** The word with which this program starts itself as a sample pane; no person types it. */
export const SAMPLE_WORD = "demo-pane";

const TMUX_TIMEOUT_MS = 10_000;
const PARENT_CHECK_MS = 1000;

export interface DemoOptions {
  /** Runs the service on this configuration file until it is stopped; the result is its exit code. */
  serve: (configPath: string) => Promise<number>;
  /** The command line that starts this program again: the executable, or Bun and `main.ts`. */
  self: readonly string[];
  /** With the agent workspace switched on, over sample sessions that grow and ask. */
  agents?: boolean;
  /** How many seconds of the sample agents pass in one; absent: one. */
  pace?: number;
}

/**
 * Sample panes on a tmux server of their own, and the service on them. Everything lives in one
 * temporary folder that goes with it, also when this process is killed.
 * @throws StartupError when there is no tmux
 */
export async function runDemo({
  serve,
  self,
  agents = false,
  pace = 1,
}: DemoOptions): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "panewatch-demo-"));
  const server = new SampleServer(folder, self, { agents, pace });
  const parent = watchParent();
  try {
    await server.start();
    const state = join(folder, "state");
    const config = join(state, "panewatch.yaml");
    await mkdir(state, { mode: 0o700 });
    for (const name of PROJECTS) await mkdir(join(folder, "code", name), { recursive: true });
    const overlay = { experimental_agent_workspace_enabled: true };
    if (agents) await Bun.write(join(state, OVERLAY_FILE), JSON.stringify(overlay));
    await Bun.write(config, configOf(server.socket, folder));
    process.stdout.write("All that it shows is a sample, and gone with Ctrl-C.\n");
    return await serve(config);
  } finally {
    clearInterval(parent);
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function configOf(socket: string, folder: string): string {
  const pathOf = (...names: string[]) => JSON.stringify(join(folder, ...names));
  return [
    "# Made by `panewatch demo`; goes when it ends.",
    `mux:\n  socket: ${JSON.stringify(socket)}`,
    // The demo must not read the person's own logs, whatever is switched on in it.
    `agents:\n  agent_a_home: ${pathOf(HOMES.agent_a)}\n  agent_b_home: ${pathOf(HOMES.agent_b)}`,
    "naming_mode: window",
    "discovery:\n  include_shells: true",
    `creation:\n  roots:\n    - label: code\n      path: ${pathOf("code")}\n`,
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
  readonly #hasSessions: boolean;
  readonly #pace: number;

  constructor(folder: string, self: readonly string[], { agents = false, pace = 1 } = {}) {
    this.#folder = folder;
    this.#self = self;
    this.#hasSessions = agents;
    this.#pace = pace;
    this.socket = join(folder, "tmux.sock");
  }

  async start(): Promise<void> {
    const sessions = new Set<string>();
    for (const pane of this.#hasSessions ? [...PANES, ...WORKSPACE_PANES] : PANES) {
      // The watchdog starts with the server: there is no moment without it.
      const watch = sessions.size === 0 ? [";", "run-shell", "-b", this.#watchdog()] : [];
      await this.#tmux(...(await this.#opening(pane, sessions.has(pane.session))), ...watch);
      sessions.add(pane.session);
    }
  }

  async stop(): Promise<void> {
    // The server may never have started, or have ended with its last pane.
    await this.#run(["kill-server"]).catch(() => null);
  }

  async #opening(pane: SamplePane, hasSession: boolean): Promise<string[]> {
    const { session, window } = pane;
    const place = hasSession
      ? ["new-window", "-d", "-t", `=${session}:`]
      : ["new-session", "-d", "-s", session, "-x", "100", "-y", "30"];
    const environment = [...(process.env.LANG ? [] : ["-e", "LANG=C.UTF-8"]), "-e", "PS1=$ "];
    return [...place, ...environment, "-n", window, ...(await this.#commandOf(pane))];
  }

  // A program is recognised by the name that it runs under, so each is a link to this program.
  async #commandOf({ name, program, runtime }: SamplePane): Promise<string[]> {
    const [executable = process.execPath, ...rest] = this.#self;
    if (!name || !program) return ["sh"];
    const link = join(this.#folder, name);
    await symlink(executable, link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    // The session's id among the arguments ties the process to its session.
    const isLogged = this.#hasSessions && runtime !== undefined;
    const session = isLogged ? [SESSION_WORDS[runtime], crypto.randomUUID(), this.#folder] : [];
    return [link, ...rest, SAMPLE_WORD, program, String(this.#pace), ...session];
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
