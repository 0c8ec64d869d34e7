import type { SeenDecision } from "../../../src/protocol/tolerant-agents.ts";
import type { Outcome } from "./plan.ts";

interface Ended {
  readonly outcome: Outcome | null;
}

export interface ResultCounts {
  readonly sent: number;
  readonly unsent: number;
  readonly unclear: number;
}

/** What the heading of a result counts; what nobody began counts as not sent. */
export function countsOf(steps: readonly Ended[]): ResultCounts {
  const sent = steps.filter(({ outcome }) => outcome === "sent").length;
  const unclear = steps.filter(({ outcome }) => outcome === "uncertain").length;
  return { sent, unclear, unsent: steps.length - sent - unclear };
}

/** What needs a person comes first; else as it was sent. */
export function inResultOrder<T extends Ended>(steps: readonly T[]): readonly T[] {
  return steps.toSorted((a, b) => weight(a) - weight(b));
}

function weight({ outcome }: Ended): number {
  if (outcome === "uncertain") return 0;
  return outcome === "sent" ? 2 : 1;
}

/** How a question differs from the one that was answered, as far as a person can see. */
export type Difference =
  | { readonly kind: "question" }
  | { readonly kind: "option"; readonly before: string; readonly after: string }
  | { readonly kind: "options" }
  | { readonly kind: "other" };

export function differenceOf(seen: SeenDecision, latest: SeenDecision): Difference {
  if (seen.title !== latest.title || seen.description !== latest.description)
    return { kind: "question" };
  if (seen.options.length !== latest.options.length) return { kind: "options" };
  const changed = seen.options.flatMap(({ label }, index) => {
    const after = latest.options[index]?.label ?? "";
    return label === after ? [] : [{ before: label, after }];
  });
  const [only] = changed;
  if (only === undefined) return { kind: "other" };
  return changed.length === 1 ? { kind: "option", ...only } : { kind: "options" };
}
