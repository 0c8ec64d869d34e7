import { expect, test } from "bun:test";
import { type Command, defineCommand } from "../../src/cli/command.ts";
import { renderHelp } from "../../src/cli/help.ts";

const CONFIG = {
  config: { type: "string", alias: "c", valueHint: "path", description: "The file." },
} as const;
const nothing = async () => 0;
const SERVICE = defineCommand(
  "",
  "Watch.",
  { ...CONFIG, version: { type: "boolean", description: "The version." } },
  nothing,
);
const EXPLAIN = defineCommand(
  "explain",
  "Tell why.",
  {
    pane: { type: "positional", description: "A pane." },
    more: { type: "positional", required: false, many: true, description: "Others." },
    ...CONFIG,
  },
  nothing,
);
const HIDDEN = defineCommand("names", "For the shell.", {}, nothing, true);
const COMMANDS: readonly Command[] = [SERVICE, EXPLAIN, HIDDEN];

test("the service's page lists the commands and its flags in columns", () => {
  expect(renderHelp(SERVICE, COMMANDS)).toBe(`Watch.

Usage: panewatch [flags]

Commands:
  explain  Tell why.

Flags:
  -c, --config <path>  The file.
      --version        The version.
  -h, --help           Print this page.

panewatch COMMAND --help tells of a command.
`);
});

test("a command's page has its arguments, and no other command", () => {
  expect(renderHelp(EXPLAIN, COMMANDS)).toBe(`Tell why.

Usage: panewatch explain PANE [MORE...] [flags]

Arguments:
  PANE       A pane.
  [MORE...]  Others.

Flags:
  -c, --config <path>  The file.
  -h, --help           Print this page.
`);
});
