import type { Database } from "bun:sqlite";
import type { ContextDecision, DecisionItem, DecisionStatus } from "../../protocol/agents.ts";
import { Table } from "../../store/table.ts";
import { pageByTime } from "./cursor.ts";
import { type AgentRequest, type KnownDecision, uuidOf } from "../session.ts";
import { chosenOption, describe, riskOf } from "../acts/requests.ts";

interface Row {
  id: string;
  agent_id: string;
  native_id: string;
  place: number;
  status: DecisionStatus;
  is_shown: number;
  created_at: number;
  updated_at: number;
  asked: AgentRequest;
  public: DecisionItem;
}

const OPEN: readonly DecisionStatus[] = ["pending", "submitting", "unknown"];
const LIVE: readonly DecisionStatus[] = ["unverified", ...OPEN];

/** Requests of agents. Those that no prompt on a screen confirmed are stored and never shown. */
export class DecisionTable {
  readonly #rows: Table<Row>;
  readonly #changed: (agentId: string, decisionId: string) => void;

  constructor(db: Database, changed: (agentId: string, decisionId: string) => void) {
    this.#rows = new Table(db, "decisions", ["asked", "public"]);
    this.#changed = changed;
  }

  get(id: string): DecisionItem | null {
    const row = this.#row(id);
    return row?.is_shown === 1 ? knownOf(row).decision : null;
  }

  find(id: string): KnownDecision | null {
    const row = this.#row(id);
    return row ? knownOf(row) : null;
  }

  /** Requests of a session that have not ended, oldest first; unverified ones too. */
  live(agentId: string): KnownDecision[] {
    const live = `WHERE agent_id = ? AND status IN (${listOf(LIVE)}) ORDER BY created_at, place`;
    return this.#rows.all(live, agentId).map(knownOf);
  }

  unresolved(): DecisionItem[] {
    const open = `WHERE is_shown = 1 AND status IN (${listOf(OPEN)}) ORDER BY created_at, place, id`;
    return this.#rows.all(open).map((row) => knownOf(row).decision);
  }

  open(agentId: string): ContextDecision[] {
    return this.live(agentId)
      .filter(({ decision }) => decision.status !== "unverified")
      .map(({ decision: { id, title, created_at } }) => ({ id, title, created_at }));
  }

  /** By `updated_at` descending, then id. @throws AppError 400 for a bad cursor */
  page(query: {
    cursor: string | null;
    limit: number;
    status: string | null;
    agentId: string | null;
  }) {
    const where = "is_shown = 1 AND (?4 IS NULL OR status = ?4) AND (?5 IS NULL OR agent_id = ?5)";
    const params = [query.status, query.agentId];
    const list = { where, time: "updated_at", params } as const;
    const { rows, next_cursor } = pageByTime(this.#rows, list, query);
    return { decisions: rows.map((row) => knownOf(row).decision), next_cursor };
  }

  /** Stores a request of the log once, as unverified. */
  ask(agentId: string, nativeId: string, request: AgentRequest, at: number): void {
    const place = request.kind === "question" ? request.index : 0;
    const id = uuidOf("decision", agentId, nativeId, String(place));
    if (this.find(id) !== null) return;
    const isAlone = request.kind === "plan_approval" || request.count === 1;
    const decision: DecisionItem = {
      id,
      agent_id: agentId,
      native_event_id: isAlone ? nativeId : `${nativeId}:${place + 1}`,
      ...describe(request),
      priority: "normal",
      allow_custom: false,
      status: "unverified",
      revision: 1,
      binding_revision: 0,
      prompt_fingerprint: null,
      review_status: "terminal_required",
      selected_option_id: null,
      created_at: at,
      updated_at: at,
    };
    this.#rows.insert({
      ...{ id, agent_id: agentId, native_id: nativeId, place, status: "unverified" },
      ...{ created_at: at, updated_at: at, asked: request, public: decision },
    });
  }

  /** Ends a request as the log tells. */
  resolve(
    agentId: string,
    nativeId: string,
    answers: Readonly<Record<string, string>> | null,
    now: number,
  ): void {
    const rows = this.#rows.all("WHERE agent_id = ? AND native_id = ?", agentId, nativeId);
    for (const { decision, request } of rows.map(knownOf)) {
      const selected_option_id = chosenOption(request, decision.options, answers);
      this.change(decision.id, LIVE, { status: "resolved", selected_option_id }, now);
    }
  }

  /** The session moved on: its requests will not be answered. */
  supersede(agentId: string, now: number): void {
    for (const { decision } of this.live(agentId))
      this.change(decision.id, LIVE, { status: "superseded" }, now);
  }

  /**
   * Changes a request that is in one of the states `from`, and raises its revision; null when it no
   * longer is. A request is shown from its first open state on.
   */
  change(
    id: string,
    from: readonly DecisionStatus[],
    patch: Partial<DecisionItem>,
    now: number,
  ): DecisionItem | null {
    const row = this.#row(id);
    if (row === null || !from.includes(row.status)) return null;
    const before = knownOf(row).decision;
    const after = { ...before, ...patch, revision: before.revision + 1, updated_at: now };
    const isShown = row.is_shown === 1 || OPEN.includes(after.status);
    const written = { status: after.status, is_shown: Number(isShown), updated_at: now };
    this.#rows.update({ ...written, public: after }, "WHERE id = ?", id);
    if (isShown) this.#changed(after.agent_id, id);
    return after;
  }

  #row(id: string): Row | null {
    return this.#rows.find("WHERE id = ?", id);
  }
}

function listOf(statuses: readonly DecisionStatus[]): string {
  return statuses.map((status) => `'${status}'`).join(", ");
}

function knownOf({ asked: request, public: stored }: Row): KnownDecision {
  // Computed here, since rows of earlier releases have none.
  const decision = { ...stored, risk: riskOf(request) };
  // The answer may have arrived: only the terminal can tell.
  if (stored.status === "unknown") decision.review_status = "terminal_required";
  return { decision, request };
}
