import { expect, test } from "bun:test";
import fc from "fast-check";
import { fit, runsOneOf, smartName, type SmartFacts } from "../../src/naming/heuristics.ts";
import { PaneKind } from "../../src/protocol/pane.ts";
import { forAll } from "../support/laws.ts";

const FACTS: SmartFacts = {
  kind: "generic",
  title: "",
  command: "bash",
  cwd: "/srv/shop-api",
  processes: [],
  home: "/home/ana",
  hostname: "box.lan",
  prefixes: { claude: "cc", nvim: "nvim", codex: "cx", node: "node", opencode: "oc" },
  maxChars: 24,
};
const name = (facts: Partial<SmartFacts>) => smartName({ ...FACTS, ...facts });

const CASES: [string, Partial<SmartFacts>, string][] = [
  ["a shell has its directory", {}, "shop-api"],
  ["a login shell has its directory", { command: "-zsh" }, "shop-api"],
  ["a shell in the home folder has ~", { cwd: "/home/ana" }, "~"],
  ["a shell in the root has /", { cwd: "/" }, "/"],
  [
    "an agent has its short form and its title",
    { kind: "agent_a", command: "node", title: "✳ Fix login" },
    "cc Fix login",
  ],
  [
    "an agent that only names itself has its directory",
    { kind: "agent_a", command: "claude", title: "✳ Claude Code" },
    "cc shop-api",
  ],
  [
    "an agent has its title without the program's mark",
    { kind: "agent_d", command: "opencode", title: "OC | Tidy CSS" },
    "oc Tidy CSS",
  ],
  ["an interpreter has its short form", { command: "node" }, "node shop-api"],
  ["a program without a short form has its command", { command: "htop" }, "htop shop-api"],
  ["a title that is the host does not count", { title: "box" }, "shop-api"],
  ["a title that is a place does not count", { title: "ana@box: ~/x" }, "shop-api"],
  ["a title that is a path does not count", { title: "~/x/y" }, "shop-api"],
  [
    "a title that is the program does not count",
    { command: "htop", title: "htop" },
    "htop shop-api",
  ],
  ["a shell has a title that counts", { title: "release notes" }, "release notes"],
  [
    "an editor has its file",
    { command: "nvim", processes: [["nvim", "-R", "src/cart.ts"]] },
    "nvim cart.ts",
  ],
  [
    "an editor behind sudo has its file",
    {
      command: "sudo",
      processes: [
        ["sudo", "vim", "/etc/hosts"],
        ["vim", "/etc/hosts"],
      ],
    },
    "vim hosts",
  ],
  [
    "an editor without a file has its directory",
    { command: "vim", processes: [["vim", "+12"]] },
    "vim shop-api",
  ],
  [
    "a connection has its host",
    { command: "ssh", title: "ana@web: ~", processes: [["ssh", "-p", "22", "deploy@web-1"]] },
    "ssh web-1",
  ],
  ["a short form is no object member", { command: "constructor" }, "constructor shop-api"],
  ["a title loses its control characters", { title: "a\u001b[31mb\u202e cc" }, "a [31mb cc"],
];
test.each(CASES)("the smart name: %s", (_what, facts, expected) => {
  expect(name(facts)).toBe(expected);
});

const HOSTS: [string[], string | null][] = [
  [["ssh", "web-1"], "web-1"],
  [["/usr/bin/ssh", "-A", "-i", "key", "-o", "X=y", "ana@web-1", "uptime"], "web-1"],
  [["ssh", "ssh://ana@web-1:2222"], "web-1"],
  [["ssh", "-J", "jump", "-p22", "10.0.0.7"], "10.0.0.7"],
  [["ssh", "fe80::1"], "fe80::1"],
  [["ssh"], null],
  [["ssh", "-V"], null],
  [["node", "ssh.js"], null],
];
test.each(HOSTS)("the host in the arguments %j is %s, behind a wrapper too", (argv, host) => {
  for (const processes of [[argv], [["sshpass", "-e"], argv]])
    expect(name({ processes })).toBe(host === null ? "shop-api" : `ssh ${host}`);
});

test("a listed program is recognised in any version, and an agent under another name of its command", () => {
  const runs = (command: string, kind: PaneKind = "generic") =>
    runsOneOf(new Set(["python", "claude", "Xvim9"]), { command, kind });
  for (const command of ["python", "python3", "python3.12", "Python", "claude", "Xvim9"])
    expect([command, runs(command)]).toEqual([command, true]);
  expect(runs("2.0.54", "agent_a")).toBe(true);
  expect(runs("node", "agent_a")).toBe(true);
  for (const command of ["", "3", "pythonista", "ipython3", "2.0.54", "xvim", "node"])
    expect([command, runs(command)]).toEqual([command, false]);
  expect(runs("codex", "agent_b")).toBe(false);
});

test("a name that is too long is cut at the end of a word where one is near", () => {
  expect(fit("cc repair the payment webhook", 24)).toBe("cc repair the payment…");
  expect(fit("a-very-long-directory-name", 12)).toBe("a-very-long…");
  expect(fit("exactly-12-c", 12)).toBe("exactly-12-c");
});

test("for any pane: the smart name is one line within its limit", () => {
  const text = fc.string({ unit: "binary", maxLength: 60 });
  const facts = fc.record({
    kind: fc.constantFrom(...PaneKind.options),
    title: text,
    command: text,
    cwd: text,
    processes: fc.array(fc.array(fc.oneof(text, fc.constantFrom("ssh", "vim", "-o")))),
    maxChars: fc.integer({ min: 8, max: 80 }),
  });
  forAll([facts], 500, (one) => {
    const result = name(one);
    expect([...result].length).toBeLessThanOrEqual(one.maxChars);
    expect(result).not.toMatch(/[\p{Cc}]/u);
  });
});
