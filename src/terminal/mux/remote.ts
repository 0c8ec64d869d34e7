import { type Limits, RunError, type RunResult } from "../../lib/run.ts";
import { quoteWord } from "../../lib/words.ts";
import { parseVersion } from "./client.ts";
import { newMark } from "./commands.ts";
import { ProcessTable, PS } from "./process-table.ts";
import { type CommandLine, scriptOf, type SeenScreen, type Tmux } from "./tmux.ts";

interface RemoteShell {
  /** What `tmux -V` has said there; null while nobody could ask. */
  readonly version: string | null;
  /** Nobody there can know it; another one for each connection, and empty without one. */
  readonly mark: string;
  /** Commands for tmux, or a script: one after another, but for those aside, which nobody waits behind. */
  ask(kind: "tmux" | "sh" | "aside", text: string, limits: Limits): Promise<RunResult>;
}

export class RemoteTmux implements Tmux {
  readonly socket = null;
  /** About 256 kB: what is asked meanwhile waits for the rest of a batch. */
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
const quoted = (text: string): string => quoteWord(text).replace(/^\.$/gm, "''.");

const PS_LIMITS = { timeoutMs: 3000, maxBytes: 1024 * 1024 };
/** A `ps` that did not end is not asked for again before this: it may hang for as long as its disk. */
const PS_AFTER_HANGING_MS = 5 * 60_000;
const PS_AGES_MS = { now: 1000, recent: 10_000 };
/** Processes of terminals alone, and of their arguments what tells a program. */
const PS_SCRIPT = `LC_ALL=C ${PS.join(" ")} | awk '$4 > 0 { print substr($0, 1, 600) }'`;

/** What another machine tells: by `ps`, since there is no /proc to read from here. */
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
  return new ProcessTable({ read, agesMs: PS_AGES_MS, hasOurClock: false });
}
