import { expect, test } from "bun:test";
import { join } from "node:path";
import { flagsOf } from "../../src/cli/command.ts";
import { COMMANDS } from "../../src/cli/tree.ts";

const page = await Bun.file(join(import.meta.dir, "../../docs/cli.md")).text();
/** Commands for programs; the others are told of where their subject is. */
const FOR_PROGRAMS = ["ls", "show", "wait", "watch", "answer", "send", "status-line"];

test("the page names every command for programs with all of its flags", () => {
  for (const name of FOR_PROGRAMS) {
    const command = COMMANDS.find(({ meta }) => meta.name === name);
    expect(command, name).toBeDefined();
    const row = page.split("\n").find((line) => line.startsWith(`| \`panewatch ${name}`)) ?? "";
    const flags = command ? flagsOf(command) : [];
    const own = flags.filter((flag) => !["config", "help"].includes(flag.name));
    expect(own.filter((flag) => !row.includes(`--${flag.name}`))).toEqual([]);
  }
});
