import type { PaneAgent, PaneKind } from "../protocol/pane.ts";

/**
 * One coding agent. The only place in which brands, program names and contract ids meet: whoever
 * needs one of them asks this table.
 */
export interface Agent extends PaneAgent {
  kind: PaneKind;
  /** The word in YAML for the kind; null where the agent has no kind of its own. */
  alias: string | null;
  /** Names of its program: base name without directory and extension, in lower case. */
  programs: RegExp;
  /** Package that an interpreter runs (npm, PyPI), and folders that only its installer makes. */
  packages: RegExp;
  /** A title that no other program sets; absent where its titles say nothing. */
  title?: RegExp;
  /** Lines that it alone draws, in any state; looked for in the last lines of the screen. */
  screen?: readonly RegExp[];
  /**
   * Milliseconds that it needs between a text and the Enter that sends it: one that follows at
   * once is taken for a line break of a pasted text. Absent where nobody has measured it.
   */
  enterPauseMs?: number;
  /** The key that ends its turn, where Esc does not. */
  stopKey?: string;
  /** Text entered while it works waits in the program for its next turn. Seen in recordings. */
  queuesMessages?: boolean;
}

const UNKNOWN_ENTER_PAUSE_MS = 300;

export function enterPauseMs(agent: PaneAgent | null): number {
  return AGENTS.find(({ id }) => id === agent?.id)?.enterPauseMs ?? UNKNOWN_ENTER_PAUSE_MS;
}

export function stopKey(agent: PaneAgent | null): string {
  return AGENTS.find(({ id }) => id === agent?.id)?.stopKey ?? "Escape";
}

export function queuesMessages(id: string): boolean {
  return AGENTS.find((agent) => agent.id === id)?.queuesMessages === true;
}

