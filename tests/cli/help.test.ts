import { expect, test } from "bun:test";
import type { Command } from "../../src/cli/arguments.ts";
import { renderHelp } from "../../src/cli/help.ts";

const CONFIG = { name: "config", alias: "c", value: "path", help: "The file." };
const COMMANDS: readonly [Command, Command] = [
  { words: [], help: "Watch.", flags: [CONFIG, { name: "version", help: "The version." }] },
  {
    ...{ words: ["explain"], help: "Tell why.", flags: [CONFIG] },
    operands: [{ name: "pane", help: "A pane.", isMany: true }],
  },
];

test("the service's page lists the commands and its flags in columns", () => {
  expect(renderHelp(COMMANDS[0], COMMANDS)).toBe(`Watch.

Usage: panewatch [flags]

Commands:
  explain  Tell why.

Flags:
  -c, --config <path>  The file.
      --version        The version.

panewatch COMMAND --help tells of a command.
`);
});

test("a command's page has its argument, and no other command", () => {
  expect(renderHelp(COMMANDS[1], COMMANDS)).toBe(`Tell why.

Usage: panewatch explain PANE... [flags]

Arguments:
  PANE...  A pane.

Flags:
  -c, --config <path>  The file.
`);
});
