import { describe, expect, test } from "bun:test";
import type { DetectInput } from "../../src/detect/finding.ts";
import { isInteractiveShell } from "../../src/detect/kind.ts";
import { prepare } from "../../src/detect/prepare.ts";
import { detectInput } from "../support/detect-input.ts";

interface Facts {
  command: string;
  processes?: string[][];
  title?: string;
  lines?: string[];
  override?: DetectInput["kindOverride"];
}

function kindOf(facts: Facts) {
  const { lines = [], override: kindOverride = null, ...members } = facts;
  return prepare(detectInput(lines, { ...members, kindOverride })).kind;
}

/** `kind/agent id` in one word. */
function who(facts: Facts): string {
  const { kind, agent } = kindOf(facts);
  return `${kind}/${agent?.id ?? "-"}`;
}

describe("the kind by the command", () => {
  test.each([
    ["claude", "agent_a/agent_a"],
    ["claude-2.1", "agent_a/agent_a"],
    ["claude.exe", "agent_a/agent_a"],
    ["codex", "agent_b/agent_b"],
    ["codex-x86_64-unknown-linux-musl", "agent_b/agent_b"],
    ["codex.bin", "agent_b/agent_b"],
    ["grok", "agent_c/agent_c"],
    ["grok-dev", "agent_c/agent_c"],
    ["opencode", "agent_d/agent_d"],
    ["oc", "agent_d/agent_d"],
    ["agy", "agent_e/agent_e"],
    ["antigravity", "agent_e/agent_e"],
    ["gemini", "generic/gemini"],
    ["copilot", "generic/copilot"],
    ["cursor-agent", "generic/cursor"],
    ["amp", "generic/amp"],
    ["qwen", "generic/qwen"],
    ["aider", "generic/aider"],
    ["goose", "generic/goose"],
    ["crush", "generic/crush"],
    ["kimi-code", "generic/kimi"],
    ["vibe-rs", "generic/vibe"],
    ["pi", "generic/pi"],
    ["cn", "generic/continue"],
    // Programs whose names only begin like an agent's.
    ["claudette", "generic/-"],
    ["codexx", "generic/-"],
    ["ocaml", "generic/-"],
    ["amplify", "generic/-"],
    ["vim", "generic/-"],
    ["", "generic/-"],
  ])("of %s is %s", (command, expected) => {
    expect(who({ command })).toBe(expected);
  });

  test.each("sh bash zsh fish dash ksh tcsh nu pwsh -zsh -bash /bin/sh".split(" "))(
    "of %s is a shell",
    (command) => {
      expect(kindOf({ command })).toMatchObject({ kind: "shell", rule: "kind.shell", agent: null });
    },
  );

  test.each([
    "bash --rcfile /tmp/nix-shell.x1",
    "bash -i --init-file /opt/shell.sh",
    "fish -C ls",
    "zsh -o vi",
  ])("of a shell that starts with a file or option of its own is a shell: %s", (typed) => {
    const lines = ["⏵⏵ accept edits on (shift+tab to cycle)", "shop » "];
    const args = typed.split(" ");
    const [command = ""] = args;
    expect(kindOf({ command, processes: [args], lines }).agent).toBeNull();
  });

  test("an option takes the next word in its own shell only", () => {
    expect(isInteractiveShell(["fish", "-C", "ls"])).toBe(true);
    expect(isInteractiveShell(["bash", "-C", "deploy.sh"])).toBe(false);
  });
});

describe("a dialog shown in a pager or a picker", () => {
  const lines = [" Do you want to proceed?", " ❯ 1. Yes", " Esc to cancel · Tab to amend"];

  test.each([
    ["behind a pipe, its first process gone", { command: "bash", processes: [["less"]] }],
    ["behind sudo", { command: "sudo", processes: [["sudo", "less"], ["less"]] }],
    ["of a script", { command: "bash", processes: [["bash", "log.sh"], ["less"]] }],
    ["listed by a picker", { command: "bash", processes: [["fzf"]] }],
  ])("makes no agent: %s", (_name, facts) => {
    expect(kindOf({ ...facts, lines }).agent).toBeNull();
  });

  test.each([":", "(END)", "notes.txt (END)", "--More--(40%)"])(
    "makes no agent behind ssh above %s",
    (last) => {
      expect(kindOf({ command: "ssh", lines: [...lines, last] }).agent).toBeNull();
      expect(kindOf({ command: "ssh", lines }).agent?.id).toBe("agent_a");
    },
  );

  test("makes no agent in tmux inside a pane where the status or the last line names a pager", () => {
    const agentOf = (...last: string[]) =>
      kindOf({ command: "tmux", lines: [...lines, ...last] }).agent?.id;
    expect(agentOf("(END)", '[0] 0:bash*       "vm" 13:44 22-Nov-26')).toBeUndefined();
    expect(agentOf('[0] 0:less*       "vm" 13:44 22-Nov-26')).toBeUndefined();
    expect(agentOf('[0] 0:claude*       "vm" 13:44 22-Nov-26')).toBe("agent_a");
  });
});

