import type { BindingCandidate } from "../../src/protocol/agents.ts";
import type { SeenAgent } from "../../src/protocol/tolerant-agents.ts";

const DAY_SECONDS = 24 * 60 * 60;

/** Where a session stands with panes, and so what can be done from its page. */
export type Standing =
  /** Its pane is certain. */
  | "linked"
  /** Panes could be its own: a person says which. */
  | "open"
  /** Its program has ended, and no pane could be its own. */
  | "over"
  /** It may run, in a pane that nobody knows. */
  | "unknown";

export function standingOf({ association, lifecycle, binding_candidates }: SeenAgent): Standing {
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
export const keptUntil = (agent: SeenAgent, retentionDays: number): number =>
  lastSeenAt(agent) + retentionDays * DAY_SECONDS;

/** In the order in which they are likely, the server's own order between equals. */
export const byConfidence = (
  candidates: readonly BindingCandidate[],
): readonly BindingCandidate[] => candidates.toSorted((a, b) => b.confidence - a.confidence);
