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

/** Programs that run a script or a package: not they but what they run has a name. */
const INTERPRETER = /^(?:node|nodejs|python[\d.]*|pypy[\d.]*|ruby)$/;
const RUNNER = /^(?:npx|bunx|pnpx|uvx|pipx|npm|pnpm|yarn|uv|bun|deno)$/;
const RUNNER_VERBS = new Set(["exec", "x", "dlx", "run", "tool"]);

/** Options of interpreters whose value is an argument of its own. */
const WITH_VALUE = new Set(
  "-r --require --import --loader --experimental-loader -C --conditions --env-file -X -W --package".split(
    " ",
  ),
);

/**
 * Beside carriers, programs behind which another program draws: only there, and where nothing is known about the
 * processes, may a title or the screen tell who runs. A pager or editor shows anything.
 */
const BEHIND = /^(?:sudo|su|doas|script|env|nix|gh)$/;

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
  if (byCommand) return found(byCommand, "kind.command", o.command);

  for (const args of o.processes) {
    const agent = findByArguments(args);
    if (agent) return found(agent, "kind.process", args.join(" "));
  }

  if (isAtShell(o, view)) return plain("shell", "kind.shell", o.command);
  if (mayCarry(o)) {
    const seen = findByScreen(view) ?? findByTitle(o, view);
    if (seen) return seen;
  }
  if (isShellCommand(o.command)) return plain("shell", "kind.shell", o.command);
  return plain("generic", "kind.generic", o.command);
}

/** The shell itself is in the foreground: whatever title or screen is left over, it is a shell. */
function isAtShell(o: DetectInput, view: View): boolean {
  if (!isShellCommand(o.command)) return false;
  if (o.processes.length > 0) return o.processes.every(isInteractiveShell);
  return findByScreen(view) === null;
}

export function isInteractiveShell(args: readonly string[]): boolean {
  return (
    isShellCommand(args[0] ?? "") &&
    args.slice(1).every((arg) => arg.startsWith("-")) &&
    !args.includes("-c")
  );
}

function mayCarry(o: DetectInput): boolean {
  // Pagers show texts and pickers list words: neither tells who runs.
  if (isViewer(o) || isAsker(o)) return false;
  const name = programName(o.command);
  return (
    CARRIERS.has(name) ||
    BEHIND.test(name) ||
    isInterpreter(name) ||
    isShellCommand(o.command) ||
    VERSION_NAME.test(baseName(o.command))
  );
}

function isInterpreter(name: string): boolean {
  return INTERPRETER.test(name) || RUNNER.test(name);
}

/** By list of arguments: the same process is asked about in every pass. */
const AGENT_OF = new WeakMap<readonly string[], { agent: Agent | null }>();

function findByArguments(args: readonly string[]): Agent | null {
  const known = AGENT_OF.get(args) ?? { agent: agentOf(args) };
  AGENT_OF.set(args, known);
  return known.agent;
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

/** The script, module or package that an interpreter's or a runner's arguments name. */
function scriptOf(args: readonly string[], isRunner: boolean): string | null {
  for (let i = 1; i < args.length; i++) {
    const arg = args[i] ?? "";
    if (arg === "-m") return args[i + 1] ?? null;
    if (/^(?:-e|-c|-p|--eval|--print)$/.test(arg)) return null;
    if (WITH_VALUE.has(arg)) i++;
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

const PROGRAMS = new RegExp(AGENTS.map(({ programs }) => programs.source).join("|"));

function findByProgram(name: string): Agent | null {
  if (!PROGRAMS.test(name)) return null;
  return AGENTS.find((agent) => agent.programs.test(name)) ?? null;
}

function findByPackage(name: string): Agent | null {
  return AGENTS.find((agent) => agent.packages.test(name)) ?? null;
}

function findByScreen(view: View): KindFinding | null {
  const drawn = tailOf(view);
  const tail = drawn.map(({ text }) => text.slice(0, MAX_VIEW_COLUMNS));
  if (isCommandLine(tail.at(-1) ?? "") || isPagerLine(drawn.at(-1))) return null;
  for (const agent of AGENTS) {
    const line = tail.find((text) => agent.screen?.some((sign) => sign.test(text)));
    if (line !== undefined) return found(agent, "kind.screen", line.trim());
  }
  return null;
}

// A title outlives its program, so it counts only while no shell prompt ends the screen, and not
// where the script that an interpreter runs is known, and that it hands nothing through.
function findByTitle(o: DetectInput, view: View): KindFinding | null {
  const isKnown = o.processes.length > 0 && isInterpreter(programName(o.command));
  const handsThrough = o.processes.some(([path = ""]) => CARRIERS.has(programName(path)));
  if (isShellCommand(o.command) || (isKnown && !handsThrough)) return null;
  const title = o.title.trim();
  const agent = AGENTS.find((a) => a.title?.test(title));
  if (!agent || isCommandLine(tailOf(view).at(-1)?.text ?? "")) return null;
  return found(agent, "kind.title", title);
}

/** What stands above a command that was typed since is over. */
function tailOf(view: View): ScreenLine[] {
  const last = lastLines(view, TAIL_LINES);
  const isTyped = (line: string) => isCommandLine(line) && !isShellPrompt(line);
  const typed = last.findIndex((i) => isTyped(lineAt(view, i)));
  const own = typed < 0 ? last : last.slice(0, typed + 1);
  return own.toReversed().flatMap((i) => view.screen.lines[i] ?? []);
}

/** A pager writes its last line inverse where it is the name of the text. */
function isPagerLine(line: ScreenLine | undefined): boolean {
  return isPagerPrompt(line?.text ?? "") || wholeStyle(line).inverse === true;
}

function found(agent: Agent, rule: string, evidence: string): KindFinding {
  return {
    kind: agent.kind,
    rule,
    evidence: evidence.slice(0, MAX_EVIDENCE_CHARS).toWellFormed(),
    agent: publicPart(agent),
  };
}

function plain(kind: PaneKind, rule: string, command: string): KindFinding {
  return { kind, rule, evidence: command || null, agent: null };
}

function publicPart(agent: Agent): PaneAgent {
  return { id: agent.id, label: agent.label };
}
