import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { COMPLETIONS } from "../../src/cli/completions/shells.ts";
import {
  defineCommand,
  flagsOf,
  operandsOf,
  spellings,
  commandWords,
} from "../../src/cli/command.ts";
import { renderManual } from "../../src/cli/manual.ts";
import { COMMANDS } from "../../src/cli/tree.ts";
import { temporary } from "../support/temporary.ts";

type Shell = keyof typeof COMPLETIONS;
const scriptFor = (shell: Shell) => COMPLETIONS[shell].render(COMMANDS);
const SHOWN = COMMANDS.filter(({ meta }) => !meta.hidden);

/** What bash offers for each line; the cursor is behind its last word. */
async function bashOffers(lines: readonly (readonly string[])[]): Promise<string[][]> {
  const asked = lines.map((words) => {
    const quoted = words.map((word) => `'${word}'`).join(" ");
    const line = `panewatch ${words.join(" ").replace(/(\S) : ?/g, "$1:")}`;
    return `COMP_WORDS=(panewatch ${quoted}); COMP_CWORD=${words.length}; COMP_LINE='${line}' COMP_POINT=${line.length}; _panewatch; echo "\${COMPREPLY[*]}"`;
  });
  const now = `panewatch() { case $2 in
    panes) printf '%s\\n' work:1.0 work:2.0 other:1.0 ;;
    prompts) printf '%s\\n' work:1.0@3fa9c1 ;;
    hosts) printf '%s\\n' gpu-1 buildbox ;;
    esac; }`;
  const script = `${now}\n${scriptFor("bash")}\n${asked.join("\n")}\n`;
  const child = Bun.spawn(["bash", "--norc", "-u", "-s"], {
    stdin: new Blob([script]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect([stderr, await child.exited]).toEqual(["", 0]);
  return stdout
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => (line === "" ? [] : line.split(" ")));
}

test("bash offers every flag of every command, and no other", async () => {
  const offers = await bashOffers(SHOWN.map((one) => [...commandWords(one), "-"]));
  const flags = SHOWN.map((one) => flagsOf(one).flatMap(spellings));
  expect(offers).toEqual(flags);
});

const OFFERS: [string[], string[]][] = [
  [["st"], ["status-line"]],
  [
    ["service", ""],
    ["install", "uninstall", "status"],
  ],
  [["service", "un"], ["uninstall"]],
  // Flags before a command and their values are none of its words.
  [["-c", "service", "names", ""], ["clear"]],
  [["--config", "=", "a.yaml", "names", ""], ["clear"]],
  [["service", "install", "--dry"], ["--dry-run"]],
  [["show", "work:1.0", "--j"], ["--json"]],
  [["--port", ""], []],
  // What the service knows now; of a target bash completes what stands behind its last colon.
  [
    ["show", ""],
    ["work:1.0", "work:2.0", "other:1.0"],
  ],
  [
    ["send", "work", ":"],
    ["1.0", "2.0"],
  ],
  [["wait", "work:2.0", "work", ":", "1"], ["1.0"]],
  [["answer", "work", ":", "1.0@"], ["1.0@3fa9c1"]],
  [["hosts", "remove", "b"], ["buildbox"]],
  [
    ["wait", "--until", ""],
    ["waiting", "idle", "error", "gone"],
  ],
  [["wait", "--until", "i"], ["idle"]],
  [["--terminal-provider", "w"], ["wsp"]],
  [["--port", "="], []],
  [["send", "work:1.0", "--", "-"], []],
];
test("bash offers what may follow", async () => {
  const offers = await bashOffers(OFFERS.map(([words]) => words));
  expect(offers).toEqual(OFFERS.map(([, offered]) => offered));
});

test.each(["zsh", "fish"] as const)(
  "%s is told every command and every flag with its help",
  (shell) => {
    const script = scriptFor(shell);
    const escape = (text: string) => text.replaceAll("'", shell === "zsh" ? `'\\''` : "\\'");
    expect(script).toMatch(/panewatch completions (panes|\$now)/);
    for (const one of SHOWN) {
      const { name, description } = one.meta;
      expect(script).toContain(`'${name}`);
      if (name !== "") expect(script).toContain(escape(description));
      for (const flag of flagsOf(one)) {
        expect(script).toMatch(
          new RegExp(shell === "zsh" ? `--${flag.name}:` : `-l ${flag.name} `),
        );
        expect(script).toContain(escape(flag.help));
      }
    }
  },
);

test("the manual page names every command, flag and argument", () => {
  const page = renderManual(COMMANDS);
  for (const one of SHOWN) {
    const { name } = one.meta;
    const at = page.indexOf(`.SS panewatch ${name.replaceAll("-", "\\-")} `);
    const end = page.indexOf(".S", at + 1);
    const section = name === "" ? page : page.slice(at, end);
    expect(section, name).not.toBe("");
    // What every command takes is told of once.
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

test("a line of the manual page is no request by chance", () => {
  const page = renderManual([
    defineCommand("", ".so /etc/passwd", {}, async () => 0),
    defineCommand("a", "'a \\ b", {}, async () => 0),
  ]);
  expect(page).toContain("\n\\&.so /etc/passwd");
  expect(page).toContain("\n\\&'a \\e b\n");
});

test("the shells that are here read what is written for them", async () => {
  const folder = await temporary("completions");
  const all = Object.keys(COMPLETIONS) as Shell[];
  const here = all.filter((shell) => Bun.which(shell) !== null);
  expect(here).toContain("bash");
  for (const shell of here) {
    const path = join(folder, shell);
    await writeFile(path, scriptFor(shell));
    const child = Bun.spawnSync([shell, "-n", path]);
    expect([shell, child.stderr.toString(), child.exitCode]).toEqual([shell, "", 0]);
  }
});