export const AGENTS: readonly Agent[] = [
  {
    id: "agent_a",
    kind: "agent_a",
    label: "Claude Code",
    alias: "claude",
    programs: /^claude(?:[-.].*)?$/,
    enterPauseMs: 120,
    queuesMessages: true,
    packages: /^@anthropic-ai\/claude-code$|\/claude\/versions\/|\/\.claude\/local\//,
    title: /^[✳✶✻✽✢] \S|^Claude Code$/u,
    screen: [
      /⏵⏵ .*shift\+tab to cycle/,
      /⏸ .*mode on/,
      /\bTab to amend\b/,
      /^\s*[✢✳✶✻✽·*] .+… \(.*(?:esc to interrupt|tokens)/u,
      /Claude Code v\d/,
    ],
  },
  {
    id: "agent_b",
    kind: "agent_b",
    label: "Codex",
    alias: "codex",
    programs: /^codex(?:[-.].*)?$/,
    enterPauseMs: 150,
    queuesMessages: true,
    packages: /^@openai\/codex$/,
    title: /^\[ [!.] \] Action Required\b/,
    screen: [
      /^\s*← for agents\b/,
      /^\s*[•◦] Working \(\d.*esc to interrupt\)/,
      /OpenAI Codex \(v\d/,
      /tell Codex what to do differently/,
      /^\s*gpt-\S+ .*·/i,
    ],
  },
  {
    id: "agent_c",
    kind: "agent_c",
    label: "Grok",
    alias: "grok",
    stopKey: "C-c",
    queuesMessages: true,
    programs: /^grok(?:-.*)?$/,
    packages: /^@(?:vibe-kit|xai-official|xai)\/grok(?:-cli)?$/,
    screen: [/\bgrok-(?:code|build|\d)\S*/i],
  },
  {
    id: "agent_d",
    kind: "agent_d",
    label: "OpenCode",
    alias: "opencode",
    programs: /^(?:opencode|oc)$/,
    enterPauseMs: 150,
    packages: /^opencode-ai$|^opencode$/,
    title: /^OC \| |^OpenCode$/,
    screen: [/\bctrl\+p commands$/, /^\s*┃\s+△ /, /⇆ select\s+enter confirm/, /╹▀{8}/],
  },
  {
    id: "agent_e",
    kind: "agent_e",
    label: "Antigravity",
    alias: "antigravity",
    programs: /^(?:agy|antigravity)$/,
    packages: /^@google\/antigravity(?:-cli)?$/,
    screen: [/^\s*(?:Welcome to )?(?:the )?Antigravity CLI\b/],
  },
  otherAgent("gemini", "Gemini CLI", /^gemini(?:-cli)?$/, /^@google\/gemini-cli$/, {
    enterPauseMs: 150,
    title: /^(?:◇ {2}Ready|✦ {2}Working…|⏲ {2}Working…|✋ {2}Action Required) \(/u,
    screen: [/Gemini CLI v\d/, /^\s*[>*!] +Type your message or @path/],
  }),
  otherAgent("qwen", "Qwen Code", /^qwen(?:-code)?$/, /^@qwen-code\/qwen-code$/, {
    title: /^(?:[◇✦✋] {1,2})?Qwen - /u,
    screen: [/>_ Qwen Code \(v\d/],
  }),
  otherAgent("copilot", "Copilot CLI", /^(?:copilot|github-copilot-cli)$/, /^@github\/copilot$/, {
    screen: [/GitHub Copilot v\d/, /Ctrl\+c Exit · .*Remaining requests/i],
  }),
  otherAgent("cursor", "Cursor", /^(?:cursor|cursor-agent)$/, /\/cursor-agent\/versions\//, {
    title: /^Cursor Agent$/,
    screen: [/^\s*Cursor Agent\b/, /^\s*→ (?:Plan, search, build anything|Add a follow-up)/],
  }),
  otherAgent("amp", "Amp", /^amp$/, /^@(?:sourcegraph|ampcode)\/(?:amp|cli)$/, {
    title: /^amp(?: -|:) /i,
    screen: [/Welcome to Amp\b/],
  }),
  otherAgent("aider", "Aider", /^aider$/, /^aider(?:-chat)?$/, { screen: [/^Aider v\d/] }),
  otherAgent("goose", "Goose", /^goose$/, /^goose-ai$/, {
    screen: [/^\s*goose is running! Enter your instructions/],
  }),
  otherAgent("crush", "Crush", /^crush$/, /^@charmland\/crush$/, {
    title: /^crush\b/,
    screen: [/^\s*Charm™ CRUSH/],
  }),
  otherAgent("droid", "Droid", /^droid$/, /^(?:@factory\/cli|droid)$/),
  otherAgent("kiro", "Kiro", /^kiro(?:-cli)?(?:-chat)?$/, /^kiro-cli$/),
  otherAgent("auggie", "Auggie", /^auggie$/, /^@augmentcode\/auggie$/),
  otherAgent("cline", "Cline", /^cline$/, /^(?:cline|@cline\/cli)$/),
  otherAgent("kimi", "Kimi CLI", /^kimi(?:-cli|-code)?$/, /^(?:kimi-cli|@moonshot-ai\/kimi-code)$/),
  otherAgent("pi", "pi", /^pi$/, /^@(?:mariozechner|earendil-works)\/pi-coding-agent$/, {
    title: /^π - /u,
  }),
  otherAgent("continue", "Continue", /^cn$/, /^@continuedev\/cli$/, {
    screen: [/ ◉ Continue CLI$/u],
  }),
  otherAgent("openhands", "OpenHands", /^openhands$/, /^openhands(?:-ai)?$/),
  otherAgent("vibe", "Mistral Vibe", /^vibe(?:-rs)?$/, /^(?:mistral-vibe|vibe)$/),
];

export const LABELS: Readonly<Record<string, string>> = {
  mux: "tmux",
  wsp: "herdr",
  ...Object.fromEntries(AGENTS.filter((a) => a.alias !== null).map((a) => [a.id, a.label])),
};

export const KIND_ALIASES: ReadonlyMap<string, PaneKind> = new Map(
  AGENTS.flatMap((a) => (a.alias === null ? [] : [[a.alias, a.kind] as const])),
);

function otherAgent(
  id: string,
  label: string,
  programs: RegExp,
  packages: RegExp,
  more: Pick<Agent, "title" | "screen" | "enterPauseMs"> = {},
): Agent {
  return { ...{ id, label, kind: "generic", alias: null, programs, packages }, ...more };
}
