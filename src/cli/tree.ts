import { CONFIG_FLAGS } from "../config/resolve.ts";
import type { Field } from "../config/field.ts";
import { type ConfigKey, FIELDS } from "../config/fields.ts";
import { type Arg, type Command, defineCommand } from "./command.ts";

const flag = (description: string) => ({ type: "boolean", description }) as const;
const value = (valueHint: string, description: string) =>
  ({ type: "string", valueHint, description }) as const;
const operand = (description: string) =>
  ({ type: "positional", required: true, description }) as const;

const PATH = "YAML file; state then lives beside it instead of in ~/.panewatch.";
const CONFIG = { config: { ...value("path", PATH), alias: "c" } } as const;
const LIST = { ...CONFIG, json: flag("As JSON, for programs.") } as const;
const DRY_RUN = { "dry-run": flag("Say what would be done, and do nothing.") } as const;
const PANE = {
  ...operand("Its target (work:1.0) or its id, as ls shows them."),
  choices: "panes",
} as const;
const HOST = { ...operand("Of a machine, as hosts lists it."), choices: "hosts" } as const;
const UNTIL = ["waiting", "idle", "error", "gone"] as const;

const SERVICE: Record<string, Arg> = {
  ...CONFIG,
  ...Object.fromEntries(CONFIG_FLAGS.map(({ name, key }) => [name, settingArg(key)])),
};
const only = (...names: string[]) =>
  Object.fromEntries(Object.entries(SERVICE).filter(([name]) => names.includes(name)));

function settingArg(key: ConfigKey): Arg {
  const { default: usual, help, of }: Field<unknown> = FIELDS[key];
  if (typeof usual === "boolean") return flag(help);
  const hint = typeof usual === "number" ? "number" : (key.split(".").at(-1) ?? key);
  return { ...value(hint, help), ...(of ? { choices: of } : {}) };
}

/**
 * Every command, the service itself first. Help and completions need the whole tree: only `run` is
 * lazy.
 */
