import type { TerminalUse } from "../../detect/finding.ts";
import type { RunResult } from "../../lib/run.ts";
import type { PaneProcess } from "../provider.ts";
import { parseVersion } from "./client.ts";
import { newMark } from "./commands.ts";
import type { Machine, PaneRoot } from "./machine.ts";
import { ProcessTable, PS } from "./process-table.ts";
import { scriptOf, type CommandLine } from "./script.ts";
import type { Limits, SeenScreen, Tmux } from "./tmux.ts";

/** A shell on another machine that is kept open. */
export interface FarShell {
  /** What `tmux -V` has said there; null while nobody could ask. */
  readonly version: string | null;
  /** Nobody there can know it; another one for each connection, and empty without one. */
  readonly mark: string;
  /** Hands a text to tmux, as commands, or to a shell, as a script. */
  ask(kind: "tmux" | "sh", text: string, limits: Limits): Promise<RunResult>;
}

/** The tmux of another machine: each call is a question to its shell. */
export class FarTmux implements Tmux {
  readonly executable = "tmux";
  readonly socket = null;
  /** About 256 kB: what is asked meanwhile waits for the rest of a batch. */
  readonly batchRows = 2500;
  readonly #shell: FarShell;

  constructor(shell: FarShell) {
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
    // Of all commands this one may find no server; only one in the arguments starts it.
    const script = `tmux -u start-server \\; source-file - <<'END'\n${scriptOf([line])}END\n`;
    return this.#shell.ask("sh", script, limits);
  }

  feed(lines: readonly CommandLine[], limits: Limits): Promise<RunResult> {
    return this.#shell.ask("tmux", scriptOf(lines), limits);
  }

  feedWhere(
    { look, said }: SeenScreen,
    lines: readonly CommandLine[],
    limits: Limits,
  ): Promise<RunResult> {
    const script = `seen=$(tmux -u source-file - <<'END'
${scriptOf([look])}END
)
case ${quoted(`\n${said.replace(/\n+$/, "")}`)} in
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

/** One word of a shell. A dot alone in its line would end the question. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`).replace(/^\.$/gm, "''.")}'`;
}

const PS_LIMITS = { timeoutMs: 8000, maxBytes: 1024 * 1024 };
/** A table is a round trip, which an answer would wait for. */
const PS_AGES_MS = { now: 1000, recent: 10_000 };
/** Processes of terminals alone, and of their arguments what tells a program. */
const PS_SCRIPT = `LC_ALL=C ${PS.join(" ")} | awk '$4 > 0 { print substr($0, 1, 600) }'`;

/** What another machine tells: by `ps`, since there is no /proc to read from here. */
export class FarMachine implements Machine {
  readonly #table: ProcessTable;

  constructor(shell: Pick<FarShell, "ask">) {
    const read = async () => {
      const { stdout } = await shell.ask("sh", PS_SCRIPT, PS_LIMITS);
      return new TextDecoder().decode(stdout);
    };
    this.#table = new ProcessTable(read, PS_AGES_MS);
  }

  async processes({ pid }: PaneRoot, age: "recent" | "now"): Promise<readonly PaneProcess[]> {
    const processes = await this.#table.group(pid, age);
    // Its clock and its time zone are not ours.
    return processes.map((each) => ({ ...each, startedAt: null }));
  }

  async terminalUse(): Promise<TerminalUse | null> {
    return null;
  }

  keep(): void {}
}
