import type { SeenAgent } from "../../src/protocol/tolerant-later.ts";
import { isPlausibleTime } from "../words/times.ts";
import { isParked, type Appearance, type Pane, waits } from "./pane.ts";

type Activity = SeenAgent["lifecycle"] | "parked";

const APPEARANCES: Readonly<Record<Activity, Appearance>> = {
  observing: "unknown",
  working: "working",
  idle: "idle",
  waiting: "needs_input",
  completed: "finished",
  error: "error",
  parked: "parked",
  offline: "offline",
  unknown: "unknown",
};

/** The shape of a session's state, as its pane would have it. */
export const appearanceOfAgent = ({ lifecycle }: Pick<SeenAgent, "lifecycle">): Appearance =>
  APPEARANCES[lifecycle];

/** Whether its program has ended: what is left of it is what was read. */
export const hasEnded = ({ lifecycle }: Pick<SeenAgent, "lifecycle">): boolean =>
  lifecycle === "offline";

export function isWaiting(agent: SeenAgent, pane: Pane | null): boolean {
  if (pane !== null && waits(pane)) return true;
  return agent.lifecycle === "waiting" || (!hasEnded(agent) && agent.pending_decisions_count > 0);
}

/** Its pane knows better than its log. */
function activityOf(agent: SeenAgent, pane: Pane | null): Activity {
  if (pane === null ? isParkedByLog(agent) : isParked(pane)) return "parked";
  return isWaiting(agent, pane) ? "waiting" : agent.lifecycle;
}

export const shapeOfAgent = (agent: SeenAgent, pane: Pane | null): Appearance =>
  APPEARANCES[activityOf(agent, pane)];

/** From here on it is shown at all. */
const BAR_FROM_PERCENT = 70;
/** From here on the queue says it. */
const NOTE_FROM_PERCENT = 85;
/** From here on it compacts soon. */
const HIGH_FROM_PERCENT = 90;

type Log = Pick<SeenAgent, "context_percent">;

/** How full a context is: the screen tells it now, a log with the last reply. Null: neither does. */
function percentOf(pane: Pane | null, agent: Log | null): number | null {
  return pane?.context_percent ?? agent?.context_percent ?? null;
}

/** Null where it is not told, or does not matter yet. */
export function contextBar(pane: Pane | null, agent: Log | null, from = BAR_FROM_PERCENT) {
  const percent = percentOf(pane, agent);
  if (percent === null || percent < from) return null;
  return { percent, isHigh: percent >= HIGH_FROM_PERCENT };
}

/** The same as a sentence; null where it does not matter yet. */
export function contextNote(pane: Pane | null, agent: Log | null): string | null {
  const bar = contextBar(pane, agent, NOTE_FROM_PERCENT);
  return bar && `${bar.percent} % of its context.${bar.isHigh ? " It compacts soon." : ""}`;
}

const COMPACTS: Readonly<Record<string, string>> = {
  agent_a: "/compact",
  agent_b: "/compact",
  agent_d: "/compact",
};

/** Null for programs that know no such command. */
export const compactCommand = ({ agent }: Pick<Pane, "agent">): string | null =>
  COMPACTS[agent?.id ?? ""] ?? null;

/** Times that were read from different notices of one limit. */
const SAME_RESET_SECONDS = 300;
/** What became of it is news for so long. */
const FATE_SECONDS = 600;

export type Parked = NonNullable<Pane["parked"]>;
export type ContinueThen = NonNullable<Pane["continue_then"]>;

/** Panes that one limit holds, with the time it is over; those whose time is not known come last. */
export interface ParkedGroup {
  readonly until: number | null;
  readonly ids: readonly string[];
}

export function parkedGroups(panes: readonly Pane[]): readonly ParkedGroup[] {
  const groups: { until: number | null; ids: string[] }[] = [];
  const sorted = panes
    .flatMap(({ id, parked }) => (parked ? [{ id, until: parked.until }] : []))
    .toSorted((a, b) => (a.until ?? Infinity) - (b.until ?? Infinity));
  for (const { id, until } of sorted) {
    const last = groups.at(-1);
    if (last !== undefined && isSameReset(last.until, until)) last.ids.push(id);
    else groups.push({ until, ids: [id] });
  }
  return groups;
}

function isSameReset(a: number | null, b: number | null): boolean {
  return a === null || b === null ? a === b : b - a <= SAME_RESET_SECONDS;
}

/** Its log tells of a limit, and nothing newer. */
export const isParkedByLog = <Log extends Pick<SeenAgent, "lifecycle" | "parked">>(
  agent: Log,
): agent is Log & { parked: Parked } =>
  agent.lifecycle === "error" && agent.parked !== undefined && agent.parked !== null;

export interface ParkedFacts {
  readonly parked: Parked | null;
  /** While it is news. */
  readonly fate: ContinueThen | null;
  readonly hasSwitch: boolean;
  readonly isOn: boolean;
}

/** Null where nothing is to be told. */
export function parkedFacts(pane: Pane, now: number, canContinue: boolean): ParkedFacts | null {
  const { parked, continue_then: then } = pane;
  const isOn = then?.state === "set";
  const isNews = then !== null && !isOn && (parked !== null || now - then.at < FATE_SECONDS);
  const fate = isNews ? then : null;
  if (parked === null) return fate && { parked, fate, hasSwitch: false, isOn: false };
  const isAhead = isPlausibleTime(parked.until, now) && parked.until > now;
  const mayAsk = isAhead && !parked.continues && pane.capabilities.input === "legacy";
  return { parked, fate, hasSwitch: canContinue && (isOn || mayAsk), isOn };
}

const DAY_SECONDS = 24 * 60 * 60;

/** Where a session stands with panes, and so what can be done from its page. */
export type BindingState =
  /** Its pane is certain. */
  | "linked"
  /** Panes could be its own: a person says which. */
  | "open"
  /** Its program has ended, and no pane could be its own. */
  | "over"
  /** It may run, in a pane that nobody knows. */
  | "unknown";

export function bindingStateOf({
  association,
  lifecycle,
  binding_candidates,
}: SeenAgent): BindingState {
  if (association === "confirmed") return "linked";
  // What was let go counts as ended after a while, although its program may still run there.
  if (binding_candidates.length > 0) return "open";
  return lifecycle === "offline" || lifecycle === "completed" ? "over" : "unknown";
}

/** Both runtimes name their sessions by a UUID, which a shell takes as it is. */
const NATIVE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const RESUMES: Readonly<Record<string, string>> = {
  agent_a: "claude --resume",
  agent_b: "codex resume",
};

/** What a person types into a shell to go on; null where that is not known, or the id is no plain one. */
export function resumeCommand({ runtime, native_session_id: id }: SeenAgent): string | null {
  const command = RESUMES[runtime];
  return command === undefined || !NATIVE_ID.test(id) ? null : `${command} ${id}`;
}

/** Epoch seconds of its last word, as far as anybody knows. */
export const lastSeenAt = ({ last_event_at, updated_at }: SeenAgent): number =>
  last_event_at ?? updated_at;

/** Epoch seconds until which its last words are kept. */
export const retainedUntil = (agent: SeenAgent, retentionDays: number): number =>
  lastSeenAt(agent) + retentionDays * DAY_SECONDS;
