import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { COMPLETIONS, offersFor } from "../../src/cli/completions.ts";
import {
  defineCommand,
  flagsOf,
  operandsOf,
  spellings,
  commandWords,
  valueOf,
} from "../../src/cli/command.ts";
import { renderManual } from "../../src/cli/manual.ts";
import { COMMANDS } from "../../src/cli/tree.ts";
import { temporary } from "../support/temporary.ts";

type Shell = keyof typeof COMPLETIONS;
const SHOWN = COMMANDS.filter(({ meta }) => !meta.hidden);

const KNOWN = {
  panes: ["work:1.0", "work:2.0", "other:1.0"],
  prompts: ["work:1.0@3fa9c1"],
  hosts: ["gpu-1", "buildbox"],
};
const completionsOf = async (...typed: string[]) => {
  const text = await offersFor(typed, COMMANDS, async (kind) => KNOWN[kind]);
  return text.split("\n").flatMap((line) => (line === "" ? [] : (line.split("\t")[0] ?? [])));
};

test("a pane whose name acts on the terminal or divides a line is not offered", async () => {
  const names = ["a\u001b[2J:0.0", "a\u202eb:0.0", "a:0.0\nexit", "a:1.0"];
  expect(await offersFor(["show", ""], COMMANDS, async () => names)).toBe("a:1.0\t\n");
});

test("a dash is completed to exactly the flags of the command", async () => {
  for (const one of SHOWN)
    expect(await completionsOf(...commandWords(one), "-")).toEqual(flagsOf(one).flatMap(spellings));
});

test("a flag takes a value in all of its commands or in none", () => {
  const all = COMMANDS.flatMap(flagsOf);
  const withValue = new Set(all.filter((flag) => valueOf(flag) !== null).map(({ name }) => name));
  const without = all.filter((flag) => valueOf(flag) === null).map(({ name }) => name);
  expect(without.filter((name) => withValue.has(name))).toEqual([]);
});

const OFFERS: [string[], string[]][] = [
  [["st"], ["status-line"]],
  [
    ["service", ""],
    ["install", "uninstall", "status"],
  ],
  [["service", "un"], ["uninstall"]],
  [["-c", "service", "names", ""], ["clear"]],
  [["--config=a.yaml", "names", ""], ["clear"]],
  [["--config", "a"], [":files"]],
  [["service", "install", "--dry"], ["--dry-run"]],
  [["show", "work:1.0", "--j"], ["--json"]],
  [["--port", ""], []],
  [["nothing", ""], []],
  // Values from the service.
  [["show", ""], KNOWN.panes],
  [
    ["send", "work:"],
    ["work:1.0", "work:2.0"],
  ],
  [["wait", "work:2.0", "work:1"], ["work:1.0"]],
  [["answer", "work:1.0@"], KNOWN.prompts],
  [["hosts", "remove", "b"], ["buildbox"]],
  [
    ["wait", "--until", ""],
    ["waiting", "idle", "error", "gone"],
  ],
  [["wait", "--until", "i"], ["idle"]],
  [["--terminal-provider", "w"], ["wsp"]],
  [["send", "work:1.0", "--", "-"], []],
];
test.each(OFFERS)("the completions of %j", async (typed, offers) => {
  expect(await completionsOf(...typed)).toEqual(offers);
});

test("values are asked from the service of the typed configuration", async () => {
  const configs: unknown[] = [];
  const ask = (...typed: string[]) =>
    offersFor(typed, COMMANDS, async (_, { config }) => {
      configs.push(config);
      return [];
    });
  await ask("-c", "a.yaml", "show", "");
  await ask("--config=b.yaml", "show", "");
  await ask("show", "");
  expect(configs).toEqual(["a.yaml", "b.yaml", undefined]);
});

