import type { AgentStore } from "../agents/store/store.ts";
import { deltaOf } from "../agents/store/timeline.ts";
import { AppError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { AgentSession, DecisionItem, TimelineEvent } from "../protocol/agents.ts";
import type { AgentEvent } from "../protocol/agent-replies.ts";
import type { PaneState } from "../protocol/pane.ts";
import {
  REVIEW_VERSION,
  type Review as ReviewReply,
  type ReviewCounts,
  type Reviewed,
  type ReviewGroup,
  type ReviewSettings,
  type ReviewSettingsPatch,
  type TerminalItem,
} from "../protocol/review.ts";
import { type Baseline, isUrgent, rank, type SnapshotMark, type Work } from "./rank.ts";
import { changed, dueOf, reviewed, settingsOf, type Timer } from "./schedule.ts";
import type { ReviewStore } from "./store.ts";
import { terminalItems } from "./terminal-items.ts";

/** A digest that could not be given out for so long is of no use any more. */
const DIGEST_USEFUL_SECONDS = 600;

type ReviewEvent = Extract<
  AgentEvent["kind"],
  "review_updated" | "review_settings_updated" | "review_due"
>;

export interface ReviewDeps {
  agents: AgentStore;
  store: ReviewStore;
  clock: Pick<Clock, "now">;
  /** Live panes, hidden ones too. */
  panes: () => readonly PaneState[];
  /** `push.on_error`: holds until somebody decided on `urgent_pane_errors`. */
  onError: boolean;
  /** Tells sockets; events without an agent carry the id "". */
  publish: (kind: ReviewEvent, agentId: string) => void;
  /** One generic notification to every device. */
  sendDigest: () => void;
}

interface Board {
  timer: Timer;
  groups: ReviewGroup[];
  terminal_items: TerminalItem[];
  counts: ReviewCounts;
}

/** What there is to review, what was reviewed, and when the next digest is due. */
export class Review {
  readonly #deps: ReviewDeps;
  /** Of the panes that ask or have failed, as the last pass saw them. */
  #asking = "";

  constructor(deps: ReviewDeps) {
    this.#deps = deps;
  }

  /** Reading it moves nothing. */
  read(): ReviewReply {
    const now = this.#deps.clock.now();
    const { timer, groups, terminal_items, counts } = this.#board();
    return {
      version: REVIEW_VERSION,
      generated_at: now,
      settings: settingsOf(timer, this.#deps.onError),
      due: dueOf(timer, counts, now),
      counts,
      groups,
      terminal_items,
    };
  }

  get settings(): ReviewSettings {
    return settingsOf(this.#deps.store.timer(), this.#deps.onError);
  }

  changeSettings(patch: ReviewSettingsPatch): ReviewSettings {
    const { store, clock, onError } = this.#deps;
    const before = store.timer();
    const timer = store.change((old) => changed(old, patch, { now: clock.now(), onError }));
    if (JSON.stringify(timer) !== JSON.stringify(before))
      this.#deps.publish("review_settings_updated", "");
    return settingsOf(timer, onError);
  }

  /**
   * Marks a displayed snapshot as reviewed. An older one than the last, or the same again, is a
   * success that moves nothing.
   * @throws AppError not_found for an agent or a snapshot that is not known; conflict for a
   * snapshot of another agent
   */
  acknowledge(agentId: string, snapshotId: string): Reviewed {
    const { agents, store, clock } = this.#deps;
    if (!agents.sessions.get(agentId)) throw unknown(agentId);
    const known = store.baseline(agentId);
    const snapshot = agents.snapshots.get(snapshotId);
    // The reviewed snapshot itself may have been pruned meanwhile.
    if (!snapshot && known?.id === snapshotId) return replyOf(agentId, known, false);
    if (!snapshot) throw unknown(snapshotId);
    if (snapshot.agent_id !== agentId)
      throw new AppError("conflict", `snapshot ${snapshotId} belongs to another agent`, {
        message: "This snapshot belongs to another agent.",
        current: agents.resume(agentId),
      });
    const now = clock.now();
    const { baseline, advanced } = store.acknowledge(agentId, markOf(snapshot), {
      now,
      timer: (timer) => reviewed(timer, now),
    });
    if (advanced) this.#deps.publish("review_updated", agentId);
    return replyOf(agentId, baseline, advanced);
  }

  /** Whether an alert waits for the digest: ordinary ones do while batching is on. */
  isHeld(alert: { reason: "needs_input" | "error" | "decision"; isUrgent: boolean }): boolean {
    const { enabled, urgent_bypass } = this.settings;
    if (!enabled || alert.isUrgent) return false;
    return alert.reason !== "error" || !urgent_bypass.pane_errors;
  }

  /** After each pass: no agent's event tells of a pane that begins or ends to wait. */
  panesChanged(): void {
    const asking = this.#deps
      .panes()
      .filter(({ status }) => status === "needs_input" || status === "error")
      .map(({ id, status, legacy_guard }) => `${id} ${status} ${legacy_guard?.prompt_fingerprint}`)
      .join("\n");
    if (asking === this.#asking) return;
    this.#asking = asking;
    this.#deps.publish("review_updated", "");
  }

  /** Ends a window that was reached, and gives out what was written for it. */
  tick(): void {
    const { store, clock } = this.#deps;
    const now = clock.now();
    const { nextDueAt } = store.timer();
    const isReached = nextDueAt !== null && nextDueAt <= now;
    const hasWork = isReached && this.#board().counts.total_cards > 0;
    const isChanged = store.claim(now, hasWork);
    const digests = store.takeDigests(now, now - DIGEST_USEFUL_SECONDS);
    if (digests > 0) {
      this.#deps.sendDigest();
      this.#deps.publish("review_due", "");
    }
    if (isChanged) this.#deps.publish("review_settings_updated", "");
  }

  #board(): Board {
    const { agents, store, panes, onError } = this.#deps;
    const timer = store.timer();
    const baselines = store.baselines();
    const decisions = Map.groupBy(agents.decisions.unresolved(), ({ agent_id }) => agent_id);
    const works = agents.sessions
      .all()
      .map(({ session }) =>
        this.#workOf(session, baselines.get(session.id) ?? null, decisions.get(session.id) ?? []),
      );
    const groups = rank(works);
    const live = panes();
    const terminal_items = terminalItems(live, groups);
    const open = groups.flatMap((group) => group.decisions);
    const failed = settingsOf(timer, onError).urgent_bypass.pane_errors
      ? live.filter(({ status }) => status === "error").length
      : 0;
    return {
      timer,
      groups,
      terminal_items,
      counts: {
        agents_changed: groups.filter(({ has_changes }) => has_changes).length,
        pending_decisions: open.filter(({ status }) => status === "pending").length,
        terminal_requests: terminal_items.length,
        total_cards: groups.length + terminal_items.length,
        urgent_items: open.filter(isUrgent).length + failed,
      },
    };
  }

  #workOf(
    agent: AgentSession,
    baseline: Baseline | null,
    decisions: readonly DecisionItem[],
  ): Work {
    const { snapshots } = this.#deps.agents;
    const latest = snapshots.latest(agent.id);
    if (!latest) {
      const nothing = { changes: {}, historyTruncated: false, firstUnreviewedAt: null };
      return { agent, current: null, baseline, decisions, ...nothing };
    }
    const current = markOf(latest);
    if (baseline && baseline.sequence >= current.sequence) {
      const nothing = { changes: {}, historyTruncated: false, firstUnreviewedAt: null };
      return { agent, current, baseline, decisions, ...nothing };
    }
    const oldest = snapshots.oldest(agent.id);
    const kept = baseline && snapshots.get(baseline.id);
    const historyTruncated = baseline !== null && kept === null;
    const before = (historyTruncated ? oldest : kept)?.context ?? null;
    return {
      agent,
      current,
      baseline,
      decisions,
      changes: latest.context ? deltaOf(before, latest.context) : {},
      historyTruncated,
      firstUnreviewedAt:
        snapshots.firstAfter(agent.id, baseline?.sequence ?? 0)?.created_at ?? null,
    };
  }
}

function markOf({ id, sequence, created_at }: TimelineEvent): SnapshotMark {
  return { id, sequence, at: created_at };
}

function replyOf(agent_id: string, baseline: Baseline, advanced: boolean): Reviewed {
  return {
    agent_id,
    snapshot_id: baseline.id,
    snapshot_sequence: baseline.sequence,
    snapshot_at: baseline.at ?? baseline.reviewedAt,
    reviewed_at: baseline.reviewedAt,
    advanced,
  };
}

function unknown(id: string): AppError {
  return new AppError("not_found", `unknown agent resource: ${id.slice(0, 160)}`);
}
