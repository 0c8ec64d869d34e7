import type { PaneAgent, PaneKind } from "../protocol/pane.ts";
import { AGENTS, type Agent } from "./agents.ts";
import type { DetectInput } from "./finding.ts";
import {
  lastLines,
  lineAt,
  MAX_VIEW_COLUMNS,
  type ScreenLine,
  type View,
  wholeStyle,
} from "./region.ts";
import {
  baseName,
  CARRIERS,
  isAsker,
  isCommandLine,
  isPagerPrompt,
  isShellPrompt,
  isViewer,
  programName,
} from "./programs.ts";

export interface KindFinding {
  kind: PaneKind;
  rule: string;
  /** The command, argument list, title or line that the rule saw. */
  evidence: string | null;
  agent: PaneAgent | null;
}

/** Commands that are an ordinary shell, also in their login form (`-zsh`). */
const SHELL = /^-?(?:sh|bash|zsh|fish|dash|ksh|tcsh|nu|pwsh)$/;

/** Programs that run a script or a package, whose name tells the agent. */
const INTERPRETER = /^(?:node|nodejs|python[\d.]*|pypy[\d.]*|ruby)$/;
const RUNNER = /^(?:npx|bunx|pnpx|uvx|pipx|npm|pnpm|yarn|uv|bun|deno)$/;
const RUNNER_VERBS = new Set(["exec", "x", "dlx", "run", "tool"]);

/** Options of interpreters whose value is an argument of its own. */
const VALUE_OPTIONS = new Set(
  "-r --require --import --loader --experimental-loader -C --conditions --env-file -X -W --package".split(
    " ",
  ),
);

/**
 * Programs, beside the carriers, behind which another one draws. Only there may the title or the
 * screen tell the agent: a pager or an editor shows any text.
 */
const WRAPPERS = /^(?:sudo|su|doas|script|env|nix|gh)$/;

/** Self-updating programs name their executable by its version. */
const VERSION_NAME = /^\d+\.\d+\.\d+$/;

const TAIL_LINES = 14;
const MAX_EVIDENCE_CHARS = 200;

/** The program in a pane. Processes are facts; titles are left over and screens can be quoted. */
export function detectKind(o: DetectInput, view: View): KindFinding {
  const recognised = recognise(o, view);
  if (o.kindOverride === null) return recognised;
  return {
    kind: o.kindOverride,
    rule: "kind.override",
    evidence: null,
    agent: overrideAgent(o.kindOverride, recognised),
  };
}

export function isShellCommand(command: string): boolean {
  return SHELL.test(baseName(command));
}

function overrideAgent(kind: PaneKind, recognised: KindFinding): PaneAgent | null {
  if (recognised.kind === kind) return recognised.agent;
  const agent = AGENTS.find((a) => a.kind === kind && kind !== "generic");
  return agent ? publicPart(agent) : null;
}

function recognise(o: DetectInput, view: View): KindFinding {
  const byCommand = findByProgram(programName(o.command));
  if (byCommand) return agentFinding(byCommand, "kind.command", o.command);

  for (const args of o.processes) {
    const agent = findByArguments(args);
    if (agent) return agentFinding(agent, "kind.process", args.join(" "));
  }

  if (isAtShell(o, view)) return plainFinding("shell", "kind.shell", o.command);
  if (mayCarry(o)) {
    const finding = findByScreen(view) ?? findByTitle(o, view);
    if (finding) return finding;
  }
  if (isShellCommand(o.command)) return plainFinding("shell", "kind.shell", o.command);
  return plainFinding("generic", "kind.generic", o.command);
}

/** The shell itself is in the foreground: whatever title or screen is left over, it is a shell. */
function isAtShell(o: DetectInput, view: View): boolean {
  if (!isShellCommand(o.command)) return false;
  if (o.processes.length > 0) return o.processes.every(isInteractiveShell);
  return findByScreen(view) === null;
}

/** Options of shells whose value is an argument of its own: `nix develop` runs `bash --rcfile FILE`. */
const SHELL_VALUES = /^(?:--rcfile|--init-file|-[oO])$/;
const FISH_VALUES = /^(?:--init-command|-C)$/;

export function isInteractiveShell([path = "", ...options]: readonly string[]): boolean {
  const values = baseName(path) === "fish" ? FISH_VALUES : SHELL_VALUES;
  const isOption = (arg: string, at: number) =>
    arg.startsWith("-") || values.test(options[at - 1] ?? "");
  return isShellCommand(path) && options.every(isOption) && !options.includes("-c");
}

function mayCarry(o: DetectInput): boolean {
  // Pagers show texts, and pickers list words, of any program; agents take keys, not lines.
  if (isViewer(o) || isAsker(o) || o.terminal?.lines) return false;
  const name = programName(o.command);
  return (
    CARRIERS.has(name) ||
    WRAPPERS.test(name) ||
    isInterpreter(name) ||
    isShellCommand(o.command) ||
    VERSION_NAME.test(baseName(o.command))
  );
}

