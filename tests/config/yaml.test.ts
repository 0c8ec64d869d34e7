import { expect, test } from "bun:test";
import fc from "fast-check";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CONFIG_KEYS, FIELDS } from "../../src/config/fields.ts";
import type { Field } from "../../src/config/field.ts";
import { parseYaml, readYaml } from "../../src/config/yaml.ts";
import { StartupError } from "../../src/errors.ts";
import { temporary } from "../support/temporary.ts";
import { forAll } from "../support/laws.ts";

function refusalOf(source: string): string {
  try {
    parseYaml(source, "c.yaml");
  } catch (error) {
    if (error instanceof StartupError) return error.message;
    throw error;
  }
  throw new Error("the file was accepted");
}

for (const source of ["", "\n# nothing\n", "---\n", "server:\n", "poll_interval:\n", "{}"]) {
  test(`an empty file or key means defaults: ${JSON.stringify(source)}`, () => {
    expect(parseYaml(source, "c.yaml")).toEqual({ layer: {}, warnings: [] });
  });
}

test("a value is read in the form of its setting, in a nested block or an inline map", () => {
  const { layer, warnings } = parseYaml(
    `
server:
  token: "12345"
terminal: { provider: mux, wsp: { events: off } }
discovery: { auto: false }
panes:
  - target: work:1.0
  - { target: "work:2.1", name: tests, kind: generic, star: true }
usage: { command: "npx 'a b' --x" }
creation:
  roots: [{ label: code, path: ~/code }]
  runtimes: { agent_a: [claude, --continue] }
auto_naming: { prefix_apps: { vim: vi } }
`,
    "c.yaml",
  );
  expect(warnings).toEqual([]);
  expect(layer).toEqual({
    "server.token": "12345",
    ...{ "terminal.provider": "mux", "terminal.wsp.events": "off" },
    "discovery.auto": false,
    panes: [
      { target: "work:1.0", name: "", kind: null, star: false },
      { target: "work:2.1", name: "tests", kind: "generic", star: true },
    ],
    "usage.command": ["npx", "a b", "--x"],
    "creation.roots": [{ label: "code", path: "~/code" }],
    "creation.runtimes": { agent_a: ["claude", "--continue"] },
    "auto_naming.prefix_apps": { vim: "vi" },
  });
});

const REFUSED: [name: string, source: string, ...parts: string[]][] = [
  ["a wrong type", "poll_interval: fast\n", "c.yaml:1:16: poll_interval", "from 0.2 to 10"],
  ["a wrong type below", "server:\n  port: x\n", "c.yaml:2:9: server.port", "from 0 to 65535"],
  ["a number for text", "server:\n  token: 123\n", "c.yaml:2:10: server.token", "quotes"],
  [
    "text for a boolean",
    "discovery:\n  auto: yes\n",
    "c.yaml:2:9: discovery.auto",
    "true or false",
  ],
  ["not a number", "poll_interval: .nan\n", "c.yaml:1:16: poll_interval"],
  ["a token with a line break", "server:\n  token: |\n    abc\n", "c.yaml:2:10: server.token"],
  ["a token that no header can carry", "server: {token: ключ}\n", "server.token", "ASCII"],
  [
    "an unknown enum value",
    "naming_mode: nice\n",
    "c.yaml:1:14: naming_mode: bad value: nice",
    "smart",
  ],
  ["a list item of a wrong type", "panes:\n  - a:0.0\n", "c.yaml:2:5: panes[0]"],
  [
    "an unknown runtime",
    "creation:\n  runtimes:\n    vim: [vim]\n",
    "c.yaml:3:10:",
    "vim",
    "agent_a",
  ],
  ["a relative root", "creation:\n  roots:\n    - path: code\n", "c.yaml:3:13:", "absolute"],
  ["another user's home", "agents:\n  agent_a_home: ~ann/x\n", "c.yaml:2:17:", "begin with ~/"],
  [
    "a bad regex",
    "detectors:\n  error_patterns: ['ok', '(']\n",
    "c.yaml:2:26: detectors.error_patterns[1]",
    "bad regex",
  ],
  ["a section that is a list", "server: [1]\n", "c.yaml:1:9: server", "section"],
  [
    "a duplicate key",
    "server:\n  port: 1\n  host: h\n  port: 2\n",
    "c.yaml:4:3: port is given twice",
  ],
  [
    "both spellings of a section",
    "tmux: {socket: a}\nmux: {binary: b}\n",
    "c.yaml:2:1: tmux and mux",
  ],
  [
    "both spellings of a key",
    "agents:\n  agent_a_home: /a\n  claude_home: /b\n",
    "c.yaml:3:3: agents.agent_a_home and agents.claude_home",
  ],
  ["invalid YAML", "server: [1,\n", "c.yaml:2:1: not valid YAML"],
  ["two documents", "---\nserver:\n---\nmux:\n", "c.yaml:3:1: not valid YAML"],
  ["a file that is a list", "- a\n", "c.yaml:1:1: the file must be a map"],
  ["an alias of nothing", "panes: *gone\n", "c.yaml:1:8:", "gone"],
  ["endless nesting", `a: ${"[".repeat(5_000)}`, "c.yaml"],
  ["an unending quote in a command", 'usage: {command: "a \'b"}\n', "c.yaml:1:18: usage.command"],
];
for (const [name, source, ...parts] of REFUSED) {
  test(`a file is refused on one line with the place of the fault: ${name}`, () => {
    const message = refusalOf(source);
    for (const part of parts) expect(message).toContain(part);
    expect(message).not.toContain("\n");
  });
}

