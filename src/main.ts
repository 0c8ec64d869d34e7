import { join } from "node:path";
import { parseArguments } from "./cli/arguments.ts";
import { command, CONFIG, SERVICE_FLAGS, type RunnableCommand } from "./cli/commands.ts";
import { renderHelp } from "./cli/help.ts";
import { clearAgents } from "./cli/agents.ts";
import { EXPLAIN_ARGUMENT, EXPLAIN_FLAGS, explainScreen } from "./cli/explain.ts";
import { clearNames } from "./cli/names.ts";
import { pair } from "./cli/pair.ts";
import { serve } from "./cli/serve.ts";
import {
  INSTALL_FLAGS,
  installService,
  serviceStatus,
  UNINSTALL_FLAGS,
  uninstallService,
} from "./cli/service.ts";
import { runDemo, SAMPLE_WORD } from "./demo/demo.ts";
import { runDemoPane } from "./demo/pane.ts";
import { doctor } from "./doctor/doctor.ts";
import { StartupError } from "./errors.ts";
import { UnwritableError } from "./lib/json-file.ts";
import { PATTERN_WORD, runPatternWorker } from "./pattern-worker.ts";
import { VERSION } from "./protocol/version.ts";

// In the executable the web client lies beside this module, in the source tree in dist/.
const isExecutable = import.meta.url.includes("/$bunfs/");
const assets = join(import.meta.dir, isExecutable ? "web" : "../dist/web");

/** How this program is started again. */
const self = isExecutable ? [process.execPath] : [process.execPath, Bun.main];
const places = { assets, patternWorker: [...self, PATTERN_WORD] };

const COMMANDS: readonly RunnableCommand[] = [
  command(
    "",
    "Watch every terminal pane and answer the agents that wait.",
    SERVICE_FLAGS,
    (flags) => serve(flags, places),
  ),
  command(
    "demo",
    "Try it on sample panes in a private tmux, which really react to answers.",
    [
      ...SERVICE_FLAGS.filter(({ name }) => ["host", "port", "token"].includes(name)),
      { name: "agents", help: "With the agent workspace, over sample sessions." },
    ],
    (flags) =>
      runDemo({
        self,
        agents: flags.has("agents"),
        serve: (config) => serve(new Map([...flags, ["config", config]]), places),
      }),
  ),
  command("agents clear", "Delete all that was read of agents' logs.", [CONFIG], clearAgents),
  command("names clear", "Forget the names that a model gave.", [CONFIG], clearNames),
  command("pair", "Show a code that lets a phone in, once.", SERVICE_FLAGS, pair),
  command("service install", "Start at login, and now.", INSTALL_FLAGS, (flags) =>
    installService(flags, self),
  ),
  command("service uninstall", "Stop, and start at login no more.", UNINSTALL_FLAGS, (flags) =>
    uninstallService(flags, self),
  ),
  command("service status", "Tell whether the service is installed and runs.", [CONFIG], (flags) =>
    serviceStatus(flags, self),
  ),
  command(
    "explain",
    "Tell why a pane is said to wait, to work or to be idle.",
    EXPLAIN_FLAGS,
    explainScreen,
    EXPLAIN_ARGUMENT,
  ),
  command("doctor", "Check this machine and say what to mend.", SERVICE_FLAGS, doctor),
];

process.exit(await main(process.argv.slice(2)));

async function main(argv: readonly string[]): Promise<number> {
  try {
    const [word, ...rest] = argv;
    if (word === PATTERN_WORD) return await runPatternWorker();
    if (word === SAMPLE_WORD) return await runDemoPane(rest);
    const { command, flags } = parseArguments(argv, COMMANDS);
    if (flags.has("help")) return print(renderHelp(command, COMMANDS));
    if (flags.has("version")) return print(`${VERSION}\n`);
    return await command.run(flags);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === null) {
      process.stderr.write(`panewatch: ${Bun.inspect(error)}\n`);
      return 1;
    }
    process.stderr.write(`panewatch: ${reason.replace(/\s+/g, " ")}\n`);
    return 2;
  }
}

/** One sentence for what the person can fix; null for a fault of ours, which shows its stack. */
function reasonOf(error: unknown): string | null {
  if (error instanceof StartupError || error instanceof UnwritableError) return error.message;
  // A system error: missing rights, a full disk, no more descriptors.
  return error instanceof Error && "syscall" in error ? error.message : null;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
