import type { Card } from "./cards.ts";

/** Going through the cards one by one; the order is that of the moment in which it began. */
export interface Pass {
  readonly order: readonly string[];
  readonly at: number;
  readonly reviewed: ReadonlySet<string>;
  readonly answered: ReadonlySet<string>;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
}

export function beginPass(cards: readonly Card[], nowMs: number): Pass {
  const order = cards.map(({ agentId }) => agentId);
  return { order, at: 0, reviewed: new Set(), answered: new Set(), startedAt: nowMs };
}

/** The agent on the screen; null at the end. */
export const currentOf = (pass: Pass): string | null => pass.order[pass.at] ?? null;

/** One on or back, past cards that were handled elsewhere; the end comes behind the last. */
export function move(pass: Pass, step: 1 | -1, isThere: (agentId: string) => boolean): Pass {
  let at = pass.at + step;
  while (at >= 0 && at < pass.order.length && !isThere(pass.order[at] ?? "")) at += step;
  // Before the first that is left there is nothing: stay.
  return at < 0 ? pass : { ...pass, at };
}

export function markReviewed(pass: Pass, agentId: string): Pass {
  return { ...pass, reviewed: new Set([...pass.reviewed, agentId]) };
}

export function markAnswered(pass: Pass, decisionId: string): Pass {
  return { ...pass, answered: new Set([...pass.answered, decisionId]) };
}

/** Cards of the pass that are neither reviewed nor gone. */
export function leftOver(pass: Pass, isThere: (agentId: string) => boolean): string[] {
  return pass.order.filter((id) => isThere(id) && !pass.reviewed.has(id));
}
