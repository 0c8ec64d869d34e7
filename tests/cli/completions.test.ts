import { expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMPLETIONS } from "../../src/cli/completions/shells.ts";
import { spellings } from "../../src/cli/completions/tree.ts";
import { renderManual } from "../../src/cli/manual.ts";
import { COMMANDS } from "../../src/program.ts";

const scriptFor = (shell: string) => COMPLETIONS[shell]?.render(COMMANDS) ?? "";

/** What bash offers for each line; the cursor is behind its last word. */
async function bashOffers(lines: readonly (readonly string[])[]): Promise<string[][]> {
  const asked = lines.map((words) => {
    const quoted = words.map((word) => `'${word}'`).join(" ");
    return `COMP_WORDS=(panewatch ${quoted}); COMP_CWORD=${words.length}; _panewatch; echo "\${COMPREPLY[*]}"`;
  });
  const script = `${scriptFor("bash")}\n${asked.join("\n")}\n`;
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
  const offers = await bashOffers(COMMANDS.map(({ words }) => [...words, "-"]));
  const flags = COMMANDS.map((command) => command.flags.flatMap(spellings));
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
  [["--port", "="], []],
  [["send", "work:1.0", "--", "-"], []],
];
test("bash offers what may follow", async () => {
  const offers = await bashOffers(OFFERS.map(([words]) => words));
  expect(offers).toEqual(OFFERS.map(([, offered]) => offered));
});

test.each(["zsh", "fish"])("%s is told every command and every flag with its help", (shell) => {
  const script = scriptFor(shell);
  const escape = (text: string) => text.replaceAll("'", shell === "zsh" ? `'\\''` : "\\'");
  for (const { words, flags, help } of COMMANDS) {
    expect(script).toContain(`'${words.join(" ")}`);
    if (words.length > 0) expect(script).toContain(escape(help));
    for (const flag of flags) {
      expect(script).toMatch(new RegExp(shell === "zsh" ? `--${flag.name}:` : `-l ${flag.name} `));
      expect(script).toContain(escape(flag.help));
    }
  }
});

test("the manual page names every command, flag and argument", () => {
  const page = renderManual(COMMANDS);
  for (const { words, flags, operands = [] } of COMMANDS) {
    const at = page.indexOf(`.SS panewatch ${words.join(" ").replaceAll("-", "\\-")} `);
    const end = page.indexOf(".S", at + 1);
    const section = words.length === 0 ? page : page.slice(at, end);
    expect(section, words.join(" ")).not.toBe("");
    for (const { name } of flags) expect(section).toContain(`\\-\\-${name.replaceAll("-", "\\-")}`);
    for (const { name } of operands) expect(section).toContain(`.I ${name.toUpperCase()}`);
  }
});

test("a line of the manual page is no request by chance", () => {
  const page = renderManual([
    { words: [], help: ".so /etc/passwd", flags: [] },
    { words: ["a"], help: "'a \\ b", flags: [] },
  ]);
  expect(page).toContain("\n\\&.so /etc/passwd");
  expect(page).toContain("\n\\&'a \\e b\n");
});

test("the shells that are here read what is written for them", async () => {
  const folder = await mkdtemp(join(tmpdir(), "panewatch-completions-"));
  try {
    const here = Object.keys(COMPLETIONS).filter((shell) => Bun.which(shell) !== null);
    expect(here).toContain("bash");
    for (const shell of here) {
      const path = join(folder, shell);
      await writeFile(path, scriptFor(shell));
      const child = Bun.spawnSync([shell, "-n", path]);
      expect([shell, child.stderr.toString(), child.exitCode]).toEqual([shell, "", 0]);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
