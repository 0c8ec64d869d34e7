import { join } from "node:path";
import { type Flags, parseArguments } from "./cli/arguments.ts";
import { command, CONFIG, SERVICE_FLAGS, type RunnableCommand } from "./cli/commands.ts";
import { renderHelp } from "./cli/help.ts";
import { clearAgents } from "./cli/agents.ts";
import { EXPLAIN_FLAGS, explainScreen, PANE } from "./cli/explain.ts";
import { COMPLETIONS } from "./cli/completions/shells.ts";
import { versionLine } from "./cli/install/installed.ts";
import { upgradeCommand } from "./cli/install/upgrade-command.ts";
import { renderManual } from "./cli/manual.ts";
import { clearNames } from "./cli/names.ts";
import { pair } from "./cli/pair.ts";
import { phone, PHONE_FLAGS } from "./cli/phone/phone.ts";
import { answer, ANSWER_FLAGS, sendText } from "./cli/panes/act.ts";
import { LIST_FLAGS, listPanes, showPane } from "./cli/panes/list.ts";
import { statusLine } from "./cli/panes/status-line.ts";
import { WAIT_FLAGS, waitForPane, WATCH_FLAGS, watchPanes } from "./cli/panes/watch.ts";
import { serve } from "./cli/serve.ts";
import { addHost, checkHosts, listHosts, removeHost } from "./cli/hosts.ts";
import {
  INSTALL_FLAGS,
  installService,
  serviceStatus,
  UNINSTALL_FLAGS,
  uninstallService,
} from "./cli/service.ts";
import { printToken } from "./cli/token.ts";
import { FIELDS } from "./config/fields.ts";
import { runDemo } from "./demo/demo.ts";
import { runDemoPane } from "./demo/pane.ts";
import { SAMPLE_WORD } from "./demo/server.ts";
import { doctor } from "./doctor/doctor.ts";
import { StartupError } from "./errors.ts";
import { UnwritableError } from "./lib/json-file.ts";
import { nextFreePort } from "./lib/listen.ts";
import { PATTERN_WORD } from "./pattern-worker.ts";

// In the executable the web client lies beside this module, in the source tree in dist/.
const isExecutable = import.meta.url.includes("/$bunfs/");
const assets = join(import.meta.dir, isExecutable ? "web" : "../dist/web");

/** How this program is started again. */
const self = isExecutable ? [process.execPath] : [process.execPath, Bun.main];
const places = { assets, patternWorker: [...self, PATTERN_WORD] };

const toPhone = (flags: Flags) => phone(flags, (own, meanwhile) => serve(own, places, meanwhile));

const HOST = { name: "name", help: "Of a machine, as hosts lists it." };

const HOSTS_FLAG = {
  name: "hosts",
  help: "With two sample machines more, over real ssh (needs sshd).",
};

export const COMMANDS: readonly RunnableCommand[] = [
  command(
    "",
    "Watch every terminal pane and answer the agents that wait.",
    SERVICE_FLAGS,
    (flags) => serve(flags, places),
  ),
  command(
    "demo",
    "Try it on sample panes in a private tmux, which really react to answers.",
    [...SERVICE_FLAGS.filter(({ name }) => ["host", "port", "token"].includes(name)), HOSTS_FLAG],
    async (flags) => {
      // Beside the person's own service it is the next address.
      const host = flags.get("host");
      const port = await nextFreePort(
        typeof host === "string" ? host : FIELDS["server.host"].default,
        FIELDS["server.port"].default,
      );
      const own = new Map([["port", String(port)], ...flags]);
      return runDemo({
        self,
        hosts: flags.has("hosts"),
        serve: (config, linkCommand) =>
          serve(new Map([...own, ["config", config]]), {
            ...places,
            ...(linkCommand && { linkCommand }),
          }),
      });
    },
  ),
  command("agents clear", "Delete all that was read of agents' logs.", [CONFIG], clearAgents),
  command("names clear", "Forget the names that a model gave.", [CONFIG], clearNames),
  command("ls", "List the panes, what waits first.", LIST_FLAGS, listPanes),
  command("show", "Show the lines of a pane, and what it asks.", LIST_FLAGS, showPane, [PANE]),
  command(
    "wait",
    "Wait until a pane waits, is idle, has failed or is gone.",
    WAIT_FLAGS,
    waitForPane,
    [{ ...PANE, isMany: true }],
  ),
  command("watch", "Print a line whenever a pane changes its state.", WATCH_FLAGS, watchPanes),
  command("answer", "Answer the prompt that ls has shown.", ANSWER_FLAGS, answer, [
    { name: "pane@code", help: "As ls shows it: the code names the prompt that was seen." },
    { name: "option", help: "Its key; absent: the one that takes --text." },
  ]),
  command("send", "Write a line to a pane that asks nothing.", [CONFIG], sendText, [
    PANE,
    { name: "text", help: "What to write; Enter is pressed behind it.", isMany: true },
  ]),
  command("status-line", "Print how many wait, for a status bar.", [CONFIG], statusLine),
  command("phone", "Bring it to your phone, asking before each change.", PHONE_FLAGS, toPhone),
  command("pair", "Show a code that lets a phone in, once.", [CONFIG], (flags) =>
    pair(flags, toPhone),
  ),
  command("token", "Print the token that clients sign in with.", [CONFIG], printToken),
  command("hosts", "List the machines that are watched.", LIST_FLAGS, listHosts),
  command("hosts add", "Watch another machine's tmux, over ssh.", [CONFIG], addHost, [
    { name: "name", help: "What its panes are called by: gpu-1." },
    { name: "destination", help: "As ssh takes it; absent: the name." },
  ]),
  command("hosts remove", "Watch a machine no more.", [CONFIG], removeHost, [HOST]),
  command("hosts check", "Tell how far a connection to a machine comes.", [CONFIG], checkHosts, [
    { ...HOST, help: "Its name, or any destination as ssh takes it." },
  ]),
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
    [PANE],
  ),
  command(
    "upgrade",
    "Replace it by the newest release, once that was checked.",
    [CONFIG],
    (flags) => upgradeCommand(flags, self),
  ),
  ...Object.entries(COMPLETIONS).map(([shell, { render }]) =>
    command(`completions ${shell}`, `Print the completions for ${shell}.`, [], async () =>
      print(render(COMMANDS)),
    ),
  ),
  command("manual", "Print the manual page, for man.", [], async () =>
    print(renderManual(COMMANDS)),
  ),
  command("doctor", "Check this machine and say what to mend.", SERVICE_FLAGS, doctor),
];

/** The program behind a command line; the result is its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    const [word, ...rest] = argv;
    if (word === SAMPLE_WORD) return await runDemoPane(rest);
    const { command, flags, operands } = parseArguments(argv, COMMANDS);
    if (flags.has("help")) return print(renderHelp(command, COMMANDS));
    if (flags.has("version")) return print(`${await versionLine(process.execPath)}\n`);
    return await command.run(flags, operands);
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