describe("the kind by process arguments", () => {
  test.each([
    [["node", "/opt/node_modules/.bin/codex"], "agent_b/agent_b"],
    [["node", "/usr/lib/node_modules/@openai/codex/bin/codex.js"], "agent_b/agent_b"],
    [
      ["/usr/bin/node", "--max-old-space-size=12052", "/opt/node_modules/.bin/gemini"],
      "generic/gemini",
    ],
    [
      ["node", "-r", "./hook.js", "/x/node_modules/@google/gemini-cli/dist/index.js"],
      "generic/gemini",
    ],
    [["node", "/x/node_modules/@anthropic-ai/claude-code/cli.js", "--continue"], "agent_a/agent_a"],
    [["bun", "run", "/x/node_modules/.bin/opencode"], "agent_d/agent_d"],
    [["npx", "-y", "@openai/codex@0.169.0"], "agent_b/agent_b"],
    [["npm", "exec", "@qwen-code/qwen-code@latest"], "generic/qwen"],
    [["python3.12", "-m", "aider", "--model", "x"], "generic/aider"],
    [["python3", "/home/u/.local/bin/aider"], "generic/aider"],
    [["/home/u/.local/share/claude/versions/2.1.329"], "agent_a/agent_a"],
    // An agent's name in an argument is not the program.
    [["node", "server.js", "codex"], "generic/-"],
    [["node", "-e", "codex", "claude"], "generic/-"],
    [["python3", "train.py", "--agent", "claude"], "generic/-"],
    [["vim", "/x/node_modules/@openai/codex/README.md"], "generic/-"],
    [["node", "/x/node_modules/claude-log-viewer/index.js"], "generic/-"],
  ])("of %j is %s", (args, expected) => {
    expect(who({ command: "node", processes: [args] })).toBe(expected);
  });

  test("is that of the nearest agent, not of an agent that it started", () => {
    const processes = [["claude"], ["node", "/x/.bin/codex"]];
    expect(who({ command: "bash", processes })).toBe("agent_a/agent_a");
  });

  test("of a wrapper script is that of the agent that it runs", () => {
    const processes = [
      ["bash", "/home/u/bin/work"],
      ["node", "/x/.bin/codex"],
    ];
    expect(kindOf({ command: "bash", processes })).toMatchObject({
      kind: "agent_b",
      rule: "kind.process",
      evidence: "node /x/.bin/codex",
    });
  });
});

describe("an agent that exited to its shell leaves that shell's kind", () => {
  const leftOver = ["● Done.", "", "  ⏵⏵ accept edits on (shift+tab to cycle)", "", "demo$"];

  test("although its title and its text stay", () => {
    expect(
      who({ command: "bash", processes: [["-bash"]], title: "✳ Claude Code", lines: leftOver }),
    ).toBe("shell/-");
  });

  test("although the shell runs a script under the title that stayed", () => {
    const script = [["bash", "deploy.sh"]];
    expect(who({ command: "bash", processes: script, title: "✳ Claude Code" })).toBe("shell/-");
  });

  test("although nothing is known about the processes", () => {
    expect(who({ command: "zsh", title: "✳ Claude Code", lines: leftOver })).toBe("shell/-");
  });

  test("although an interpreter now runs below its text or title", () => {
    const server = { command: "node", processes: [["node", "server.js"]] };
    const asked = ["› 2. No, and tell Codex what to do differently (esc)", ""];
    const lines = [...asked, "ann@build:~/shop$ node server.js", "Listening on 8080"];
    const title = "[ ! ] Action Required | shop";
    expect(who({ ...server, lines })).toBe("generic/-");
    expect(who({ ...server, title, lines: ["Listening on 8080"] })).toBe("generic/-");
    expect(who({ command: "ssh", lines })).toBe("generic/-");
    // Another machine's title, handed through by the ssh that a script started.
    const args = ["python3", "/opt/cloud/lib/gcloud.py", "compute", "ssh", "vm"];
    const processes = [args, ["/usr/bin/ssh", "-t", "ann@vm"]];
    expect(who({ command: "python3", processes, title: "✳ Claude Code" })).toBe("agent_a/agent_a");
  });

  test("also behind ssh", () => {
    const title = "✳ Claude Code";
    expect(who({ command: "ssh", title, lines: leftOver })).toBe("generic/-");
    expect(who({ command: "ssh", title, lines: ["● Working on it"] })).toBe("agent_a/agent_a");
  });
});

describe("the kind by screen and title", () => {
  const codex = ["• Working (12s • esc to interrupt)", "", "› Ask Codex to do anything"];

  test("is used behind ssh and in containers", () => {
    expect(kindOf({ command: "ssh", lines: codex })).toMatchObject({
      kind: "agent_b",
      rule: "kind.screen",
      evidence: "• Working (12s • esc to interrupt)",
    });
    expect(who({ command: "docker", title: "◇  Ready (dir)      " })).toBe("generic/gemini");
  });

  test("is used above a status line that begins with a percentage", () => {
    const lines = [...codex, "85% context left"];
    expect(who({ command: "ssh", lines })).toBe("agent_b/agent_b");
    expect(who({ command: "ssh", lines: [...lines, "ann@build:~/shop$ make"] })).toBe("generic/-");
  });

  test("is not used above root's prompt that is a path alone", () => {
    for (const prompt of ["~/shop#", "/srv/shop#", "/srv/shop # ", "~ # "])
      expect(who({ command: "ssh", lines: [...codex, prompt] })).toBe("generic/-");
  });

  test("is used for an executable named by its version", () => {
    expect(who({ command: "2.1.329", title: "✳ Claude Code" })).toBe("agent_a/agent_a");
    expect(who({ command: "2.1.329" })).toBe("generic/-");
  });

  test("is not used for a pager, an editor or another program that shows anything", () => {
    for (const command of ["less", "vim", "cat", "tail", "git"]) {
      expect(who({ command, title: "✳ Claude Code", lines: codex })).toBe("generic/-");
    }
  });
});

test("a kind that a person set wins, and keeps the agent that fits it", () => {
  expect(kindOf({ command: "vim", override: "agent_b" })).toMatchObject({
    kind: "agent_b",
    rule: "kind.override",
    agent: { id: "agent_b", label: "Codex" },
  });
  expect(who({ command: "gemini", override: "generic" })).toBe("generic/gemini");
  expect(who({ command: "claude", override: "shell" })).toBe("shell/-");
});
