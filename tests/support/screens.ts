import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect } from "bun:test";
import { z } from "zod";
import { PaneKind, PaneStatus } from "../../src/protocol/pane.ts";
import { FIELDS } from "../../src/config/fields.ts";
import type { Finding, DetectInput } from "../../src/detect/finding.ts";
import { detectInput, detectWith } from "./detect-input.ts";

const SCREENS = join(import.meta.dir, "..", "fixtures", "screens");
export const DEFAULT_PATTERNS = {
  prompt: FIELDS["detectors.generic_prompt_patterns"].default,
  error: FIELDS["detectors.error_patterns"].default,
};

/** What was tried on the live program: the keys, and what became of that option. */
const OptionTrial = z.object({
  option: z.string(),
  /** Named keys and characters; `text` stands for the person's own words. */
  keys: z.array(z.string()),
  /** `takes`: it answered or went on; `moves`: the focus went there; `ticks`: its box changed. */
  does: z.enum(["takes", "moves", "ticks", "nothing"]),
});
export type OptionTrial = z.infer<typeof OptionTrial>;

const CaseFile = z.object({
  answered_by: z.object({ tried: z.array(OptionTrial), note: z.string() }).nullable(),
  expected: z.object({
    kind: PaneKind,
    status: PaneStatus,
    question: z.string().nullable(),
    menu: z.array(
      z.object({
        key: z.string(),
        label: z.string(),
        description: z.string(),
        selected: z.boolean(),
        freeform: z.boolean(),
      }),
    ),
    /** Text that must be among what is approved, in the order of the screen. */
    evidence: z.array(z.string()).optional(),
  }),
  pane: z.object({
    command: z.string(),
    title: z.string(),
    width: z.number(),
    height: z.number(),
    alternate_on: z.boolean(),
  }),
  processes: z.array(z.string()),
});

export interface RecordedScreen {
  /** `<agent>/<case>`. */
  name: string;
  agent: string;
  expected: z.infer<typeof CaseFile>["expected"];
  tried: readonly OptionTrial[];
  pane: z.infer<typeof CaseFile>["pane"];
  /** Argument lists of what runs in the foreground, nearest first. */
  processes: string[][];
  /** The visible screen with its attributes. */
  styled: string;
  /** Wrapped lines joined, with scrollback, without attributes. */
  joined: string;
}

/** What `case.json` says. */
export function parseCase(text: string): z.infer<typeof CaseFile> {
  return CaseFile.parse(JSON.parse(text));
}

let known: readonly RecordedScreen[] | null = null;

/** Every recorded screen, in the order of their names; read once in a process, as each of them is. */
export function readScreens(): readonly RecordedScreen[] {
  known ??= folders(SCREENS).flatMap((agent) =>
    folders(join(SCREENS, agent)).map((name) => readScreen(agent, name)),
  );
  return known;
}

const byPath = new Map<string, RecordedScreen>();

export function readScreen(agent: string, name: string): RecordedScreen {
  const path = join(SCREENS, agent, name);
  const recorded = byPath.get(path) ?? readFolder(agent, path);
  byPath.set(path, recorded);
  return recorded;
}

function readFolder(agent: string, path: string): RecordedScreen {
  const file = (part: string) => readFileSync(join(path, part), "utf8");
  const { expected, pane, processes, answered_by } = parseCase(file("case.json"));
  return {
    name: `${agent}/${basename(path)}`,
    agent,
    expected,
    tried: answered_by?.tried ?? [],
    pane,
    processes: foreground(processes.map(argumentsOf)),
    styled: file("styled.txt"),
    joined: file("joined.txt"),
  };
}

const inputs = new WeakMap<RecordedScreen, DetectInput>();

/** What a detector sees of a recorded pane: of its screen, or of another capture of it. */
export function inputOf(recorded: RecordedScreen, capture = recorded.styled): DetectInput {
  const isItself = capture === recorded.styled;
  const seen = isItself ? inputs.get(recorded) : undefined;
  if (seen) return seen;
  const { title, command, width, height, alternate_on: alternate } = recorded.pane;
  const { processes } = recorded;
  const input = detectInput(capture, { title, command, processes, width, height, alternate });
  if (isItself) inputs.set(recorded, input);
  return input;
}

const findings = new WeakMap<DetectInput, Finding>();

/** What is found with the default patterns, without the worker. */
export function findIn(o: DetectInput): Finding {
  const found = findings.get(o) ?? detectWith(o, DEFAULT_PATTERNS);
  findings.set(o, found);
  return found;
}

/** As `findIn`, on a recorded screen or on another capture of its pane. */
export function findOn(recorded: RecordedScreen, capture?: string): Finding {
  return findIn(inputOf(recorded, capture));
}

/** Compares a finding with what a person read from the same screen. */
export function expectMeaning(
  finding: Finding,
  expected: RecordedScreen["expected"],
  o: { ignoresFocus?: boolean } = {},
): void {
  const { kind, status, question } = expected;
  expect({ kind: finding.kind, status: finding.status, rule: finding.rule }).toMatchObject({
    kind,
    status,
  });
  if (question === null) expect(finding.prompt?.question ?? null).toBeNull();
  else expect(fold(finding.prompt?.question ?? "")).toContain(fold(question));
  const shown = (option: RecordedScreen["expected"]["menu"][number]) => ({
    key: option.key,
    label: fold(option.label),
    description: fold(option.description),
    selected: o.ignoresFocus ? null : option.selected,
    freeform: option.freeform,
  });
  expect((finding.prompt?.options ?? []).map(shown)).toEqual(expected.menu.map(shown));
}

function fold(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

// One line of `ps --forest`: the command's name, then its arguments behind the branch.
function argumentsOf(line: string): string[] {
  const branch = line.lastIndexOf("\\_ ");
  const args = branch === -1 ? line.replace(/^\S+\s+/, "") : line.slice(branch + 3);
  return args.split(/\s+/).filter((arg) => arg !== "");
}

// The pane's own shell is in the foreground only when nothing else runs.
function foreground(processes: string[][]): string[][] {
  return processes.length > 1 ? processes.slice(1) : processes;
}

function folders(path: string): string[] {
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted();
}
