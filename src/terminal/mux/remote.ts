import { type Limits, RunError, type RunResult } from "../../lib/run.ts";
import { quoteWord } from "../../lib/words.ts";
import { parseVersion } from "./client.ts";
import { newMark } from "./commands.ts";
import { ProcessTable, PS } from "./process-table.ts";
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

const PS_LIMITS = { timeoutMs: 3000, maxBytes: 1024 * 1024 };
/** After a `ps` that timed out: it may hang for as long as its disk does. */
const PS_AFTER_HANGING_MS = 5 * 60_000;
const PS_AGES_MS = { now: 1000, recent: 10_000 };
/** Only processes with a terminal, and as much of their arguments as tells the program. */
const PS_SCRIPT = `LC_ALL=C ${PS.join(" ")} | awk '$4 > 0 { print substr($0, 1, 600) }'`;

/** By `ps`: the /proc of another machine cannot be read from here. */
export function remoteProcesses(shell: Pick<RemoteShell, "ask">): ProcessTable {
  let notBeforeMs = -Infinity;
  const read = async () => {
    if (performance.now() < notBeforeMs) throw new RunError("not_found", "ps has hung");
    const { stdout } = await shell.ask("aside", PS_SCRIPT, PS_LIMITS).catch((error: unknown) => {
      if (error instanceof RunError && error.kind === "timeout")
        notBeforeMs = performance.now() + PS_AFTER_HANGING_MS;
      throw error;
    });
    return new TextDecoder().decode(stdout);
  };
  return new ProcessTable({ read, agesMs: PS_AGES_MS });
}
