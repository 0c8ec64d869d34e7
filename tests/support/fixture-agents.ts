import type { AgentEvent } from "../../src/protocol/agent-replies.ts";
import type {
  AgentSession,
  BindingCandidate,
  ChatMessage,
  DecisionItem,
} from "../../src/protocol/agents.ts";
import type { PaneSession } from "../../src/protocol/input.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { type Review, ReviewAllRequest, type ReviewSummary } from "../../src/protocol/review.ts";
import { waitingAgents } from "../../src/protocol/waiting.ts";
import { isUrgent, rank } from "../../src/review/rank.ts";
import {
  changed,
  dueOf,
  reviewed,
  settingsOf,
  type Timer,
  TIMER_OFF,
} from "../../src/review/store.ts";
import { terminalItems } from "../../src/review/review.ts";
import { type FixtureAgent, fixtureAgents } from "./fixture-work.ts";
import type { RecordedRequest } from "./fixture-server.ts";

/** What the routes of the agent workspace answer: a status and a body. */
interface Answer {
  status: number;
  body: unknown;
}

const PAGE = 50;
const found = (body: unknown): Answer => ({ status: 200, body });
const missing = (id: string): Answer => ({
  status: 404,
  body: { detail: `unknown agent resource: ${id}` },
});
const conflict = (message: string, current: unknown): Answer => ({
  status: 409,
  body: { detail: { message, current } },
});

/**
 * The agent workspace of a fixture server. It ranks, marks and schedules with the product's own
 * functions, and refuses a stale revision as the real one does.
 */
export class FixtureAgents {
  agents: FixtureAgent[] = fixtureAgents();
  timer: Timer = TIMER_OFF;
  /** Tells every socket that asked for events. */
  publish: (event: AgentEvent) => void = () => {};
  /** Older messages than those that are kept were never read. */
  isTruncated = false;
  /** Decisions that have met the prompt of their pane. */
  readonly #met = new Set<string>();
  readonly #panes: () => readonly PaneState[];
  readonly #now: () => number;

  constructor(panes: () => readonly PaneState[], now: () => number) {
    this.#panes = panes;
    this.#now = now;
  }

  /** By its title. */
  find(title: string): FixtureAgent {
    const agent = this.agents.find(({ work }) => work.agent.title === title);
    if (!agent) throw new Error(`no agent ${title}`);
    return agent;
  }

  /** Tells of a change, as the real service does after each. */
  tell(kind: AgentEvent["kind"], agentId = "", more: Partial<AgentEvent> = {}): void {
    this.publish({ kind, agent_id: agentId, revision: 1, ...more });
  }

  changeAgent(title: string, members: Partial<AgentSession>): void {
    const { work } = this.find(title);
    work.agent = { ...work.agent, ...members, revision: work.agent.revision + 1 };
    this.tell("agent_updated", work.agent.id);
  }

  /** Something new is said, or one of its messages fares otherwise. */
  changeMessages(title: string, change: (messages: ChatMessage[]) => ChatMessage[]): void {
    const agent = this.find(title);
    agent.messages = change(agent.messages);
    this.tell("message_updated", agent.work.agent.id, {
      message_id: agent.messages.at(-1)?.id ?? "",
    });
  }

