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
