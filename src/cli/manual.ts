import { VERSION } from "../protocol/version.ts";
import { type Command, flagsOf, type NamedArg, operandsOf, valueOf } from "./command.ts";
import { usageOf } from "./help.ts";

const COMMON = ["config", "help"];

const EXAMPLES: readonly (readonly [typed: string, what: string])[] = [
  ["panewatch", "watches what runs in tmux, with a page at http://127.0.0.1:8787."],
  ["panewatch phone", "brings that page to a phone."],
  ["panewatch ls", "lists the panes, what waits first, each prompt with its code."],
  ["panewatch answer work:1.0@3fa9c1 1", "answers that very prompt, and no other."],
  ["panewatch send work:1.0 make test", "types a line into a pane that asks nothing."],
  ["panewatch wait work:1.0 --until idle && make deploy", "goes on once it is done."],
];

const EXIT_STATUSES: readonly (readonly [status: string, what: string])[] = [
  ["0", "It was done."],
  ["1", "It was not: a time is over, a step failed, nothing was sent."],
  ["2", "The command could not be carried out; standard error says why."],
  ["3", "Nobody knows whether it arrived: look at the terminal before it is sent again."],
];

const FILES: readonly (readonly [path: string, what: string])[] = [
  ["~/.panewatch/", "State, where --config names no file; else the folder of that file has it."],
  ["panewatch-settings.json", "In that folder: what the page has changed."],
];

export function renderManual(commands: readonly Command[]): string {
  const [service, ...others] = commands;
  const lines = [
    `.TH PANEWATCH 1 "" "panewatch ${VERSION}" "User Commands"`,
    ".SH NAME",
    "panewatch \\- answer coding agents that wait, from a phone or a desk",
    ".SH SYNOPSIS",
    `.B ${escape("panewatch [COMMAND] [flags]")}`,
    ".SH DESCRIPTION",
    escape(
      `${service?.meta.description ?? ""} Without a command it is the service itself, with a page for the browser.`,
    ),
    ".SH OPTIONS",
    escape("Every command takes --config, where it has to do with a service, and --help."),
    ...(service ? flagsOf(service) : []).flatMap(flagLines),
    ".SH COMMANDS",
    ...others.filter(({ meta }) => !meta.hidden).flatMap(commandLines),
    ".SH EXAMPLES",
    ...EXAMPLES.flatMap(([typed, what]) => tagged(`.B ${escape(typed)}`, what)),
    ".SH EXIT STATUS",
    ...EXIT_STATUSES.flatMap(([status, what]) => tagged(status, what)),
    ".SH FILES",
    ...FILES.flatMap(([path, what]) => tagged(`.I ${escape(path)}`, what)),
    ".SH SEE ALSO",
    ".BR tmux (1)",
  ];
  return `${lines.join("\n")}\n`;
}

function commandLines(command: Command): string[] {
  const own = flagsOf(command).filter(({ name }) => !COMMON.includes(name));
  return [
    `.SS ${escape(usageOf(command))}`,
    escape(command.meta.description),
    ...operandsOf(command).flatMap(({ name, description }) =>
      tagged(`.I ${escape(name.toUpperCase())}`, description),
    ),
    ...own.flatMap(flagLines),
  ];
}

function flagLines(flag: NamedArg): string[] {
  const { name, alias, description } = flag;
  const value = valueOf(flag);
  const names = `${alias === undefined ? "" : `\\-${alias}, `}\\-\\-${escape(name)}`;
  const hint = value === null ? "" : ` \\fI${escape(value)}\\fR`;
  return tagged(`\\fB${names}\\fR${hint}`, description);
}

const tagged = (tag: string, text = ""): string[] => [".TP", tag, escape(text)];

/** For roff: no escapes, hyphens that a search finds, and no line that reads as a request. */
function escape(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/, "\\&");
}
