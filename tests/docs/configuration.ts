import { join } from "node:path";
import { stringify } from "yaml";
import { KIND_ALIASES } from "../../src/detect/agents.ts";
import { PATH_BRANDS } from "../../src/config/yaml.ts";
import type { Field } from "../../src/config/field.ts";
import { CONFIG_KEYS, FIELDS, type ConfigKey, PROVIDER_BRANDS } from "../../src/config/fields.ts";

/** Longer defaults get a list of their own below the table. */
const MAX_INLINE_CHARS = 60;

/** docs/configuration.md, from the table of settings. */
export function renderReference(): string {
  const sections = Map.groupBy(CONFIG_KEYS, (key) => (key.includes(".") ? key.split(".")[0] : ""));
  const parts = [...sections].map(([name, keys]) => sectionOf(name || "Top level", keys));
  return `${[INTRO, ...parts, spellings(), OUTRO].join("\n\n")}\n`;
}

const INTRO = `# Configuration

<!-- Made by \`bun tests/docs/configuration.ts\` from src/config/fields.ts: edit that. -->

Everything has a default; no file is needed. \`panewatch doctor\` shows what differs from the defaults and where it comes from.

## Where a value comes from

Lowest to highest:

1. the defaults below;
2. the YAML file given with \`--config\` (\`-c\`). It is never written;
3. what was changed in the settings page or through the API: \`panewatch-settings.json\` in the state directory. It beats a YAML value that is changed later;
4. flags. A change made while the service runs holds at once, over a flag too; the next start applies the flag again.

The state directory is the folder of the configuration file when one is given, otherwise \`~/.panewatch/\`.

## How the file is read

- An empty file, an empty section and an empty key (\`poll_interval:\`) mean the defaults.
- A number out of range is set to the nearest allowed one, with a warning in the log. On the command line it is refused.
- An unknown key is a warning that offers the nearest known one.
- A wrong type, a duplicate key, an unknown value of a choice, a bad regular expression or invalid YAML stops the start with exit status 2 and one line: file, line, column, key and what is allowed.
- Nothing is expanded but a leading \`~\` in \`creation.roots\` and the agents' home folders: no variables, no commands.

## Settings

**Live** settings can be changed while the service runs, under the name in that column, in the settings page or with \`PATCH /api/config\`. All others are read at the start.`;

const OUTRO = `## Names

A name set for a pane wins. Otherwise \`naming_mode\` decides, here for pane 3 of window 1 in session \`work\`; an empty result falls back to the target.

| mode | name |
|---|---|
| \`pane\` | \`3\` |
| \`window_pane\` | \`1:3\` |
| \`session_pane\` | \`work:3\` |
| \`session_window_pane\` | \`work:1:3\` |
| \`title\` | its title, without a spinner before it |
| \`window\` | its window's name, without a spinner before it |
| \`target\` | \`work:1.3\` |
| \`command\` | the program that runs in it |
| \`smart\` | the host of an ssh, the title where it says something, the file of an editor, or the folder; with the program's short form before it |

With \`smart\` and \`auto_naming.ai_enabled\` a model names panes; until it has, and where it fails, the name is the smart one.

## What leaves this machine

Nothing, unless you switch it on. With \`auto_naming.ai_enabled\`, the program, the folder, the title and the last lines of panes that run one of \`auto_naming.ai_programs\` are given to the chosen backend: \`local\` sends them to \`auto_naming.local_url\` and nowhere else (no proxy of the environment is used, no redirect followed), the others hand them to a command line agent that sends them to its provider. \`claude\` and \`codex\` run without their tools and save no session, since pane output may try to give orders; \`antigravity\` has no such switch (its own go into \`auto_naming.antigravity_flags\`) and takes the text as an argument, which other users of this machine can read while it runs. \`push\` sends generic texts to the platform's push service. These settings are in the file only; no client can change them. With \`usage.enabled\`, which clients can switch, the collector asks the agents' providers for quotas and the network for prices; no pane's output is in that.

## Files in the state directory

| file | what it holds |
|---|---|
| \`panewatch-settings.json\` | values changed in the settings page |
| \`panewatch-access.json\` | the token, the addresses and the grants of devices, with the digests of their tokens, that \`panewatch phone\` has set up |
| \`panewatch-names.json\` | names that a model gave; \`panewatch names clear\` empties it |
| \`panewatch-push.json\` | registered devices |
| \`panewatch-vapid.json\` | the key by which browsers' push services know this server |
| \`panewatch-agents.sqlite3\` | what was read of agents' logs; \`panewatch agents clear\` empties it |
| \`acts.sqlite\` | what was sent, by whom, and what became of it; \`acts.keep_days: 0\` keeps it in memory alone |
| \`server-instance-id\` | a lasting id, no secret |
| \`panewatch.lock\`, \`panewatch.lock.json\` | held by the service that runs, with its pid and address; free again however it ends |
| \`uploads/\` | images for 24 hours |

Files are private (0600), and so are folders that panewatch makes (0700); a folder that exists keeps its rights, but for \`uploads/\`, which is made private again. The start refuses a state directory, or a file in it, that belongs to another user than you and root, is a link, or can be written by others, and says what to run; one that others can only read is a warning, and so is a file system that knows no rights. Each file is written beside itself, synced, then renamed. A corrupt one is moved aside as \`NAME.corrupt-<epoch>\` with one warning, and the service goes on. One that cannot be read (rights, a folder in its place, a faulty disk) stays where it is: with the settings or the id the service does not start and says so, any other switches its own part off. Where the folder is removed or replaced while the service runs, it watches on and sends nothing any more until it is started again: another one may have begun there, which knows the same messages.

One service at a time uses a state directory. A second one waits 5 seconds for the first to stop, then ends with exit code 2 and names its pid and port; commands that only read, such as \`doctor\` and \`pair\`, do not mind.`;

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
    field.live ? code(field.live) : "",
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
  const rows = named.map(([brand, id]) => `| ${code(brand)} | ${code(id)} |`);
  return [
    "## Other spellings",
    "The file and the flags also take the name that people know. Both spellings of one key in one file stop the start; the API and its replies have the second only.",
    ["| written | means |", "|---|---|", ...rows].join("\n"),
  ].join("\n\n");
}

function code(text: string): string {
  return `\`${text}\``;
}

if (import.meta.main) {
  await Bun.write(join(import.meta.dir, "../../docs/configuration.md"), renderReference());
}
