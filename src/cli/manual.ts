import { VERSION } from "../protocol/version.ts";
import type { Command, Flag } from "./arguments.ts";
import { usageOf } from "./help.ts";

/** The manual page, in the macros of man(7). */
export function renderManual(commands: readonly Command[]): string {
  const [service, ...others] = commands;
  const lines = [
    `.TH PANEWATCH 1 "" "panewatch ${VERSION}" "User Commands"`,
    ".SH NAME",
    "panewatch \\- answer coding agents that wait, from a phone or a desk",
    ".SH SYNOPSIS",
    `.B ${escape(usageOf({ words: ["[COMMAND]"] }))}`,
    ".SH DESCRIPTION",
    escape(
      `${service?.help ?? ""} Without a command it is the service itself, with a page for the browser.`,
    ),
    ".SH OPTIONS",
    ...(service?.flags ?? []).flatMap(flagLines),
    ".SH COMMANDS",
    ...others.flatMap((command) => [
      `.SS ${escape(usageOf(command))}`,
      escape(command.help),
      ...(command.operands ?? []).flatMap(({ name, help }) => [
        ".TP",
        `.I ${escape(name.toUpperCase())}`,
        escape(help),
      ]),
      ...command.flags.flatMap(flagLines),
    ]),
    ".SH EXIT STATUS",
    "0 where it was done, 1 where it was not, 2 for a command that could not be carried out, with the",
    "reason on standard error.",
    ".SH FILES",
    "State is kept in",
    ".IR ~/.panewatch ,",
    "or beside the file that",
    ".B \\-\\-config",
    "names.",
    ".SH SEE ALSO",
    ".BR tmux (1)",
  ];
  return `${lines.join("\n")}\n`;
}

function flagLines({ name, alias, value, help }: Flag): string[] {
  const names = `${alias === undefined ? "" : `\\-${alias}, `}\\-\\-${escape(name)}`;
  const hint = value === undefined ? "" : ` \\fI${escape(value)}\\fR`;
  return [".TP", `\\fB${names}\\fR${hint}`, escape(help)];
}

/** No escape, no hyphen that a search does not find, no line that begins as a request does. */
function escape(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/, "\\&");
}
