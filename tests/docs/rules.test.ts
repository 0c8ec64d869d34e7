import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { flagsOf } from "../../src/cli/command.ts";
import { COMMANDS } from "../../src/cli/tree.ts";
import { CONFIG_KEYS } from "../../src/config/fields.ts";
import { NOTED_RULES, RULE_LISTS, ruleNote } from "../../src/detect/rule-table.ts";
import { renderReference } from "./configuration.ts";
import { renderRules, RULES_MARK } from "./rules.ts";

const page = join(import.meta.dir, "..", "..", "docs", "detection.md");

// UPDATE_DOCS=1 bun test tests/docs/rules.test.ts writes the page anew.
test("docs/detection.md lists every rule as it is", () => {
  const [introduction, rendered] = readFileSync(page, "utf8").split(RULES_MARK);
  expect(rendered).toBeDefined();
  const now = `\n\n${renderRules()}`;
  if (process.env["UPDATE_DOCS"]) writeFileSync(page, `${introduction}${RULES_MARK}${now}`);
  else expect(rendered).toBe(now);
});

test("rule ids are unique within a list, begin with an owner and are told in whole sentences", () => {
  for (const { rules } of RULE_LISTS) {
    const ids = rules.map((rule) => rule.id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const rule of rules) {
      expect(rule.id).toMatch(/^[a-z][a-z_]*(?:\.[a-z0-9_]+)+$/);
      const note = ruleNote(rule.id);
      expect(note?.about).toMatch(/[.]$/);
      expect(note?.why).toMatch(/[.]$/);
    }
  }
});

test("what is told is told of a rule that is there, once", () => {
  const ids = RULE_LISTS.flatMap(({ rules }) => rules.map(({ id }) => id));
  expect(NOTED_RULES.toSorted()).toEqual([...new Set(ids)].toSorted());
});

const cliPage = await Bun.file(join(import.meta.dir, "../../docs/cli.md")).text();
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

const PAGE = join(import.meta.dir, "../../docs/configuration.md");

test("docs/configuration.md is what the table of settings says (bun tests/docs/configuration.ts)", async () => {
  expect(await Bun.file(PAGE).text()).toBe(renderReference());
});

test("every setting has its row, once", () => {
  const page = renderReference();
  for (const key of CONFIG_KEYS) expect(page.split(`\n| \`${key}\``)).toHaveLength(2);
});
