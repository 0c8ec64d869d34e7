import { renderUsage, type ArgsDef, type CommandDef, type SubCommandsDef } from "citty";
import type { Command } from "./arguments.ts";

const NAME = "panewatch";

/** The help page of one command; the service's own lists the others. */
export async function renderHelp(
  command: Command,
  all: readonly Command[],
  styled: boolean,
): Promise<string> {
  const isService = command.words.length === 0;
  const definition = definitionOf(command);
  if (isService) definition.subCommands = subCommandsOf(all);
  const page = (await renderUsage(definition)).replace(/[ \t]+$/gm, "");
  return `${styled ? page : Bun.stripANSI(page)}\n`;
}

function definitionOf(command: Command): CommandDef {
  return {
    meta: { name: [NAME, ...command.words].join(" "), description: command.help },
    args: argsOf(command),
  };
}

function argsOf(command: Command): ArgsDef {
  const { argument } = command;
  const positional: ArgsDef = argument
    ? { [argument.name]: { type: "positional", description: argument.help, required: false } }
    : {};
  const flags = Object.fromEntries(
    command.flags.map(({ name, alias, value, help }) => {
      const common = { description: help, ...(alias === undefined ? {} : { alias }) };
      return value === undefined
        ? [name, { ...common, type: "boolean" as const }]
        : [name, { ...common, type: "string" as const, valueHint: value }];
    }),
  );
  return { ...positional, ...flags };
}

function subCommandsOf(all: readonly Command[]): SubCommandsDef {
  return Object.fromEntries(
    all
      .filter(({ words }) => words.length > 0)
      .map((command) => [command.words.join(" "), definitionOf(command)]),
  );
}
