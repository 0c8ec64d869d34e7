import {
  type Command,
  type Flag,
  flagsOf,
  type Operand,
  operandsOf,
  commandWords,
} from "./command.ts";

type Row = readonly [name: string, help: string];

export function renderHelp(command: Command, all: readonly Command[]): string {
  const { name, description } = command.meta;
  const others = name === "" ? all.filter(({ meta }) => meta.name !== "" && !meta.hidden) : [];
  const sections = [
    description,
    `Usage: ${usageOf(command)}`,
    table(
      "Arguments",
      operandsOf(command).map((operand) => [shownAs(operand), operand.help]),
    ),
    table(
      "Commands",
      others.map(({ meta }) => [meta.name, meta.description]),
    ),
    table("Flags", flagsOf(command).map(flagRow)),
    name === "" ? "panewatch COMMAND --help tells of a command." : "",
  ];
  return `${sections.filter(Boolean).join("\n\n")}\n`;
}

export function usageOf(command: Command): string {
  const operands = operandsOf(command).map(shownAs);
  return ["panewatch", ...commandWords(command), ...operands, "[flags]"].join(" ");
}

function shownAs({ name, many, isRequired }: Operand): string {
  const shown = `${name.toUpperCase()}${many ? "..." : ""}`;
  return isRequired ? shown : `[${shown}]`;
}

function flagRow({ name, alias, value, help }: Flag): Row {
  const short = alias === undefined ? "    " : `-${alias}, `;
  return [`${short}--${name}${value === undefined ? "" : ` <${value}>`}`, help];
}

function table(title: string, rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`);
  return lines.length === 0 ? "" : [`${title}:`, ...lines].join("\n");
}