export const COMMANDS: readonly Command[] = [
  defineCommand(
    "",
    "Watch every terminal pane and answer the agents that wait.",
    { ...SERVICE, version: flag("Print the version, and who installed it.") },
    async (args) =>
      args.version
        ? (await import("./install/installation.ts")).printVersion()
        : (await import("./serve.ts")).serve(args),
  ),
  defineCommand(
    "demo",
    "Try it on sample panes in a private tmux, which really react to answers.",
    {
      ...only("host", "port", "token"),
      hosts: flag("With two sample machines more, over real ssh (needs sshd)."),
    },
    async (args) => (await import("./demo.ts")).demo(args),
  ),
  defineCommand("agents clear", "Delete all that was read of agents' logs.", CONFIG, async (args) =>
    (await import("./clear.ts")).clearAgents(args),
  ),
  defineCommand("names clear", "Forget the names that a model gave.", CONFIG, async (args) =>
    (await import("./clear.ts")).clearNames(args),
  ),
  defineCommand("ls", "List the panes, what waits first.", LIST, async (args) =>
    (await import("./panes/list.ts")).listPanes(args),
  ),
  defineCommand(
    "show",
    "Show the lines of a pane, and what it asks.",
    { pane: PANE, ...LIST },
    async (args) => (await import("./panes/list.ts")).showPane(args),
  ),
  defineCommand(
    "wait",
    "Wait until a pane waits, is idle, has failed or is gone.",
    {
      pane: { ...PANE, required: false, many: true },
      ...LIST,
      until: {
        ...value("states", `Any of ${UNTIL.join(",")}; absent: any of them.`),
        choices: UNTIL,
      },
      timeout: value("seconds", "Give up after so long; absent: never."),
    },
    async (args) => (await import("./panes/watch.ts")).waitForPane(args, UNTIL),
  ),
  defineCommand("watch", "Print a line whenever a pane changes its state.", LIST, async (args) =>
    (await import("./panes/watch.ts")).watchPanes(args),
  ),
  defineCommand(
    "answer",
    "Answer the prompt that ls has shown.",
    {
      "pane@code": {
        ...operand("As ls shows it: the code names the prompt that was seen."),
        choices: "prompts",
      },
      option: { ...operand("Its key; absent: the one that takes --text."), required: false },
      ...CONFIG,
      text: value("words", "Words of your own, for an option that takes them."),
      yes: flag("Ask nothing, even where the answer does harm or was not shown whole."),
    },
    async (args) => (await import("./panes/act.ts")).answer(args),
  ),
  defineCommand(
    "send",
    "Write a line to a pane that asks nothing.",
    {
      pane: PANE,
      text: { ...operand("What to write; Enter is pressed behind it."), many: true },
      ...CONFIG,
    },
    async (args) => (await import("./panes/act.ts")).sendText(args),
  ),
  defineCommand(
    "log",
    "List what was sent, by whom, and what became of it.",
    { ...LIST, follow: { ...flag("And what comes after."), alias: "f" } },
    async (args) => (await import("./log.ts")).printLog(args),
  ),
  defineCommand("status-line", "Print how many wait, for a status bar.", CONFIG, async (args) =>
    (await import("./panes/status-line.ts")).printStatusLine(args),
  ),
  defineCommand(
    "phone",
    "Bring it to your phone, asking before each change.",
    {
      ...CONFIG,
      ...only("port"),
      off: flag("Undo it: no address, no token, no paired device."),
      yes: { ...flag("Ask nothing before a change."), alias: "y" },
      address: value("url", "Reach it at this address, which leads to the service."),
      "new-token": flag("Make another token, which signs everybody out."),
      lan: flag("Reach it in the local network, without encryption."),
    },
    async (args) => (await import("./phone/phone.ts")).phone(args),
  ),
  defineCommand("pair", "Show a code that lets a phone in, once.", CONFIG, async (args) =>
    (await import("./phone/phone.ts")).pair(args),
  ),
  defineCommand("token", "Print the token that clients sign in with.", CONFIG, async (args) =>
    (await import("./context.ts")).printToken(args),
  ),
  defineCommand("hosts", "List the machines that are watched.", LIST, async (args) =>
    (await import("./hosts.ts")).listHosts(args),
  ),
  defineCommand(
    "hosts add",
    "Watch another machine's tmux, over ssh.",
    {
      name: operand("What its panes are called by: gpu-1."),
      destination: { ...operand("As ssh takes it; absent: the name."), required: false },
      ...CONFIG,
    },
    async (args) => (await import("./hosts.ts")).addHost(args),
  ),
  defineCommand(
    "hosts remove",
    "Watch a machine no more.",
    { name: HOST, ...CONFIG },
    async (args) => (await import("./hosts.ts")).removeHost(args),
  ),
  defineCommand(
    "hosts check",
    "Tell how far a connection to a machine comes.",
    {
      name: { ...HOST, description: "Its name, or any destination as ssh takes it." },
      ...CONFIG,
    },
    async (args) => (await import("./hosts.ts")).checkHosts(args),
  ),
  defineCommand(
    "service install",
    "Start at login, and now.",
    { ...CONFIG, ...DRY_RUN },
    async (args) => (await import("./service.ts")).installService(args),
  ),
  defineCommand("service uninstall", "Stop, and start at login no more.", DRY_RUN, async (args) =>
    (await import("./service.ts")).uninstallService(args),
  ),
  defineCommand(
    "service status",
    "Tell whether the service is installed and runs.",
    CONFIG,
    async (args) => (await import("./service.ts")).serviceStatus(args),
  ),
  defineCommand(
    "explain",
    "Tell why a pane is said to wait, to work or to be idle.",
    {
      pane: { ...PANE, required: false },
      ...CONFIG,
      file: value("path", "Read a saved screen instead (- for standard input)."),
      agent: value("kind", "The agent that drew the file; absent: by the screen."),
    },
    async (args) => (await import("./explain.ts")).explainScreen(args),
  ),
  defineCommand(
    "upgrade",
    "Replace it by the newest release, once that was checked.",
    CONFIG,
    async (args) => (await import("./install/upgrade.ts")).upgradeCommand(args),
  ),
  ...(["bash", "zsh", "fish"] as const).map((shell) =>
    defineCommand(
      `completions ${shell}`,
      `Print the completions for ${shell}.`,
      {},
      async () => (await import("./completions.ts")).COMPLETIONS[shell].script,
    ),
  ),
  defineCommand(
    "completions offer",
    "Print what may stand in place of the last word.",
    { words: { ...operand("Those typed."), required: false, many: true } },
    async ({ _ }) => (await import("./completions.ts")).offersFor(_, COMMANDS),
    true,
  ),
  defineCommand("manual", "Print the manual page, for man.", {}, async () =>
    (await import("./manual.ts")).renderManual(COMMANDS),
  ),
  defineCommand("doctor", "Check this machine and say what to mend.", SERVICE, async (args) =>
    (await import("../doctor/doctor.ts")).doctor(args),
  ),
];