function isInterpreter(name: string): boolean {
  return INTERPRETER.test(name) || RUNNER.test(name);
}

/** A cache: every pass asks about the same processes. */
const AGENT_BY_ARGUMENTS = new WeakMap<readonly string[], { agent: Agent | null }>();

function findByArguments(args: readonly string[]): Agent | null {
  const cached = AGENT_BY_ARGUMENTS.get(args) ?? { agent: agentOf(args) };
  AGENT_BY_ARGUMENTS.set(args, cached);
  return cached.agent;
}

function agentOf(args: readonly string[]): Agent | null {
  const path = args[0] ?? "";
  const name = programName(path);
  const direct = findByProgram(name) ?? findByPackage(path);
  if (direct) return direct;
  if (!isInterpreter(name)) return null;
  const script = scriptOf(args, RUNNER.test(name));
  if (script === null) return null;
  return (
    findByPackage(packageOf(script)) ?? findByPackage(script) ?? findByProgram(programName(script))
  );
}

function scriptOf(args: readonly string[], isRunner: boolean): string | null {
  for (let i = 1; i < args.length; i++) {
    const arg = args[i] ?? "";
    if (arg === "-m") return args[i + 1] ?? null;
    if (/^(?:-e|-c|-p|--eval|--print)$/.test(arg)) return null;
    if (VALUE_OPTIONS.has(arg)) i++;
    else if (!arg.startsWith("-") && !(isRunner && RUNNER_VERBS.has(arg))) return arg;
  }
  return null;
}

/** `…/node_modules/@scope/name/dist/x.js` -> `@scope/name`; `name@1.2` -> `name`. */
function packageOf(script: string): string {
  const installed = [
    ...script.matchAll(/(?:node_modules|site-packages)\/((?:@[^/]+\/)?[^/]+)/g),
  ].at(-1);
  if (installed?.[1] && installed[1] !== ".bin") return installed[1];
  return script.replace(/(?!^)@[^/]*$/, "");
}

function findByProgram(name: string): Agent | null {
  return AGENTS.find((agent) => agent.programs.test(name)) ?? null;
}

function findByPackage(name: string): Agent | null {
  return AGENTS.find((agent) => agent.packages.test(name)) ?? null;
}

function findByScreen(view: View): KindFinding | null {
  const tail = tailOf(view);
  const texts = tail.map(({ text }) => text.slice(0, MAX_VIEW_COLUMNS));
  if (isCommandLine(texts.at(-1) ?? "") || isPagerLine(tail.at(-1))) return null;
  for (const agent of AGENTS) {
    const line = texts.find((text) => agent.screen?.some((sign) => sign.test(text)));
    if (line !== undefined) return agentFinding(agent, "kind.screen", line.trim());
  }
  return null;
}

// A title outlives its program: it counts only while no shell prompt ends the screen, and not where
// the script of an interpreter is known and starts no carrier.
function findByTitle(o: DetectInput, view: View): KindFinding | null {
  const isScript = o.processes.length > 0 && isInterpreter(programName(o.command));
  const hasCarrier = o.processes.some(([path = ""]) => CARRIERS.has(programName(path)));
  if (isShellCommand(o.command) || (isScript && !hasCarrier)) return null;
  const title = o.title.trim();
  const agent = AGENTS.find((a) => a.title?.test(title));
  if (!agent || isCommandLine(tailOf(view).at(-1)?.text ?? "")) return null;
  return agentFinding(agent, "kind.title", title);
}

/** The last lines, from the last typed command on, since those above it are history. */
function tailOf(view: View): ScreenLine[] {
  const last = lastLines(view, TAIL_LINES);
  const isCommand = (line: string) => isCommandLine(line) && !isShellPrompt(line);
  const command = last.findIndex((i) => isCommand(lineAt(view, i)));
  const tail = command < 0 ? last : last.slice(0, command + 1);
  return tail.toReversed().flatMap((i) => view.screen.lines[i] ?? []);
}

/** Some pagers write the name of the text inverse in the last line. */
function isPagerLine(line: ScreenLine | undefined): boolean {
  return isPagerPrompt(line?.text ?? "") || wholeStyle(line).inverse === true;
}

function agentFinding(agent: Agent, rule: string, evidence: string): KindFinding {
  return {
    kind: agent.kind,
    rule,
    evidence: evidence.slice(0, MAX_EVIDENCE_CHARS).toWellFormed(),
    agent: publicPart(agent),
  };
}

function plainFinding(kind: PaneKind, rule: string, command: string): KindFinding {
  return { kind, rule, evidence: command || null, agent: null };
}

function publicPart(agent: Agent): PaneAgent {
  return { id: agent.id, label: agent.label };
}