test("a refusal never quotes the token", () => {
  for (const source of ['server:\n  token: ["sesame"]\n', "server:\n  token: 'sesame\n"]) {
    expect(refusalOf(source)).not.toContain("sesame");
  }
});

test("numbers out of range clamp with a warning that names the place", () => {
  const { layer, warnings } = parseYaml("poll_interval: 99\nserver: {port: 70000}\n", "c.yaml");
  expect(layer).toEqual({ poll_interval: 10, "server.port": 65535 });
  expect(warnings).toHaveLength(2);
  expect(warnings[0]).toStartWith("c.yaml:1:16: poll_interval: 99 ");
});

test("an unknown key is a warning that offers the nearest known one", () => {
  const { layer, warnings } = parseYaml(
    "pol_interval: 1\nserver: {prot: 1}\nservr: {}\npanes: [{target: a, nmae: x}]\nquite_else: 1\n",
    "c.yaml",
  );
  expect(Object.keys(layer)).toEqual(["panes"]);
  expect(warnings).toEqual([
    "c.yaml:1:1: unknown key pol_interval (did you mean poll_interval?)",
    "c.yaml:2:10: unknown key server.prot (did you mean server.port?)",
    "c.yaml:3:1: unknown key servr (did you mean server?)",
    "c.yaml:4:8: panes: [0]: unknown key nmae (did you mean name?)",
    "c.yaml:5:1: unknown key quite_else",
  ]);
});

test("a key with dots in its name and a member of objects are unknown keys", () => {
  const source = "server.port: 1\nterminal.wsp: {session: a}\nconstructor: 1\n__proto__: {a: 1}\n";
  const { layer, warnings } = parseYaml(source, "c");
  expect(layer).toEqual({});
  expect(warnings).toEqual([
    "c:1:1: unknown key server.port: sections are nested, not dotted",
    "c:2:1: unknown key terminal.wsp: sections are nested, not dotted",
    "c:3:1: unknown key constructor",
    "c:4:1: unknown key __proto__",
  ]);
});

test("brand names are read as contract ids", () => {
  const { layer } = parseYaml(
    `
terminal: { provider: herdr, herdr: { session: main } }
tmux: { socket: work }
agents: { claude_home: /c, codex_home: /x }
panes: [{ target: a:0.0, kind: codex }]
creation: { runtimes: { antigravity: [agy], opencode: [oc] } }
`,
    "c.yaml",
  );
  expect(layer).toEqual({
    "terminal.provider": "wsp",
    "terminal.wsp.session": "main",
    "mux.socket": "work",
    "agents.agent_a_home": "/c",
    "agents.agent_b_home": "/x",
    panes: [{ target: "a:0.0", name: "", kind: "agent_b", star: false }],
    "creation.runtimes": { agent_e: ["agy"], agent_d: ["oc"] },
  });
});

