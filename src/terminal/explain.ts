import { NOTES } from "../detect/rule-table.ts";
import type { Explanation } from "../protocol/explain.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { PaneReading } from "./reading.ts";

export type ScreenExplanation = Omit<Explanation, "sessions">;

/** A reading of a pane, or of a screen in a file. */
interface ExplainInput extends Pick<PaneReading, "screen" | "finding" | "prompt"> {
  state: Pick<PaneState, "id" | "kind" | "status" | "reason" | "lines">;
  /** Null for a file, which has no past. */
  lineAge: number | null;
}

/**
 * Which rules and lines gave a pane its kind, status and prompt. No line of this screen decided where
 * the status is still the one from before, as under an overlay; its rule says so.
 */
export function explain({
  state,
  screen,
  finding,
  prompt,
  lineAge,
}: ExplainInput): ScreenExplanation {
  const index = finding.rule === state.reason ? finding.line : null;
  const line = index === null ? null : (screen.lines[index]?.text ?? null);
  // Indexes are of the pane's `lines`, which are the end of the screen. Where people are shown another
  // capture of it than detectors read, a line may stand elsewhere.
  const cut = screen.lines.length - state.lines.length;
  const isThere = (at: number) => state.lines[at - cut] === screen.lines[at]?.text;
  const inLines = (at: number | null) => (at === null || !isThere(at) ? null : at - cut);
  const { rule, start, end } = finding.region;
  return {
    id: state.id,
    kind: { value: state.kind, rule: finding.kindRule, evidence: finding.kindEvidence },
    status: {
      value: state.status,
      rule: state.reason,
      line,
      line_index: inLines(index),
      line_age: line === null ? null : lineAge,
    },
    live_region: {
      rule,
      start: Math.max(0, start - cut),
      end: Math.max(0, end - cut),
      lines: screen.lines.slice(Math.max(start, cut), end).map((each) => each.text),
    },
    prompt: prompt && {
      parser: prompt.parser,
      recognised: prompt.recognised,
      question: prompt.question,
      options: prompt.options.length,
    },
    ruled_out: finding.ruledOut.map((trace) => ({
      ...trace,
      line_index: inLines(trace.line_index),
    })),
  };
}

const LABEL_COLUMNS = 10;

export function renderExplanation(explanation: ScreenExplanation): string {
  const { id, kind, status, live_region: region, prompt, ruled_out: ruledOut } = explanation;
  const age = status.line_age === null ? "" : `, there for ${Math.round(status.line_age)} s`;
  const note = NOTES.get(status.rule);
  const lines = [
    ...row("pane", id),
    ...row("status", `${status.value} by ${status.rule}`),
    ...(note ? [...row("looks at", note.about), ...row("because", note.why)] : []),
    ...row("line", status.line === null ? "none decided" : `${quote(status.line)}${age}`),
    ...row("kind", `${kind.value} by ${kind.rule}${kind.evidence ? `: ${kind.evidence}` : ""}`),
    ...(prompt
      ? [
          ...row("prompt", `${prompt.parser}, ${prompt.options} options`),
          ...row("question", prompt.question),
          ...row("answer", prompt.recognised ? "by its plan" : "its key, Enter if it still asks"),
        ]
      : []),
    "",
    `looked at (${region.rule}):`,
    ...region.lines.map((line) => `  | ${line}`.trimEnd()),
    "",
    "ruled out before:",
    ...ruledOut.map(({ rule, note }) => `  ${rule}${note === null ? "" : `: ${note}`}`),
  ];
  return `${lines.join("\n")}\n`;
}

function row(label: string, text: string): string[] {
  return [`${label.padEnd(LABEL_COLUMNS)}${text}`];
}

function quote(line: string): string {
  return JSON.stringify(line.trim());
}