/** What bash is given for each of the lines, as it divides them into words, and what it asks. */
async function completedByBash(offers: string, ...lines: [typed: string, ...words: string[]][]) {
  const callOf = ([typed, ...words]: string[]) => {
    const quoted = words.map((word) => `'${word}'`).join(" ");
    const line = `panewatch ${typed}`;
    return `COMP_WORDS=(panewatch ${quoted}); COMP_CWORD=${words.length}; COMP_LINE='${line}' COMP_POINT=${line.length}; _panewatch; echo "\${COMPREPLY[*]}"`;
  };
  const script = [
    `panewatch() { printf '%s\\t%s\\n' ${offers}; echo "$@" >&2; }`,
    COMPLETIONS.bash.script.replace("2>/dev/null", "2>&3"),
    ...lines.map(callOf),
  ].join("\n");
  const child = Bun.spawn(["bash", "--norc", "-u", "-s"], {
    stdio: [new Blob([`exec 3>&1\n${script}\n`]), "pipe", "pipe"],
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect([stderr, await child.exited]).toEqual(["", 0]);
  return stdout.trimEnd().split("\n");
}

test("bash gets the part of a completion behind its own word break", async () => {
  const replies = await completedByBash(
    "work:1.0 '' work:2.0 'with help'",
    ["show ", "show", ""],
    ["show work:", "show", "work", ":"],
    ["show work:1", "show", "work", ":", "1"],
  );
  expect(replies).toEqual([
    "completions offer -- show ",
    "work:1.0 work:2.0",
    "completions offer -- show work:",
    "1.0 2.0",
    "completions offer -- show work:1",
    "1.0 2.0",
  ]);
});

test("bash gets the name of a pane as one word, whatever signs of a shell it has", async () => {
  const offers = "'a b;$(id):1.0' ''";
  const [, whole] = await completedByBash(offers, ["show ", "show", ""]);
  expect(whole).toBe("a\\ b\\;\\$\\(id\\):1.0");
});

test("the manual page has every command, flag and argument", () => {
  const page = renderManual(COMMANDS);
  for (const one of SHOWN) {
    const { name } = one.meta;
    const at = page.indexOf(`.SS panewatch ${name.replaceAll("-", "\\-")} `);
    const end = page.indexOf(".S", at + 1);
    const section = name === "" ? page : page.slice(at, end);
    expect(section, name).not.toBe("");
    // Flags of every command are described once.
    const own = flagsOf(one).filter((flag) => name === "" || !/^(config|help)$/.test(flag.name));
    for (const flag of own) expect(section).toContain(`\\-\\-${flag.name.replaceAll("-", "\\-")}`);
    for (const operand of operandsOf(one))
      expect(section).toContain(`.I ${operand.name.toUpperCase()}`);
  }
  expect(page.match(/\\-\\-config\\fR/g)).toHaveLength(1);
  expect(page).toContain(".SS panewatch wait [PANE...] [flags]\n");
  for (const section of ["EXAMPLES", "EXIT STATUS", "FILES"])
    expect(page).toContain(`.SH ${section}\n.TP\n`);
});

test("a line of the manual page that begins with a dot or quote is escaped", () => {
  const page = renderManual([
    defineCommand("", ".so /etc/passwd", {}, async () => 0),
    defineCommand("a", "'a \\ b", {}, async () => 0),
  ]);
  expect(page).toContain("\n\\&.so /etc/passwd");
  expect(page).toContain("\n\\&'a \\e b\n");
});

test("each shell on this machine parses its completion script", async () => {
  const folder = await temporary("completions");
  const all = Object.keys(COMPLETIONS) as Shell[];
  const here = all.filter((shell) => Bun.which(shell) !== null);
  expect(here).toContain("bash");
  for (const shell of here) {
    const path = join(folder, shell);
    await writeFile(path, COMPLETIONS[shell].script);
    const child = Bun.spawnSync([shell, "-n", path]);
    expect([shell, child.stderr.toString(), child.exitCode]).toEqual([shell, "", 0]);
  }
});
