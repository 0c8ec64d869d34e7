import { basename } from "node:path";
import { KIND_ALIASES, LABELS } from "../detect/agents.ts";
import { isShellCommand } from "../detect/kind.ts";
import type { PaneKind } from "../protocol/pane.ts";

export interface NamedPane {
  /** Stable for the life of the pane. */
  identity: string;
  target: string;
  title: string;
  command: string;
  cwd: string;
  window: string;
  names: { session: string; windowIndex: string; paneIndex: string };
}

export interface NamingFacts {
  kind: PaneKind;
  lines: readonly string[];
}

export interface SmartFacts {
  kind: PaneKind;
  title: string;
  command: string;
  cwd: string;
  /** Argument lists of the foreground, its leader first; empty when unknown. */
  processes: readonly (readonly string[])[];
  home: string;
  /** Of this machine: a title that is only this name says nothing. */
  hostname: string;
  /** Short forms by program. */
  prefixes: Readonly<Record<string, string>>;
  maxChars: number;
}

const EDITORS = new Set(["vim", "nvim", "vi", "nano", "emacs", "hx", "helix", "micro", "kak"]);
/** Options of ssh that take the next argument as their value. */
const SSH_VALUES = /^-[BbcDEeFIiJLlmOoPpQRSWw]$/;
const MAX_TITLE_CHARS = 200;

/** The last two start ssh. */
const SSH_PROGRAMS = new Set(["ssh", "autossh", "sshpass"]);

/** Programs whose arguments tell more than their name. */
export function wantsArguments(command: string): boolean {
  const program = programOf(command);
  return EDITORS.has(program) || SSH_PROGRAMS.has(program) || program === "sudo";
}

/** A name by what the pane does, of at most `maxChars`; empty when nothing is known of it. */
export function smartName(facts: SmartFacts): string {
  const host = sshHost(facts.processes);
  if (host !== null) return fit(`ssh ${host}`, facts.maxChars);
  const program = ownProgram(facts);
  const subject = meaningfulTitle(facts, program) || editedFile(facts) || directory(facts);
  return withProgram(facts, subject);
}

/** Puts the short form of the program before the subject; a shell has none. */
export function withProgram(facts: SmartFacts, subject: string): string {
  const program = ownProgram(facts);
  const { prefixes, maxChars } = facts;
  if (isShellCommand(program)) return fit(subject, maxChars);
  const prefix = Object.hasOwn(prefixes, program) ? prefixes[program] : program;
  return fit([prefix, subject].filter(Boolean).join(" "), maxChars);
}

/** The host that the foreground is connected to, without user and port; null when there is none. */
function sshHost(processes: SmartFacts["processes"]): string | null {
  for (const [executable = "", ...args] of processes) {
    if (programOf(executable) === "ssh") return hostOf(sshDestination(args));
  }
  return null;
}

function sshDestination(args: readonly string[]): string {
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? "";
    if (SSH_VALUES.test(arg)) i++;
    else if (!arg.startsWith("-")) return arg;
  }
  return "";
}

function hostOf(destination: string): string | null {
  const host = destination
    .replace(/^ssh:\/\//, "")
    .replace(/^.*@/, "")
    .replace(/(?<!:):\d+\/?$/, "");
  return cleanName(host) || null;
}

function ownProgram({ kind, command, processes }: SmartFacts): string {
  const agent = agentOf(kind);
  if (agent) return agent;
  const inner = processes
    .map(([executable = ""]) => programOf(executable))
    .find((program) => program !== "sudo");
  return programOf(command) === "sudo" && inner ? inner : programOf(command);
}

function agentOf(kind: PaneKind): string | undefined {
  return [...KIND_ALIASES].find(([, aliased]) => aliased === kind)?.[0];
}

/**
 * Whether a pane runs one of these. An agent may run under another name (a version's number, an
 * interpreter), and `python` stands for `python3` and `python3.12`.
 */
export function runsOneOf(
  programs: ReadonlySet<string>,
  { command, kind }: Pick<SmartFacts, "command" | "kind">,
): boolean {
  const program = programOf(command);
  return [command, program, program.replace(/[\d.]+$/, ""), agentOf(kind)].some(
    (name) => name && programs.has(name),
  );
}

function programOf(executable: string): string {
  return cleanName(basename(executable).replace(/^-/, "")).toLowerCase();
}

/** A title that says what goes on; empty when it only says where, or which program it is. */
function meaningfulTitle({ title, hostname, command }: SmartFacts, program: string): string {
  const text = cleanName(withoutSpinner(title.slice(0, MAX_TITLE_CHARS)))
    .replace(/^(?:OC \| |\[ [!.] \] )/, "")
    .trim();
  const short = hostname.split(".")[0] ?? hostname;
  const isEmptyWord = [hostname, short, command, program, ...Object.values(LABELS)].some(
    (word) => word.toLowerCase() === text.toLowerCase(),
  );
  // user@host:~/dir, a bare path, and words with no letter in them.
  const isPlace = /^\S+@\S+/.test(text) || /^(?:~|\.{0,2}\/)\S*$/.test(text);
  return isEmptyWord || isPlace || !/\p{L}{2}/u.test(text) ? "" : text;
}

function editedFile({ processes }: SmartFacts): string {
  const editor = processes.find(([executable = ""]) => EDITORS.has(programOf(executable)));
  const file = editor?.slice(1).findLast((arg) => arg !== "" && !/^[-+]/.test(arg));
  return file === undefined ? "" : cleanName(basename(file));
}

function directory({ cwd, home }: SmartFacts): string {
  if (cwd === home) return "~";
  return cleanName(basename(cwd)) || (cwd === "/" ? "/" : "");
}

/** Titles, paths and arguments come from other programs: one line, no control characters. */
export function cleanName(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
}

/** Cuts at the end of a word if one is near, else inside a word. */
export function fit(text: string, maxChars: number): string {
  const chars = [...text];
  if (chars.length <= maxChars) return text;
  const cut = chars.slice(0, maxChars - 1).join("");
  const atWord = cut.replace(/\s+\S*$/, "");
  const isNear = [...atWord].length >= maxChars / 2;
  return `${(isNear ? atWord : cut).trimEnd()}…`;
}

// Spinners that programs put before their title: braille dots, stars, circles, quarters, hands.
const SPINNER =
  /^(?:(?:[\u2800-\u28ff✢✳✶✻✽✦✧·•∗*◇◆○●◌◍◎◐-◕◴-◷◜-◟⏲⏳⌛✋]\ufe0f?)+(?:\s+|$)|[|/\\-]\s+)+/u;

export function withoutSpinner(title: string): string {
  return title.trimStart().replace(SPINNER, "").trim();
}
