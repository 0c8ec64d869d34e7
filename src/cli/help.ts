import {
  type Command,
  commandWords,
  flagsOf,
  type NamedArg,
  operandsOf,
  valueOf,
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
      operandsOf(command).map((operand) => [operandLabel(operand), operand.description ?? ""]),
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
  const operands = operandsOf(command).map(operandLabel);
  return ["panewatch", ...commandWords(command), ...operands, "[flags]"].join(" ");
}

function operandLabel({ name, many, required }: NamedArg): string {
  const shown = `${name.toUpperCase()}${many ? "..." : ""}`;
  return required === false ? `[${shown}]` : shown;
}

function flagRow(flag: NamedArg): Row {
  const { name, alias, description = "" } = flag;
  const short = alias === undefined ? "    " : `-${alias}, `;
  const value = valueOf(flag);
  return [`${short}--${name}${value === null ? "" : ` <${value}>`}`, description];
}

function table(title: string, rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`);
  return lines.length === 0 ? "" : [`${title}:`, ...lines].join("\n");
}
