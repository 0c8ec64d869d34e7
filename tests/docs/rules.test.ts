import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RULES_MARK, renderRules } from "./rules.ts";
import { NOTED_RULES, RULE_LISTS, ruleNote } from "../../src/detect/rule-table.ts";

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
