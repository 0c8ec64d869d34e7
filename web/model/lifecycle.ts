import { isSameReset } from "../../src/protocol/limit.ts";
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

/** A session's state as a pane would show it. */
export const appearanceOfAgent = ({ lifecycle }: Pick<SeenAgent, "lifecycle">): Appearance =>
  APPEARANCES[lifecycle];

/** Its program has ended: only what was read remains. */
export const hasEnded = ({ lifecycle }: Pick<SeenAgent, "lifecycle">): boolean =>
  lifecycle === "offline";

export function isWaiting(agent: SeenAgent, pane: Pane | null): boolean {
  if (pane !== null && waits(pane)) return true;
  return agent.lifecycle === "waiting" || (!hasEnded(agent) && agent.pending_decisions_count > 0);
}

/** The screen of its pane is newer than its log. */
function activityOf(agent: SeenAgent, pane: Pane | null): Activity {
  if (pane === null ? isParkedByLog(agent) : isParked(pane)) return "parked";
  return isWaiting(agent, pane) ? "waiting" : agent.lifecycle;
}

export const shapeOfAgent = (agent: SeenAgent, pane: Pane | null): Appearance =>
  APPEARANCES[activityOf(agent, pane)];

const BAR_FROM_PERCENT = 70;
const NOTE_FROM_PERCENT = 85;
const HIGH_FROM_PERCENT = 90;

type Log = Pick<SeenAgent, "context_percent">;

/** The screen shows the percentage live, the log with the last reply. Null below `from`. */
export function contextBar(pane: Pane | null, agent: Log | null, from = BAR_FROM_PERCENT) {
  const percent = pane?.context_percent ?? agent?.context_percent ?? null;
  if (percent === null || percent < from) return null;
  return { percent, isHigh: percent >= HIGH_FROM_PERCENT };
}

export function contextNote(pane: Pane | null, agent: Log | null): string | null {
  const bar = contextBar(pane, agent, NOTE_FROM_PERCENT);
  return bar && `${bar.percent} % of its context.${bar.isHigh ? " It compacts soon." : ""}`;
}

const COMPACTS: Readonly<Record<string, string>> = {
  agent_a: "/compact",
  agent_b: "/compact",
  agent_d: "/compact",
};

/** Null for programs without such a command. */
export const compactCommand = ({ agent }: Pick<Pane, "agent">): string | null =>
  COMPACTS[agent?.id ?? ""] ?? null;

/** How long the outcome of a continuation is shown. */
const FATE_SECONDS = 600;

export type Parked = NonNullable<Pane["parked"]>;

/** Ids of panes by the limit that parks them and its end (epoch seconds); unknown ends come last. */
export function parkedGroups(panes: readonly Pane[]) {
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

/** The newest entry of its log is a limit. */
export const isParkedByLog = <Log extends Pick<SeenAgent, "lifecycle" | "parked">>(
  agent: Log,
): agent is Log & { parked: Parked } =>
  agent.lifecycle === "error" && agent.parked !== undefined && agent.parked !== null;

export function parkedFacts(pane: Pane, now: number, canContinue: boolean) {
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

/** How a session is bound to a pane, and so what its page offers. */
type BindingState =
  | "linked"
  /** There are candidates: a person chooses. */
  | "open"
  /** Ended, without a candidate. */
  | "over"
  /** It may run in a pane that is not known. */
  | "unknown";

export function bindingStateOf({
  association,
  lifecycle,
  binding_candidates,
}: SeenAgent): BindingState {
  if (association === "confirmed") return "linked";
  // A released session counts as ended after a while, though its program may still run.
  if (binding_candidates.length > 0) return "open";
  return lifecycle === "offline" || lifecycle === "completed" ? "over" : "unknown";
}

/** Both runtimes use UUIDs, which need no quoting in a shell. */
const NATIVE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const RESUMES: Readonly<Record<string, string>> = {
  agent_a: "claude --resume",
  agent_b: "codex resume",
};

/** Null where the runtime is not known or the id is no UUID. */
export function resumeCommand({ runtime, native_session_id: id }: SeenAgent): string | null {
  const command = RESUMES[runtime];
  return command === undefined || !NATIVE_ID.test(id) ? null : `${command} ${id}`;
}

/** Epoch seconds of its newest message. */
export const lastSeenAt = ({ last_event_at, updated_at }: SeenAgent): number =>
  last_event_at ?? updated_at;

/** Epoch seconds until which its messages are kept. */
export const retainedUntil = (agent: SeenAgent, retentionDays: number): number =>
  lastSeenAt(agent) + retentionDays * DAY_SECONDS;
