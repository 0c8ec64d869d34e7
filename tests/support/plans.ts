import type { AnswerStep, Finding } from "../../src/detect/finding.ts";

/** A plan in one line: `"1"` is typed, `Enter` pressed, everything else as it is called. */
export function renderPlan(plan: readonly AnswerStep[] | null): string | null {
  if (plan === null) return null;
  return plan
    .map((step) => (step.do === "key" ? step.key : step.do === "type" ? `"${step.text}"` : step.do))
    .join(" ");
}

/** The plans of all options by their keys. */
export function plansOf({ prompt }: Finding): Record<string, string | null> {
  return Object.fromEntries((prompt?.options ?? []).map((o) => [o.key, renderPlan(o.answer)]));
}

export function labelsOf({ prompt }: Finding): string[] {
  return (prompt?.options ?? []).map((o) => o.label);
}

/**
 * Each option in a line, with all that is known of it: `2* [x] Metrics… (Count them.) = "2" | text`
 * has the key 2, the focus, a box that is ticked, a label that invites a text, a description, the plan
 * that takes it, and the one that takes it with a text.
 */
export function rowsOf({ prompt }: Finding): string[] {
  return (prompt?.options ?? []).map((option) => {
    const { key, label, description, checked } = option;
    const head = `${key}${option.selected ? "*" : ""}`;
    const box = checked === null ? [] : [checked ? "[x]" : "[ ]"];
    const about = description === "" ? [] : [`(${description})`];
    const withText = renderPlan(option.answerWithText);
    return [
      ...[head, ...box, `${label}${option.freeform ? "…" : ""}`, ...about, "="],
      ...[renderPlan(option.answer), ...(withText === null ? [] : ["|", withText])],
    ].join(" ");
  });
}