test("agents.enabled and the switch that only the settings page has are ignored in the file", () => {
  const source = "agents: {enabled: true}\nexperimental_agent_workspace_enabled: true\n";
  const { layer, warnings } = parseYaml(source, "c.yaml");
  expect(layer).toEqual({});
  expect(warnings).toHaveLength(1);
});

test("anchors and aliases work for sections and values", () => {
  const { layer } = parseYaml(
    "detectors:\n  error_patterns: &p [a]\n  generic_prompt_patterns: *p\n",
    "c.yaml",
  );
  expect(layer["detectors.generic_prompt_patterns"]).toEqual(["a"]);
});

test("aliases cannot multiply a small file into a large value", () => {
  const rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"];
  for (let i = 1; i < 12; i++)
    rows.push(
      `a${i}: &a${i} [${Array(9)
        .fill(`*a${i - 1}`)
        .join(", ")}]`,
    );
  expect(refusalOf(`${rows.join("\n")}\npanes: *a11\n`)).toContain("repeats too much");
});

test("a value that holds itself is refused", () => {
  expect(refusalOf("panes: &x [*x]\n")).toContain("panes[0]");
  expect(refusalOf("naming_mode: &x [*x]\n")).toContain("naming_mode");
});

test("law: any file is read, or refused on one line", () => {
  const key = fc.constantFrom(...CONFIG_KEYS, "x", "__proto__", "panes", "a.b");
  const file = fc.dictionary(key, fc.jsonValue({ maxDepth: 3 }));
  forAll([fc.oneof(file.map(nested), fc.string())], 500, (source) => {
    try {
      parseYaml(source, "c.yaml");
    } catch (error) {
      expect(error).toBeInstanceOf(StartupError);
      expect(String(error)).not.toContain("\n");
    }
  });
});

test("law: every default may be written into the file, and reads as itself", () => {
  for (const key of CONFIG_KEYS) {
    const field: Field<unknown> = FIELDS[key];
    if (field.yaml === false) continue;
    const { layer, warnings } = parseYaml(nested({ [key]: field.default }), "c.yaml");
    expect(warnings).toEqual([]);
    expect(layer).toEqual({ [key]: field.default });
  }
});

/** `{"a.b": 1}` -> the text of `{"a": {"b": 1}}`: JSON is YAML. */
function nested(values: Record<string, unknown>): string {
  const root: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(values)) {
    const parts = path.split(".");
    const last = parts.pop() ?? "";
    let at = root;
    for (const part of parts) at = (at[part] ??= {}) as Record<string, unknown>;
    if (typeof at === "object" && at !== null) at[last] = value;
  }
  return JSON.stringify(root);
}

test("a file that cannot be read is refused with the reason", async () => {
  const folder = await temporary("config-yaml");
  await expect(readYaml(join(folder, "none.yaml"))).rejects.toThrow(/none\.yaml: no such file$/);
  await expect(readYaml(folder)).rejects.toThrow(/it is a directory$/);
  const large = join(folder, "large.yaml");
  await writeFile(large, "#".repeat(1024 * 1024 + 1));
  await expect(readYaml(large)).rejects.toThrow(/larger than 1 MiB/);
  const latin = join(folder, "latin.yaml");
  await Bun.write(latin, Buffer.from("panes: [{target: a, name: Büro}]", "latin1"));
  await expect(readYaml(latin)).rejects.toThrow(/latin\.yaml: it is not UTF-8$/);
  const secret = join(folder, "secret.yaml");
  await writeFile(secret, "");
  await chmod(secret, 0);
  if (process.getuid?.() !== 0)
    await expect(readYaml(secret)).rejects.toThrow(/permission denied$/);
});
