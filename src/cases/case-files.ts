import { renderScreen } from "../detect/ansi-render.ts";
import type { Screen } from "../detect/region.ts";
import { blankRuns } from "../protocol/blank.ts";
import type { CaseSaveRequest } from "../protocol/cases.ts";
import type { Reading } from "../terminal/reading.ts";

/** The files of a case folder, by name: what the tests of detection take. */
export function caseFiles(
  reading: Reading,
  { blank, status, note }: Pick<CaseSaveRequest, "blank" | "status" | "note">,
): Record<string, string> {
  const { state, finding, pane } = reading;
  const clean = (text: string) => blankOut(text, blank);
  const screen: Screen = {
    lines: reading.screen.lines.map(({ text, runs }) => ({ text: clean(text), runs })),
  };
  const styled = renderScreen(screen);
  const { prompt } = finding;
  const menu = (prompt?.options ?? []).map(({ key, label, description, selected, freeform }) => ({
    key,
    label: clean(label),
    description: clean(description),
    selected,
    freeform,
  }));
  const shown = {
    agent: state.agent?.id ?? state.kind,
    version: null,
    // What detection found, until a person corrects it.
    expected: {
      kind: state.kind,
      status: status ?? state.status,
      question: prompt ? clean(prompt.question) : null,
      menu,
    },
    read: { status: state.status, rule: state.reason },
    answered_by: null,
    pane: {
      command: clean(pane.command),
      title: clean(pane.title),
      width: pane.width,
      height: pane.height,
      alternate_on: pane.alternate,
    },
    processes: processOf(reading).map((words) => `process ${clean(words)}`),
    note: clean(note),
  };
  return {
    "styled.txt": styled,
    "joined.txt": screen.lines.map(({ text }) => `${text}\n`).join(""),
    "case.json": `${JSON.stringify(shown, null, 2)}\n`,
  };
}

/** The process by which the agent was recognised, where it was one. */
export function processOf({ finding }: Pick<Reading, "finding">): string[] {
  const { kindRule, kindEvidence } = finding;
  return kindRule === "kind.process" && kindEvidence !== null ? [kindEvidence] : [];
}

/**
 * A text in which words are blanked out, each by a filler of the same length and the same columns,
 * so that everything else keeps its place.
 */
export function blankOut(text: string, words: readonly string[]): string {
  return blankRuns(text, words)
    .map((run) => (run.isBlanked ? [...run.text].map(fill).join("") : run.text))
    .join("");
}

/** Whitespace stays, so that lines still break where they did. */
function fill(char: string): string {
  if (/\s/u.test(char)) return char;
  const isWide = char.length === 1 && Bun.stringWidth(char) === 2;
  return isWide ? "ｘ" : "x".repeat(char.length);
}
