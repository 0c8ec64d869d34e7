import { expect, test } from "bun:test";
import { join } from "node:path";
import { flagsOf } from "../../src/cli/command.ts";
import { COMMANDS } from "../../src/cli/tree.ts";
import { CONFIG_KEYS } from "../../src/config/fields.ts";
import { NOTES, RULES } from "../../src/detect/rule-table.ts";
import { renderSettings } from "./configuration.ts";
import { renderRules } from "./rules.ts";

const DOCS = join(import.meta.dir, "../../docs");
/** Stands above and below what is rendered; the rest of a page is written by hand. */
const MARK = "<!-- Rendered from the tables: see tests/docs/rendered.test.ts. -->";

// UPDATE_DOCS=1 bun test tests/docs/rendered.test.ts writes the pages anew.
test.each([
  ["detection.md", renderRules],
  ["configuration.md", renderSettings],
])("docs/%s lists what the tables say", async (name, render) => {
  const page = Bun.file(join(DOCS, name));
  const [above, , below] = (await page.text()).split(MARK);
  const now = [above, `\n\n${render().trim()}\n\n`, below].join(MARK);
  if (process.env.UPDATE_DOCS) await Bun.write(page, now);
  else expect(await page.text()).toBe(now);
});

test("rule ids are unique within a list, begin with an owner and are told in whole sentences", () => {
  for (const rules of Object.values(RULES)) {
    const ids = rules.map((rule) => rule.id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const rule of rules) {
      expect(rule.id).toMatch(/^[a-z][a-z_]*(?:\.[a-z0-9_]+)+$/);
      const note = NOTES.get(rule.id);
      expect(note?.about).toMatch(/[.]$/);
      expect(note?.why).toMatch(/[.]$/);
    }
  }
});

test("what is told is told of a rule that is there, once", () => {
  const ids = Object.values(RULES).flatMap((rules) => rules.map(({ id }) => id));
  expect([...NOTES.keys()].toSorted()).toEqual([...new Set(ids)].toSorted());
});

const cliPage = await Bun.file(join(DOCS, "cli.md")).text();
/** Commands for programs; the others are told of where their subject is. */
const FOR_PROGRAMS = ["ls", "show", "wait", "watch", "answer", "send", "status-line"];

test("the page names every command for programs with all of its flags", () => {
  for (const name of FOR_PROGRAMS) {
    const command = COMMANDS.find(({ meta }) => meta.name === name);
    expect(command, name).toBeDefined();
    const row = cliPage.split("\n").find((line) => line.startsWith(`| \`panewatch ${name}`)) ?? "";
    const flags = command ? flagsOf(command) : [];
    const own = flags.filter((flag) => !["config", "help"].includes(flag.name));
    expect(own.filter((flag) => !row.includes(`--${flag.name}`))).toEqual([]);
  }
});

test("every setting has its row, once", () => {
  const page = renderSettings();
  for (const key of CONFIG_KEYS) expect(page.split(`\n| \`${key}\``)).toHaveLength(2);
});
