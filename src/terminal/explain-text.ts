import { ruleNote } from "../detect/rule-notes.ts";
import type { ScreenExplanation } from "./explain.ts";

const LABEL_COLUMNS = 10;

/** An explanation as the lines that a terminal shows. */
export function renderExplanation(explanation: ScreenExplanation): string {
  const { id, kind, status, live_region: region, prompt, ruled_out: ruledOut } = explanation;
  const age = status.line_age === null ? "" : `, there for ${Math.round(status.line_age)} s`;
  const note = ruleNote(status.rule);
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
          ...row("answer", prompt.recognised ? "by its plan" : "its key, then Enter"),
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
