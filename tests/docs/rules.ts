import { AGENTS } from "../../src/detect/agents.ts";
import { NOTES, RULES } from "../../src/detect/rule-table.ts";
import type { Rule } from "../../src/detect/rule.ts";

/** What docs/detection.md lists: the rules, in the order in which they are tried. */
export function renderRules(): string {
  return Object.entries(RULES)
    .map(([owner, rules]) => renderList(owner, rules))
    .join("\n");
}

function renderList(owner: string, rules: readonly Rule[]): string {
  const label = AGENTS.find((agent) => agent.id === owner)?.label;
  const heading = label ? `${label} (\`${owner}\`)` : (titles[owner] ?? owner);
  const rows = rules.map(({ id, means }) => {
    const { about = "", why = "" } = NOTES.get(id) ?? {};
    return `| \`${id}\` | ${means} | ${cell(about)} | ${cell(why)} |`;
  });
  return [
    `### ${heading}`,
    "",
    "| rule | says | looks at | because |",
    "|---|---|---|---|",
    ...rows,
    `| \`${owner}.quiet\` | idle | nothing above matched | silence proves little: a change within 2 s keeps it working |`,
    "",
  ].join("\n");
}

const titles: Readonly<Record<string, string>> = {
  generic: "Other programs",
  shell: "Shells",
};

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
