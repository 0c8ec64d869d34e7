import { moveMark } from "../queries.ts";
import { unreviewed } from "../store/snapshots.ts";
import type { AgentStore } from "../store/store.ts";
import type { AgentEvent } from "../../protocol/agent-replies.ts";
import type { AlertReason } from "../../protocol/push.ts";
import type { PaneState } from "../../protocol/pane.ts";
import {
  type Review as ReviewReply,
  REVIEW_VERSION,
  type ReviewAllRequest,
  type ReviewMark,
  type ReviewMarks,
  type ReviewGroup,
  type ReviewSettings,
  type ReviewSettingsPatch,
  type ReviewSummary,
  type TerminalItem,
} from "../../protocol/review.ts";
import { certainPaneOf, isUrgent, rank } from "./rank.ts";
import { changeTimer, dueOf, restartWindow, ReviewStore, settingsOf } from "./store.ts";

/** A digest that could not be sent for so long is dropped. */
const DIGEST_USEFUL_SECONDS = 600;

type ReviewEvent = Extract<
  AgentEvent["kind"],
  "review_updated" | "review_settings_updated" | "review_due"
>;

interface ReviewDeps {
  agents: AgentStore;
  /** The published ones: panes that the settings hide need nobody. */
  panes: () => readonly PaneState[];
  /** `push.on_error`, in force until a person sets `urgent_pane_errors`. */
  onError: boolean;
  /** Events that concern no agent carry the id "". */
  publish: (kind: ReviewEvent, agentId: string) => void;
  sendDigest: () => void;
}

export class Reviewer {
  readonly #deps: ReviewDeps;
  readonly #store: ReviewStore;
  /** Panes that ask or have failed in the last pass, as one text to compare. */
  #needs = "";
  #ranked: { version: number; groups: ReviewGroup[] } | null = null;

  constructor(deps: ReviewDeps) {
    this.#deps = deps;
    this.#store = new ReviewStore(deps.agents.database);
  }

  read(): ReviewReply {
    const { agents, panes, onError } = this.#deps;
    const { now } = agents;
    const timer = this.#store.timer();
    const settings = settingsOf(timer, onError);
    const { groups } = this;
    const live = panes();
    const terminal_items = terminalItems(live, groups);
    const open = groups.flatMap((group) => group.decisions);
    const failed = settings.urgent_bypass.pane_errors
      ? live.filter(({ status }) => status === "error").length
      : 0;
    const counts = {
      agents_changed: groups.filter(({ has_changes }) => has_changes).length,
      pending_decisions: open.filter(({ status }) => status === "pending").length,
      terminal_requests: terminal_items.length,
      total_cards: groups.length + terminal_items.length,
      urgent_items: open.filter(isUrgent).length + failed,
    };
    const due = dueOf(timer, counts, now);
    const version = REVIEW_VERSION;
    return { version, generated_at: now, settings, due, counts, groups, terminal_items };
  }

  summary(): ReviewSummary {
    const { due, counts, groups } = this.read();
    const waiting = groups
      .filter(({ decisions }) => decisions.length > 0)
      .map((group) => ({ agent_id: group.agent_id, pane_id: certainPaneOf(group) }));
    return { due, counts, waiting };
  }

  get settings(): ReviewSettings {
    return settingsOf(this.#store.timer(), this.#deps.onError);
  }

  changeSettings(patch: ReviewSettingsPatch): ReviewSettings {
    const { agents, onError } = this.#deps;
    const before = this.#store.timer();
    const timer = this.#store.change((old) =>
      changeTimer(old, patch, { now: agents.now, onError }),
    );
    if (JSON.stringify(timer) !== JSON.stringify(before))
      this.#deps.publish("review_settings_updated", "");
    return settingsOf(timer, onError);
  }

  /**
   * Marks a displayed snapshot as reviewed; an older one, or the same again, moves nothing.
   * @throws AppError not_found for an unknown agent or snapshot; conflict for another agent's
   */
  acknowledge(agentId: string, snapshotId: string): ReviewMark {
    const reviewed = this.#deps.agents.write(() => this.#mark(agentId, snapshotId));
    if (reviewed.advanced) this.#deps.publish("review_updated", agentId);
    return reviewed;
  }

