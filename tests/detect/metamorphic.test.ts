import { expect, test } from "bun:test";
import { detectComposer } from "../../src/detect/composer.ts";
import type { Finding } from "../../src/detect/finding.ts";
import {
  findIn,
  findOn,
  inputOf,
  readScreen,
  readScreens,
  type RecordedScreen,
} from "../support/screens.ts";
import { sampled } from "../support/thorough.ts";

const SCREENS = readScreens();

function find(recorded: RecordedScreen, lines: readonly string[]): Finding {
  return findOn(recorded, lines.join("\n"));
}

/** The parts of a finding that a person sees; line numbers move with the screen. */
function meaning({ kind, status, rule, prompt }: Finding) {
  const { question, options, evidence } = prompt ?? {};
  return { kind, status, rule, question, options, evidence };
}

/** The screen; with its scrollback where the dialog's top has gone there. */
function wholeDialog({ styled, joined }: RecordedScreen): string {
  const isCut = /^\s*│/.test(Bun.stripANSI(styled));
  return isCut ? joined : styled;
}

const linesOf = (capture: string) => capture.trimEnd().split("\n");
const reset = "\x1b[0m";
// An answered dialog of another session, and the shell that followed it.
const history = [
  ...linesOf(readScreen("claude", "permission-bash-long").joined),
  "",
  "ann@host:~$ make",
  "Traceback (most recent call last):",
  "Do you want to continue? [y/N] y",
  "  1. one",
  "  2. two",
  "",
  "ann@host:~$ start",
];

const READ = SCREENS.map((recorded) => {
  const lines = linesOf(wholeDialog(recorded));
  return { recorded, lines, whole: find(recorded, lines) };
});

test("a recorded screen means the same with hundreds of blank rows below", () => {
  for (const { recorded, lines, whole } of READ) {
    const padded = find(recorded, [...lines, reset, ...Array<string>(300).fill("")]);
    expect(meaning(padded), recorded.name).toEqual(meaning(whole));
  }
});

test("a recorded screen means the same with old dialogs and errors in its history", () => {
  for (const { recorded, lines, whole } of READ) {
    const later = find(recorded, [...history, ...lines]);
    expect(meaning(later), recorded.name).toEqual(meaning(whole));
  }
});

/** The numbers from 1 to below `end`; a sampled run takes another part for each screen. */
const upTo = (end: number, turn: number) =>
  sampled(
    Array.from({ length: Math.max(0, end - 1) }, (_, index) => index + 1),
    16,
    turn,
  );

test("a recorded screen invents no option while its lower part is not drawn yet", () => {
  for (const [turn, { recorded, lines, whole }] of READ.entries()) {
    const known = whole.prompt?.options ?? [];
    for (const end of upTo(lines.length, turn)) {
      const { prompt } = find(recorded, lines.slice(0, end));
      // A label that wraps may be cut.
      const invented = (prompt?.options ?? []).filter(
        ({ key, label }) => !known.some((o) => o.key === key && o.label.startsWith(label)),
      );
      expect(invented, `${recorded.name}, first ${end} lines`).toEqual([]);
    }
  }
});

test("a recorded screen invents no option when its upper part is out of sight", () => {
  for (const [turn, { recorded, lines, whole }] of READ.entries()) {
    const known = whole.prompt?.options ?? [];
    // The title of a panel over a dialog is always in sight, as the panel stands in the middle.
    const cuts = recorded.name.includes("-covered") ? 1 : lines.length;
    for (const cut of upTo(cuts, turn)) {
      const { prompt } = find(recorded, lines.slice(cut));
      // Positions of unnumbered rows are counted from the first that can be seen.
      const invented = (prompt?.options ?? []).filter(
        ({ label }) => !known.some((o) => o.label === label),
      );
      expect(invented, `${recorded.name} without ${cut} lines`).toEqual([]);
    }
  }
});

/** Lines from the top of the box or field of the input line to the line in which one types. */
const FRAME: Readonly<Record<string, number>> = { claude: 3, gemini: 3, opencode: 3, grok: 1 };

test("a dialog that is quoted right above the input line does not wait", () => {
  for (const [turn, recorded] of SCREENS.entries()) {
    const whole = findOn(recorded);
    const composer = detectComposer(inputOf(recorded), whole);
    if (whole.status === "needs_input" || !composer) continue;
    const { agent, pane } = recorded;
    const lines = linesOf(recorded.styled);
    const dialogs = SCREENS.filter((s) => s.agent === agent && s.expected.status === "needs_input");
    for (const quoted of sampled(dialogs, 12, turn)) {
      const text = linesOf(Bun.stripANSI(quoted.styled));
      for (const indent of ["", "  "]) {
        const said = [...text.map((line) => indent + line), ""];
        const all = lines.toSpliced(Math.max(0, composer.line - (FRAME[agent] ?? 1)), 0, ...said);
        const { status } = find(recorded, pane.alternate_on ? all.slice(-pane.height) : all);
        expect(status, `${recorded.name} quotes ${quoted.name}`).not.toBe("needs_input");
      }
    }
  }
});

test("a program that has ended neither waits nor works, whatever it has drawn", () => {
  for (const recorded of SCREENS) {
    const { status, prompt } = findIn({ ...inputOf(recorded), hasEnded: true });
    const expected = recorded.expected.status === "error" ? "error" : "idle";
    expect({ status, prompt }, recorded.name).toEqual({ status: expected, prompt: null });
  }
});

test("a recorded screen invents no option when its right part is out of sight", () => {
  for (const [turn, { recorded, whole }] of READ.entries()) {
    const o = inputOf(recorded);
    const known = whole.prompt?.options ?? [];
    for (const width of upTo(o.width, turn).filter((columns) => columns >= 40)) {
      const lines = o.screen.lines.map((line) => ({
        ...line,
        text: line.text.slice(0, width).trimEnd(),
      }));
      const { prompt } = findIn({ ...o, width, screen: { ...o.screen, lines } });
      // A label that is as wide as the screen may be cut, and be joined with the next line then.
      const begins = (label: string) => known.some((k) => k.label.startsWith(label.slice(0, 8)));
      const invented = (prompt?.options ?? []).filter(({ label }) => !begins(label));
      expect(invented, `${recorded.name}, ${width} columns`).toEqual([]);
    }
  }
});
