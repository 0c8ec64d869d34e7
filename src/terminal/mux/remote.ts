import type { TerminalUse } from "../../detect/finding.ts";
import { Semaphore } from "../../lib/lock.ts";
import { type Limits, RunError, type RunResult } from "../../lib/run.ts";
import { quoteWord } from "../../lib/words.ts";
import { parseVersion } from "./client.ts";
import { newMark } from "./commands.ts";
import { type PaneProcesses, type Processes, ProcessTable, PS } from "./process-table.ts";
import type { Proc } from "./proc.ts";
import { NO_PROC, parseProc, procScript } from "./remote-proc.ts";
import { terminalUse } from "./terminal-use.ts";
import { type CommandLine, scriptOf, type ExpectedScreen, type Tmux } from "./tmux.ts";

interface RemoteShell {
  /** The output of `tmux -V` there; null while it is not known. */
  readonly version: string | null;
  /** A secret of each connection; empty without one. */
  readonly mark: string;
  /** Commands for tmux or a script; one after another, except `aside`, which holds up no other. */
  ask(kind: "tmux" | "sh" | "aside", text: string, limits: Limits): Promise<RunResult>;
}

export class RemoteTmux implements Tmux {
  readonly socket = null;
  /** About 256 kB: requests made meanwhile wait for the rest of a batch. */
  readonly batchRows = 2500;
  readonly #shell: RemoteShell;

  constructor(shell: RemoteShell) {
    this.#shell = shell;
  }

  get version(): string | null {
    return parseVersion(this.#shell.version ?? "");
  }

  newMark(): string {
    return this.#shell.mark || newMark();
  }

  run(line: CommandLine, limits: Limits): Promise<RunResult> {
    if (line[0]?.[0] !== "new-session") return this.feed([line], limits);
    // This command may find no server, and tmux starts one only for a command in its arguments.
    const script = `tmux -u start-server \\; source-file - <<'END'\n${scriptOf([line])}END\n`;
    return this.#shell.ask("sh", script, limits);
  }

  feed(lines: readonly CommandLine[], limits: Limits): Promise<RunResult> {
    return this.#shell.ask("tmux", scriptOf(lines), limits);
  }

  feedWhere(
    { read, output }: ExpectedScreen,
    lines: readonly CommandLine[],
    limits: Limits,
  ): Promise<RunResult> {
    const script = `seen=$(tmux -u source-file - <<'END'
${scriptOf([read])}END
)
case ${quoteForShell(`\n${output.replace(/\n+$/, "")}`)} in
*"
$seen") exec tmux -u source-file - <<'END'
${scriptOf(lines)}END
;;
*) echo refused ;;
esac
`;
    return this.#shell.ask("sh", script, limits);
  }
}

/** One word of a shell. A line of a dot alone would end the request. */
const quoteForShell = (text: string): string => quoteWord(text).replace(/^\.$/gm, "''.");

const ASIDE_LIMITS = { timeoutMs: 3000, maxBytes: 1024 * 1024 };
/** After a script that timed out, each time twice as long: `ps` hangs as long as its disk does. */
const FIRST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 5 * 60_000;
const USE_RECENT_MS = 3000;
const PS_AGES_MS = { now: 1000, recent: 10_000 };
/** Only processes with a terminal, and as much of their arguments as tells the program. */
const PS_SCRIPT = `LC_ALL=C ${PS.join(" ")} | awk '$4 > 0 { print substr($0, 1, 600) }'`;

/** By `ps` and by the shell there: the /proc of another machine cannot be read from here. */
export class RemoteProcesses implements Processes {
  readonly #shell: Pick<RemoteShell, "ask">;
  readonly #table = new ProcessTable({
    read: () => this.#ask(this.#pauses.ps, () => PS_SCRIPT),
    agesMs: PS_AGES_MS,
  });
  readonly #uses = new Map<number, { readAtMs: number; use: Promise<TerminalUse | null> }>();
  /** False once the machine has shown that it has no /proc to ask. */
  #hasProc = true;
  /** What is asked next of /proc: one request for all panes. */
  #next: { roots: Set<number>; proc: Promise<Proc | null> } | null = null;
  /** Scripts run one after another, and the time of each begins when it is sent. */
  readonly #turn = new Semaphore(1);
  /** Each for itself: what hangs one need not hang the other. */
  readonly #pauses = { ps: { ms: 0, untilMs: 0 }, proc: { ms: 0, untilMs: 0 } };

  constructor(shell: Pick<RemoteShell, "ask">) {
    this.#shell = shell;
  }

  processes(root: number, age: "recent" | "now"): Promise<PaneProcesses> {
    return this.#table.processes(root, age);
  }

  async terminalUse(root: number, age: "recent" | "now"): Promise<TerminalUse | null> {
    if (!this.#hasProc) return null;
    const nowMs = performance.now();
    for (const [each, { readAtMs }] of this.#uses)
      if (nowMs - readAtMs >= USE_RECENT_MS) this.#uses.delete(each);
    const known = this.#uses.get(root);
    if (age === "recent" && known) return known.use;
    const use = this.#procOf(root).then((proc) => proc && terminalUse(proc, root));
    this.#uses.set(root, { readAtMs: nowMs, use });
    return use;
  }

  #procOf(root: number): Promise<Proc | null> {
    const roots = this.#next?.roots ?? new Set();
    roots.add(root);
    this.#next ??= { roots, proc: this.#readProc(roots) };
    return this.#next.proc;
  }

  async #readProc(roots: ReadonlySet<number>): Promise<Proc | null> {
    const output = await this.#ask(this.#pauses.proc, () => {
      this.#next = null;
      return procScript([...roots]);
    });
    this.#hasProc = output !== NO_PROC;
    return this.#hasProc ? parseProc(output) : null;
  }

  #ask(pause: { ms: number; untilMs: number }, script: () => string): Promise<string> {
    return this.#turn.run(async () => {
      // Panes that ask in the same moment share a request.
      await null;
      const text = script();
      if (performance.now() < pause.untilMs) throw new RunError("not_found", "it has hung");
      const { stdout } = await this.#shell.ask("aside", text, ASIDE_LIMITS).catch((error) => {
        if (error instanceof RunError && error.kind === "timeout") {
          pause.ms = Math.min(Math.max(FIRST_PAUSE_MS, pause.ms * 2), LONGEST_PAUSE_MS);
          pause.untilMs = performance.now() + pause.ms;
        }
        throw error;
      });
      pause.ms = 0;
      return new TextDecoder().decode(stdout);
    });
  }
}
