import type { SeenAgent } from "../../src/protocol/tolerant-agents.ts";
import { isToldOf } from "../words/parked.ts";
import type { Pane } from "./pane.ts";

/** Times that were read from different notices of one limit. */
const SAME_RESET_SECONDS = 300;
/** What became of it is news for so long. */
const TOLD_SECONDS = 600;

export type Parked = NonNullable<Pane["parked"]>;
export type ContinueThen = NonNullable<Pane["continue_then"]>;

/** Panes that one limit holds, with the time it is over; those whose time is not known come last. */
export interface ParkedGroup {
  readonly until: number | null;
  readonly ids: readonly string[];
}

export function groupsOf(panes: readonly Pane[]): readonly ParkedGroup[] {
  const groups: { until: number | null; ids: string[] }[] = [];
  const sorted = panes
    .flatMap(({ id, parked }) => (parked ? [{ id, until: parked.until }] : []))
    .toSorted((a, b) => (a.until ?? Infinity) - (b.until ?? Infinity));
  for (const { id, until } of sorted) {
    const last = groups.at(-1);
    if (last !== undefined && isSame(last.until, until)) last.ids.push(id);
    else groups.push({ until, ids: [id] });
  }
  return groups;
}

function isSame(a: number | null, b: number | null): boolean {
  return a === null || b === null ? a === b : b - a <= SAME_RESET_SECONDS;
}

/** Its log tells of a limit, and nothing newer. */
export const isHeldByLog = (agent: SeenAgent): agent is SeenAgent & { parked: Parked } =>
  agent.lifecycle === "error" && agent.parked !== undefined && agent.parked !== null;

/** What a person is told, and may do, where a limit holds a pane or has held it. */
export interface ParkedFacts {
  readonly parked: Parked | null;
  /** What became of going on, while that is news. */
  readonly fate: ContinueThen | null;
  /** Whether it can be asked to go on, or not to. */
  readonly hasSwitch: boolean;
  readonly isOn: boolean;
}

/** Null where nothing is to be told. */
export function parkedFacts(pane: Pane, now: number, canContinue: boolean): ParkedFacts | null {
  const { parked, continue_then: then } = pane;
  const isOn = then?.state === "set";
  const isNews = then !== null && !isOn && (parked !== null || now - then.at < TOLD_SECONDS);
  const fate = isNews ? then : null;
  if (parked === null) return fate && { parked, fate, hasSwitch: false, isOn: false };
  const isAhead = isToldOf(parked.until, now) && parked.until > now;
  const mayAsk = isAhead && !parked.continues && pane.capabilities.input === "legacy";
  return { parked, fate, hasSwitch: canContinue && (isOn || mayAsk), isOn };
}
