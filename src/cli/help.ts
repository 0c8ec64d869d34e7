import type { Command, Flag, Operand } from "./arguments.ts";

type Row = readonly [name: string, help: string];

/** The help page of one command; the service's own lists the others. */
export function renderHelp(command: Command, all: readonly Command[]): string {
  const isService = command.words.length === 0;
  const others = isService ? all.filter(({ words }) => words.length > 0) : [];
  const { operands = [] } = command;
  const sections = [
    command.help,
    `Usage: ${usageOf(command)}`,
    table(
      "Arguments",
      operands.map((operand) => [shownAs(operand), operand.help]),
    ),
    table(
      "Commands",
      others.map(({ words, help }) => [words.join(" "), help]),
    ),
    table("Flags", command.flags.map(flagRow)),
    isService ? "panewatch COMMAND --help tells of a command." : "",
  ];
  return `${sections.filter(Boolean).join("\n\n")}\n`;
}

/** What is typed: `panewatch wait PANE... [flags]`. */
export function usageOf({ words, operands = [] }: Pick<Command, "words" | "operands">): string {
  return ["panewatch", ...words, ...operands.map(shownAs), "[flags]"].join(" ");
}

const shownAs = ({ name, isMany }: Operand): string =>
  `${name.toUpperCase()}${isMany ? "..." : ""}`;

function flagRow({ name, alias, value, help }: Flag): Row {
  const short = alias === undefined ? "    " : `-${alias}, `;
  return [`${short}--${name}${value === undefined ? "" : ` <${value}>`}`, help];
}

function table(title: string, rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`);
  return lines.length === 0 ? "" : [`${title}:`, ...lines].join("\n");
}
