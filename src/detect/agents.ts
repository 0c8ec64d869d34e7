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
  /** It keeps what is typed and entered while it works, for its next turn. Seen in recordings. */
  keepsTyped?: boolean;
}

const UNKNOWN_ENTER_PAUSE_MS = 300;

/** How long after a text its Enter may follow, in a pane that runs this agent or any other program. */
export function enterPauseMs(agent: PaneAgent | null): number {
  const row = agent && AGENTS.find(({ id }) => id === agent.id);
  return row?.enterPauseMs ?? UNKNOWN_ENTER_PAUSE_MS;
}

/** Whether a text that is entered while this agent works waits in its program. */
export function keepsTyped(id: string): boolean {
  return AGENTS.find((agent) => agent.id === id)?.keepsTyped === true;
}

export const AGENTS: readonly Agent[] = [
  {
    id: "agent_a",
    kind: "agent_a",
    label: "Claude Code",
    alias: "claude",
    programs: /^claude(?:[-.].*)?$/,
    enterPauseMs: 150,
    keepsTyped: true,
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
    keepsTyped: true,
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
  {
    ...unnamedKind("gemini", "Gemini CLI"),
    programs: /^gemini(?:-cli)?$/,
    enterPauseMs: 150,
    packages: /^@google\/gemini-cli$/,
    title: /^(?:◇ {2}Ready|✦ {2}Working…|⏲ {2}Working…|✋ {2}Action Required) \(/u,
    screen: [/Gemini CLI v\d/, /^\s*[>*!] +Type your message or @path/],
  },
  {
    ...unnamedKind("qwen", "Qwen Code"),
    programs: /^qwen(?:-code)?$/,
    packages: /^@qwen-code\/qwen-code$/,
    title: /^(?:[◇✦✋] {1,2})?Qwen - /u,
    screen: [/>_ Qwen Code \(v\d/],
  },
  {
    ...unnamedKind("copilot", "Copilot CLI"),
    programs: /^(?:copilot|github-copilot-cli)$/,
    packages: /^@github\/copilot$/,
    screen: [/GitHub Copilot v\d/, /Ctrl\+c Exit · .*Remaining requests/i],
  },
  {
    ...unnamedKind("cursor", "Cursor"),
    programs: /^(?:cursor|cursor-agent)$/,
    packages: /\/cursor-agent\/versions\//,
    title: /^Cursor Agent$/,
    screen: [/^\s*Cursor Agent\b/, /^\s*→ (?:Plan, search, build anything|Add a follow-up)/],
  },
  {
    ...unnamedKind("amp", "Amp"),
    programs: /^amp$/,
    packages: /^@(?:sourcegraph|ampcode)\/(?:amp|cli)$/,
    title: /^amp(?: -|:) /i,
    screen: [/Welcome to Amp\b/],
  },
  {
    ...unnamedKind("aider", "Aider"),
    programs: /^aider$/,
    packages: /^aider(?:-chat)?$/,
    screen: [/^Aider v\d/],
  },
  {
    ...unnamedKind("goose", "Goose"),
    programs: /^goose$/,
    packages: /^goose-ai$/,
    screen: [/^\s*goose is running! Enter your instructions/],
  },
  {
    ...unnamedKind("crush", "Crush"),
    programs: /^crush$/,
    packages: /^@charmland\/crush$/,
    title: /^crush\b/,
    screen: [/^\s*Charm™ CRUSH/],
  },
  {
    ...unnamedKind("droid", "Droid"),
    programs: /^droid$/,
    packages: /^(?:@factory\/cli|droid)$/,
  },
  {
    ...unnamedKind("kiro", "Kiro"),
    programs: /^kiro(?:-cli)?(?:-chat)?$/,
    packages: /^kiro-cli$/,
  },
  {
    ...unnamedKind("auggie", "Auggie"),
    programs: /^auggie$/,
    packages: /^@augmentcode\/auggie$/,
  },
  {
    ...unnamedKind("cline", "Cline"),
    programs: /^cline$/,
    packages: /^(?:cline|@cline\/cli)$/,
  },
  {
    ...unnamedKind("kimi", "Kimi CLI"),
    programs: /^kimi(?:-cli|-code)?$/,
    packages: /^(?:kimi-cli|@moonshot-ai\/kimi-code)$/,
  },
  {
    ...unnamedKind("pi", "pi"),
    programs: /^pi$/,
    packages: /^@(?:mariozechner|earendil-works)\/pi-coding-agent$/,
    title: /^π - /u,
  },
  {
    ...unnamedKind("continue", "Continue"),
    programs: /^cn$/,
    packages: /^@continuedev\/cli$/,
    screen: [/ ◉ Continue CLI$/u],
  },
  {
    ...unnamedKind("openhands", "OpenHands"),
    programs: /^openhands$/,
    packages: /^openhands(?:-ai)?$/,
  },
  {
    ...unnamedKind("vibe", "Mistral Vibe"),
    programs: /^vibe(?:-rs)?$/,
    packages: /^(?:mistral-vibe|vibe)$/,
  },
];

export const LABELS: Readonly<Record<string, string>> = {
  mux: "tmux",
  wsp: "herdr",
  ...Object.fromEntries(AGENTS.filter((a) => a.alias !== null).map((a) => [a.id, a.label])),
};

export const KIND_ALIASES: ReadonlyMap<string, PaneKind> = new Map(
  AGENTS.flatMap((a) => (a.alias === null ? [] : [[a.alias, a.kind] as const])),
);

function unnamedKind(id: string, label: string) {
  return { id, label, kind: "generic", alias: null } as const;
}
