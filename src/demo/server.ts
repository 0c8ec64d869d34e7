import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { StartupError } from "../errors.ts";
import { run, RunError } from "../lib/run.ts";
import { quoteWord } from "../lib/words.ts";
import { SAMPLE_AGENTS, type SampleRuntime } from "./scripts.ts";
import { SESSION_WORDS } from "./session-file.ts";

interface SamplePane {
  session: string;
  window: string;
  /** The name under which the program runs and is recognised. */
  name?: string;
  /** Absent: a shell. */
  program?: string;
  /** The agent writes a log. */
  isLogged?: boolean;
}

const NAMES: Readonly<Record<SampleRuntime, string>> = {
  agent_a: "claude-demo",
  agent_b: "codex-demo",
};

function nameOf(program: string): string {
  return NAMES[SAMPLE_AGENTS[program]?.runtime ?? "agent_a"];
}

const agent = (session: string, window: string, program: string): SamplePane => ({
  ...{ session, window, program, name: nameOf(program), isLogged: session === "shop" },
});

const PANES: readonly SamplePane[] = [
  agent("shop", "checkout", "permission"),
  agent("shop", "storage", "questions"),
  agent("shop", "discounts", "discounts"),
  agent("shop", "search", "search"),
  agent("shop", "orders", "worker"),
  agent("shop", "catalogue", "busy"),
  agent("shop", "pages", "limited"),
  { session: "ops", window: "release", name: "release", program: "release" },
  { session: "ops", window: "build", name: "build", program: "build" },
  { session: "ops", window: "import", name: "import-orders", program: "imports" },
  { session: "home", window: "shell" },
  { session: "home", window: "notes" },
];

interface SampleMachine {
  name: string;
  panes: readonly SamplePane[];
  /** Folders of the machine; the panes of a session of that name start there. */
  projects: readonly string[];
}

/** The machine of the demo itself. */
export const LAPTOP: SampleMachine = { name: "laptop", panes: PANES, projects: ["shop", "ops"] };

/** Reached over ssh; logs of their agents are not read. */
export const MACHINES: readonly SampleMachine[] = [
  {
    name: "buildbox",
    panes: [
      agent("ci", "nightly", "permission"),
      { session: "ci", window: "artifacts", name: "release", program: "release" },
      { session: "ci", window: "compile", name: "build", program: "build" },
    ],
    projects: ["ci"],
  },
  {
    name: "gpu-1",
    panes: [
      agent("train", "ranking", "search"),
      { session: "train", window: "load", name: "import-orders", program: "imports" },
    ],
    projects: ["train"],
  },
];

/** The word with which this program starts itself as a sample pane; no person types it. */
const SAMPLE_WORD = "demo-pane";

const TMUX_TIMEOUT_MS = 10_000;

interface SampleServerOptions {
  /** The command line that starts this program again: the executable, or Bun and `main.ts`. */
  self: readonly string[];
  /** Seconds of the sample agents in one second; absent: one. */
  pace?: number;
  /** Absent: the laptop. */
  machine?: SampleMachine;
  socket?: string;
}

export class SampleServer {
  readonly socket: string;
  readonly #folder: string;
  readonly #options: SampleServerOptions;
  readonly #machine: SampleMachine;

  constructor(folder: string, options: SampleServerOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#machine = options.machine ?? LAPTOP;
    this.socket = options.socket ?? join(folder, "tmux.sock");
  }

  async start(): Promise<void> {
    const { panes, projects } = this.#machine;
    for (const name of projects) await mkdir(this.#projectOf(name), { recursive: true });
    // A program is recognised by the name under which it runs, so each is a link to this program.
    for (const name of new Set(panes.flatMap((pane) => pane.name ?? [])))
      await symlink(this.#options.self[0] ?? process.execPath, join(this.#folder, name));
    const sessions = new Set<string>();
    for (const pane of panes) {
      // The watchdog starts with the server: there is no moment without it.
      const watch = sessions.size === 0 ? [";", "run-shell", "-b", this.#watchdog()] : [];
      await this.#tmux(...this.#opening(pane, sessions.has(pane.session)), ...watch);
      sessions.add(pane.session);
    }
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
    const folder = this.#machine.projects.includes(session) ? ["-c", this.#projectOf(session)] : [];
    return [...place, ...folder, ...environment, "-n", window, ...this.#commandOf(pane)];
  }

  #commandOf({ name, program, isLogged }: SamplePane): string[] {
    if (!name || !program) return ["sh"];
    const script = isLogged ? SAMPLE_AGENTS[program] : undefined;
    // The id among the arguments ties the process to its session.
    const session = script ? [SESSION_WORDS[script.runtime], crypto.randomUUID()] : [];
    return [...this.argvOf(program, name), ...session];
  }

  argvOf(program: string, name = nameOf(program)): string[] {
    const { self, pace = 1 } = this.#options;
    const words = [...self.slice(1), SAMPLE_WORD, program, String(pace), this.#folder];
    return [join(this.#folder, name), ...words];
  }

  #projectOf(name: string): string {
    return join(this.#folder, "code", name);
  }

  /**
   * A killed demo cannot clean up: the tmux server watches its process. It ends first, since its panes
   * write into the folder, and asks its jobs to end as well.
   */
  #watchdog(): string {
    const folder = quoteWord(this.#folder);
    const end = `kill #{pid}; sleep 1; until rm -rf -- ${folder}; do sleep 1; done`;
    return `trap '' HUP TERM; while kill -0 ${process.pid}; do sleep 1; done; ${end}`;
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