  /**
   * Marks all of these or none; agents and snapshots that are gone meanwhile are left out.
   * @throws AppError conflict for a snapshot of another agent
   */
  acknowledgeAll(snapshots: ReviewAllRequest["snapshots"]): ReviewMarks {
    const { agents } = this.#deps;
    const reviewed = agents.write(() =>
      snapshots.flatMap(({ agent_id, snapshot_id }) => {
        const known = agents.marks.get(agent_id, "review")?.snapshot_id === snapshot_id;
        const isThere = known || agents.snapshots.get(snapshot_id) !== null;
        if (!isThere || !agents.sessions.get(agent_id)) return [];
        return this.#mark(agent_id, snapshot_id);
      }),
    );
    if (reviewed.some(({ advanced }) => advanced)) this.#deps.publish("review_updated", "");
    return { reviewed };
  }

  #mark(id: string, snapshotId: string): ReviewMark {
    const { agents } = this.#deps;
    const { mark, hasMoved } = moveMark(agents, "review", id, snapshotId);
    if (hasMoved) this.#store.change((timer) => restartWindow(timer, agents.now));
    const { marked_at: reviewed_at, ...snapshot } = mark;
    const snapshot_at = mark.snapshot_at ?? reviewed_at;
    return { agent_id: id, ...snapshot, snapshot_at, reviewed_at, advanced: hasMoved };
  }

  /** Whether an alert waits for the digest: ordinary ones do while batching is on. */
  isHeld(reason: AlertReason): boolean {
    const { enabled, urgent_bypass } = this.settings;
    if (reason === "error") return enabled && !urgent_bypass.pane_errors;
    return enabled && reason === "needs_input";
  }

  /** Call it after each pass: no event of an agent tells that a pane begins or ends to wait. */
  panesChanged(): void {
    const needs = this.#deps
      .panes()
      .filter(({ status }) => status === "needs_input" || status === "error")
      .map(({ id, status, legacy_guard }) => `${id} ${status} ${legacy_guard?.prompt_fingerprint}`)
      .join("\n");
    if (needs === this.#needs) return;
    this.#needs = needs;
    this.#deps.publish("review_updated", "");
  }

  /** Ends a window that is due, and sends its digest. */
  tick(): void {
    const { now } = this.#deps.agents;
    const { next_due_at } = this.#store.timer();
    const isReached = next_due_at !== null && next_due_at <= now;
    const hasWork = isReached && this.read().counts.total_cards > 0;
    const isChanged = this.#store.claim(now, hasWork);
    const digests = this.#store.takeDigests(now, now - DIGEST_USEFUL_SECONDS);
    if (digests > 0) {
      this.#deps.sendDigest();
      this.#deps.publish("review_due", "");
    }
    if (isChanged) this.#deps.publish("review_settings_updated", "");
  }

  /** One per agent, ranked; the same list until the store changes. */
  get groups(): ReviewGroup[] {
    const { agents } = this.#deps;
    const { version } = agents;
    if (this.#ranked?.version === version) return this.#ranked.groups;
    const decisions = Map.groupBy(agents.decisions.unresolved(), ({ agent_id }) => agent_id);
    const works = unreviewed(agents.database).map((change) => ({
      ...change,
      decisions: decisions.get(change.agent.id) ?? [],
    }));
    this.#ranked = { version, groups: rank(works) };
    return this.#ranked.groups;
  }
}

type Pane = Pick<PaneState, "id" | "status" | "kind" | "status_since" | "legacy_guard">;

/**
 * Panes that ask or failed and are in no card, errors first, then the longest waiting. A card
 * covers a waiting pane only while a pending decision of its confirmed session is the prompt on the
 * screen, and a failed pane only while the card shows the error itself.
 */
export function terminalItems(
  panes: readonly Pane[],
  groups: readonly ReviewGroup[],
): TerminalItem[] {
  return panes
    .flatMap((pane): TerminalItem[] => {
      const { id, status, kind, status_since: updated_at } = pane;
      if (status !== "needs_input" && status !== "error") return [];
      if (groups.some((group) => certainPaneOf(group) === id && covers(group, pane))) return [];
      const item = { id: `pane:${id}`, pane_id: id, status, kind, updated_at };
      return [{ ...item, acknowledgeable: false }];
    })
    .sort(byUrgency);
}

function byUrgency(a: TerminalItem, b: TerminalItem): number {
  if (a.status !== b.status) return a.status === "error" ? -1 : 1;
  return a.updated_at - b.updated_at || (a.id < b.id ? -1 : 1);
}

function covers(group: ReviewGroup, { status, legacy_guard }: Pane): boolean {
  if (status === "error") return group.attention_reasons.includes("agent_error");
  const live = legacy_guard?.prompt_fingerprint ?? null;
  return group.decisions.some(
    (decision) =>
      decision.status === "pending" && live !== null && decision.prompt_fingerprint === live,
  );
}
