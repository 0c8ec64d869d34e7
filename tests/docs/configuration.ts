import { stringify } from "yaml";
import { KIND_ALIASES } from "../../src/detect/agents.ts";
import { PATH_BRANDS } from "../../src/config/yaml.ts";
import type { Field } from "../../src/config/field.ts";
import { CONFIG_KEYS, FIELDS, type ConfigKey, PROVIDER_BRANDS } from "../../src/config/fields.ts";

/** Longer defaults get a list of their own below the table. */
const MAX_INLINE_CHARS = 60;

/** What docs/configuration.md lists, from the table of settings. */
export function renderSettings(): string {
  const sections = Map.groupBy(CONFIG_KEYS, (key) => (key.includes(".") ? key.split(".")[0] : ""));
  const parts = [...sections].map(([name, keys]) => sectionOf(name || "Top level", keys));
  return [...parts, spellings()].join("\n\n");
}

function sectionOf(name: string, keys: readonly ConfigKey[]): string {
  const rows = keys.map((key) => rowOf(key, FIELDS[key]));
  const table = [
    "| key | default | allowed | live | flag | |",
    "|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
  const long = keys.filter((key) => isLong(FIELDS[key]));
  return [`### ${name}`, table, ...long.map((key) => longDefault(key, FIELDS[key]))].join("\n\n");
}

function rowOf(key: ConfigKey, field: Field<unknown>): string {
  const cells = [
    field.yaml === false ? `${code(key)} (not in the file)` : code(key),
    isLong(field) ? "below" : code(JSON.stringify(field.default)),
    field.allowed,
    field.live ? code(field.live.name) : "",
    field.flag ? code(`--${field.flag}`) : "",
    field.help,
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function isLong(field: Field<unknown>): boolean {
  return JSON.stringify(field.default).length > MAX_INLINE_CHARS;
}

function longDefault(key: ConfigKey, field: Field<unknown>): string {
  const yaml = stringify(field.default, { defaultStringType: "QUOTE_SINGLE" }).trimEnd();
  return `Default of ${code(key)}:\n\n\`\`\`yaml\n${yaml}\n\`\`\``;
}

function spellings(): string {
  const named = [...PROVIDER_BRANDS, ...KIND_ALIASES, ...PATH_BRANDS];
  // A provider and its section have the same two names.
  const rows = new Set(named.map(([brand, id]) => `| ${code(brand)} | ${code(id)} |`));
  return [
    "## Other spellings",
    "The file and the flags also take the name that people know. Both spellings of one key in one file stop the start; the API and its replies have the second only.",
    ["| written | means |", "|---|---|", ...rows].join("\n"),
  ].join("\n\n");
}

function code(text: string): string {
  return `\`${text}\``;
}