  /** Nothing proves its pane: these could be it. */
  makeAmbiguous(title: string, paneIds: readonly string[]): void {
    this.changeAgent(title, ambiguous(this.find(title).work.agent, paneIds, this.#panes()));
  }

  /** The session that is certainly in a pane. */
  inPane(paneId: string): string | null {
    const found = this.agents.find(
      ({ work: { agent } }) => agent.association === "confirmed" && agent.pane_id === paneId,
    );
    return found?.work.agent.id ?? null;
  }

  /** What an explanation of a pane names: the sessions that it shows or may show. */
  sessionsIn(paneId: string): PaneSession[] {
    return this.agents.flatMap(({ work: { agent } }) => {
      const { id: agent_id, association, pane_id, binding_candidates } = agent;
      const isCandidate = binding_candidates.some((candidate) => candidate.pane_id === paneId);
      return pane_id === paneId || isCandidate ? [{ agent_id, association, reasons: [] }] : [];
    });
  }

  changeDecision(title: string, members: Partial<DecisionItem>): void {
    const { work } = this.find(title);
    work.decisions = work.decisions.map((decision) => ({
      ...decision,
      revision: decision.revision + 1,
      ...members,
    }));
    this.tell("decision_updated", work.agent.id, { decision_id: work.decisions[0]?.id ?? "" });
  }

  review(): Review {
    this.#meet();
    const groups = rank(this.agents.map(({ work }) => work));
    const terminal_items = terminalItems(this.#panes(), groups);
    const open = groups.flatMap(({ decisions }) => decisions);
    const counts = {
      agents_changed: groups.filter(({ has_changes }) => has_changes).length,
      pending_decisions: open.filter(({ status }) => status === "pending").length,
      terminal_requests: terminal_items.length,
      total_cards: groups.length + terminal_items.length,
      urgent_items: open.filter(isUrgent).length,
    };
    return {
      version: 1,
      generated_at: this.#now(),
      settings: settingsOf(this.timer, false),
      due: dueOf(this.timer, counts, this.#now()),
      counts,
      groups,
      terminal_items,
    };
  }

  #summary(): ReviewSummary {
    const { due, counts, groups } = this.review();
    return { due, counts, waiting: waitingAgents(groups) };
  }

  /** Null for a path that is none of its own. */
  answer({ method, path, body }: RecordedRequest, query: URLSearchParams): Answer | null {
    this.#meet();
    const [, , root = "", id = "", part = ""] = path.split("/").map(decodeURIComponent);
    if (root === "review" && id === "all") return this.#acknowledgeAll(body);
    if (root === "review" && id === "")
      return found(query.has("counts") ? this.#summary() : this.review());
    if (root === "review") return this.#settings(body);
    if (root === "decisions") {
      const asked = this.agents.find(({ work }) => work.agent.id === query.get("agent_id"));
      return found(whole("decisions", asked?.work.decisions ?? []));
    }
    if (root !== "agents") return null;
    if (id === "" && method === "DELETE") return this.#clear();
    if (id === "") {
      const sessions = this.agents.map(({ work }) => work.agent);
      return found(
        whole(
          "agents",
          sessions.toSorted((a, b) => b.updated_at - a.updated_at),
        ),
      );
    }
    const agent = this.agents.find(({ work }) => work.agent.id === id);
    return agent ? this.#agent(agent, method, part, body, query) : missing(id);
  }

  /** A decision is verified by the prompt on its pane's screen: it carries that one's fingerprint. */
  #meet(): void {
    for (const { work } of this.agents) {
      const pane = this.#panes().find(({ id }) => id === work.agent.pane_id);
      const live = pane?.legacy_guard?.prompt_fingerprint ?? null;
      work.decisions = work.decisions.map((decision) => {
        if (live === null || this.#met.has(decision.id)) return decision;
        this.#met.add(decision.id);
        return { ...decision, prompt_fingerprint: live };
      });
    }
  }

  #settings(body: Record<string, unknown>): Answer {
    this.timer = changed(this.timer, body, { now: this.#now(), onError: false });
    this.tell("review_settings_updated");
    return found(settingsOf(this.timer, false));
  }

  #agent(
    agent: FixtureAgent,
    method: string,
    part: string,
    body: Record<string, unknown>,
    query: URLSearchParams,
  ): Answer {
    const { work } = agent;
    const { id } = work.agent;
    if (part === "") return found(work.agent);
    if (part === "timeline") return found(whole("events", agent.events));
    if (part === "review") return this.#acknowledge(agent, String(body["snapshot_id"]));
    const asked = query.get("around");
    if (asked !== null && !agent.messages.some((message) => message.id === asked))
      return missing(asked);
    if (part === "steps") return found(stepsAround(agent, asked));
    if (part === "messages") return found(chat(agent, query, this.isTruncated));
    if (part === "history") {
      agent.messages = [];
      agent.events = [];
      const baseline = { ...work.current, markedAt: this.#now() };
      agent.work = { ...work, baseline, changes: {}, decisions: [] };
      agent.work.agent = { ...work.agent, pending_decisions_count: 0 };
      this.tell("history_deleted", id);
      return found({ ok: true });
    }
    if (part !== "binding") return missing(id);
    const expected = Number(
      body["expected_binding_revision"] ?? query.get("expected_binding_revision"),
    );
    const paneId = method === "PUT" ? String(body["pane_id"]) : null;
    if (expected !== work.agent.binding_revision)
      return conflict("stale binding revision", work.agent);
    if (paneId !== null && !this.#panes().some((pane) => pane.id === paneId))
      return { status: 404, body: { detail: `pane ${paneId} is not observed` } };
    work.agent = paneId === null ? released(work.agent, this.#panes()) : bound(work.agent, paneId);
    this.tell("agent_updated", id);
    return found(work.agent);
  }

  #clear(): Answer {
    const gone = this.agents.map(({ work }) => work.agent.id);
    this.agents = [];
    for (const id of gone) this.tell("history_deleted", id);
    return found({ ok: true });
  }

  #acknowledge({ work }: FixtureAgent, snapshotId: string): Answer {
    const { agent, current, baseline } = work;
    if (current.id !== snapshotId) return missing(snapshotId);
    const advanced = !baseline || baseline.sequence < current.sequence;
    if (advanced) {
      work.baseline = { ...current, markedAt: this.#now() };
      work.changes = {};
      this.timer = reviewed(this.timer, this.#now());
      this.tell("review_updated", agent.id);
    }
    return found({
      agent_id: agent.id,
      snapshot_id: current.id,
      snapshot_sequence: current.sequence,
      snapshot_at: current.at,
      reviewed_at: this.#now(),
      advanced,
    });
  }

  #acknowledgeAll({ snapshots }: Record<string, unknown>): Answer {
    const all = ReviewAllRequest.shape.snapshots.parse(snapshots);
    const reviewed = all.flatMap(({ agent_id, snapshot_id }) => {
      const agent = this.agents.find(({ work }) => work.agent.id === agent_id);
      return agent ? [this.#acknowledge(agent, snapshot_id).body] : [];
    });
    return found({ reviewed });
  }
}

/** All of them: no test has more than a page. */
const whole = <T>(name: string, items: readonly T[]) => ({ [name]: items, next_cursor: null });

function chat(
  { work, messages }: FixtureAgent,
  query: URLSearchParams,
  history_truncated: boolean,
) {
  const q = (query.get("q") ?? "").toLowerCase();
  const role = query.get("role");
  const after = Number(query.get("after") ?? -Infinity);
  const fitting = messages.filter(
    (message) =>
      message.content.toLowerCase().includes(q) &&
      (role === null || message.role === role) &&
      message.created_at >= after,
  );
  const shown = pageOf(fitting, query);
  const { baseline } = work;
  return {
    ...shown,
    retained_from: messages[0]?.created_at ?? null,
    retained_to: messages.at(-1)?.created_at ?? null,
    reviewed_at: baseline?.markedAt ?? null,
    reviewed_snapshot_id: baseline?.id ?? null,
    reviewed_snapshot_sequence: baseline?.sequence ?? null,
    reviewed_snapshot_at: baseline?.at ?? null,
    history_truncated,
    filters: { q: query.get("q"), role, after: null, before: null },
  };
}

/** As many steps as a server tells at once. */
const STEPS = 400;

function stepsAround({ messages, steps }: FixtureAgent, around: string | null) {
  const at = messages.find(({ id }) => id === around)?.created_at ?? Infinity;
  const middle = steps.findLastIndex((step) => step.at <= at) + 1;
  const begin = Math.max(0, Math.min(middle - STEPS / 2, steps.length - STEPS));
  const told = steps.slice(begin, begin + STEPS);
  return {
    steps: told,
    from: begin === 0 ? null : (told[0]?.at ?? null),
    to: begin + STEPS >= steps.length ? null : (told.at(-1)?.at ?? null),
  };
}

/** A page of messages, oldest first; the cursors of a test are ids of the messages at its ends. */
function pageOf(all: readonly FixtureAgent["messages"][number][], query: URLSearchParams) {
  const limit = Number(query.get("limit") ?? PAGE);
  const at = (id: string | null) => all.findIndex((message) => message.id === id);
  const around = query.get("around");
  const newer = query.get("newer");
  const cursor = query.get("cursor");
  const middle = around === null ? -1 : at(around);
  const end =
    around !== null
      ? Math.min(all.length, middle + Math.floor(limit / 2))
      : newer !== null
        ? Math.min(all.length, at(newer) + 1 + limit)
        : cursor === null
          ? all.length
          : at(cursor);
  const begin = newer === null ? Math.max(0, end - limit) : at(newer) + 1;
  const messages = all.slice(begin, end);
  const isForward = around !== null || newer !== null;
  return {
    messages,
    next_cursor: begin > 0 ? (messages[0]?.id ?? null) : null,
    ...(isForward ? { newer_cursor: end < all.length ? (messages.at(-1)?.id ?? null) : null } : {}),
  };
}

// What becomes of a session whose pane is said, let go or not known, as the real service has it.

function ambiguous(
  agent: AgentSession,
  paneIds: readonly string[],
  panes: readonly PaneState[],
): Partial<AgentSession> {
  const candidates = paneIds.map((id) => candidateOf(id, 0.6 / paneIds.length, panes));
  const reasons = ["The same program in the same folder."];
  return {
    ...unbound(agent),
    association: paneIds.length === 1 ? "probable" : "ambiguous",
    binding_candidates: candidates.map((candidate) => ({ ...candidate, reasons })),
  };
}

const bound = (agent: AgentSession, paneId: string): AgentSession => ({
  ...agent,
  association: "confirmed",
  pane_id: paneId,
  target: paneId,
  capabilities: {
    ...agent.capabilities,
    association: "confirmed",
    chat_send: "idle_only",
    decision_reply: "verified_terminal",
  },
  binding_revision: agent.binding_revision + 1,
  revision: agent.revision + 1,
  binding_candidates: [],
});

/** Let go: not made again by itself, and still the one that a person may choose. */
function released(agent: AgentSession, panes: readonly PaneState[]): AgentSession {
  const pane = agent.pane_id === null ? [] : [candidateOf(agent.pane_id, 0, panes)];
  return {
    ...agent,
    ...unbound(agent),
    association: "unavailable",
    revision: agent.revision + 1,
    binding_candidates: pane.map((one) => ({ ...one, reasons: ["A person let it go."] })),
  };
}

const unbound = ({ binding_revision, capabilities }: AgentSession) => ({
  pane_id: null,
  target: null,
  binding_revision: binding_revision + 1,
  capabilities: {
    ...capabilities,
    chat_send: "unavailable" as const,
    decision_reply: "open_terminal" as const,
  },
});

function candidateOf(
  id: string,
  confidence: number,
  panes: readonly PaneState[],
): Omit<BindingCandidate, "reasons"> {
  const pane = panes.find((one) => one.id === id);
  const target = pane?.target ?? id;
  return { id, pane_id: id, target, pane_target: target, label: pane?.name ?? "", confidence };
}
