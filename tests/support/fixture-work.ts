import { createHash } from "node:crypto";
import { deltaOf } from "../../src/agents/store/timeline.ts";
import {
  type AgentContext,
  AgentSession,
  ChatMessage,
  type ContextDelta,
  DecisionItem,
  type Step,
  type TimelineEvent,
} from "../../src/protocol/agents.ts";
import type { ReviewWork } from "../../src/review/rank.ts";
import { fixture } from "./fixture.ts";
import { NOW } from "./fixture-panes.ts";

const MINUTE = 60;

/** The same id for the same words, in every run. */
export function idOf(...words: string[]): string {
  const hex = createHash("sha256").update(words.join("\0")).digest("hex");
  const [a, b, c, d] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(13, 16), hex.slice(17, 20)];
  return `${a}-${b}-4${c}-8${d}-${hex.slice(20, 32)}`;
}

/** One agent of the fixtures, in the words that its log would have. */
interface Spec {
  title: string;
  runtime: "agent_a" | "agent_b";
  /** Null for a session that no listed pane shows. */
  pane: string | null;
  /** Minutes since its newest snapshot. */
  ago: number;
  goal: string;
  done?: readonly string[];
  blocked?: readonly string[];
  decided?: readonly string[];
  next?: string;
  now?: string;
  said?: string;
  ask?: Ask;
  agent?: Partial<AgentSession>;
  isFirstLook?: boolean;
}

interface Ask {
  minutes: number;
  question: string;
  text?: string;
  options: readonly (readonly [label: string, description?: string])[];
  more?: Partial<DecisionItem>;
}

const SPECS: readonly Spec[] = [
  {
    title: "checkout-migration",
    runtime: "agent_b",
    pane: "%21",
    ago: 21,
    goal: "Move orders to one currency column without a break in checkout",
    blocked: ["ALTER TABLE needs an exclusive lock on orders"],
    done: ["Backfill of orders.currency, tried on a copy: 12.4 M rows in 4 min"],
    said: "Everything but the last step can run while people buy.",
    ask: {
      minutes: 21,
      question: "The last step locks orders for about 40\u00a0s. When should it run?",
      options: [
        ["Tonight at 02:00", "Writes queue for about a minute. The release waits until tomorrow."],
        ["Now", "Checkout fails for about 40 seconds."],
        ["Split it into two deploys", "No lock. Adds one release and a double write in between."],
      ],
      more: { priority: "high", recommendation: "1" },
    },
  },
  {
    title: "invoice-export",
    runtime: "agent_a",
    pane: null,
    ago: 8,
    goal: "Export invoices as PDF and CSV",
    done: ["PDF totals match the ledger to the cent"],
    agent: { lifecycle: "error" },
  },
  {
    title: "list-endpoints",
    runtime: "agent_a",
    pane: "%15",
    ago: 6,
    goal: "Write the spec of the list endpoints",
    decided: ["Errors follow RFC 9457"],
    said: "Lists are the last open point of the spec. /orders already has two callers that page by offset, everything else is new.",
    ask: {
      minutes: 6,
      question: "Which pagination should the list endpoints use?",
      options: [
        ["Cursor", "Opaque cursor. Stable while rows are inserted, no total count."],
        ["Offset and limit", "Simple to read. Pages shift while rows are inserted."],
        ["Keyset on created_at", "Fast on large tables. Needs a unique tiebreaker column."],
      ],
      more: { recommendation: "1" },
    },
  },
  {
    title: "session-rotation",
    runtime: "agent_a",
    pane: "%12",
    ago: 3,
    goal: "Rotate session tokens per device class and log every rotation",
    done: ["Session table has a device column"],
    ask: {
      minutes: 3,
      question: "Approve this plan?",
      text: "1. Write an audit row in rotate().\n2. Move the TTL table to config.\n3. Migrate sessions that have no device to “web”.\n4. Delete the old nightly sweep and its alarm.",
      options: [["Yes, and auto-accept edits"], ["Yes, and manually approve edits"]],
      more: { kind: "plan_approval" },
    },
  },
  {
    title: "stock-sync",
    runtime: "agent_b",
    pane: "%22",
    ago: 2,
    goal: "Read the feed of warehouse 3",
    done: ["Feed parser for warehouse 3"],
    ask: {
      minutes: 2,
      question: "Warehouse 3 reports negative stock for 41 articles. What should the sync do?",
      options: [["Clamp to zero and log"], ["Keep the number"], ["Stop the sync"]],
    },
    agent: { extraction_health: "degraded:oversized_line_discarded" },
  },
  {
    title: "rate-limits",
    runtime: "agent_a",
    pane: "%16",
    ago: 12,
    goal: "A limit for each API key",
    blocked: ["The staging proxy strips the client address"],
    done: ["429 carries Retry-After", "Token bucket per API key"],
  },
  {
    title: "price-rounding",
    runtime: "agent_a",
    pane: "%35",
    ago: 8,
    goal: "Round cart totals as the till does",
    ask: {
      minutes: 8,
      question: "How should cart totals be rounded?",
      options: [["Half up"], ["Half to even"]],
      more: { status: "unknown", review_status: "terminal_required" },
    },
  },
  {
    title: "css-audit",
    runtime: "agent_b",
    pane: "%24",
    ago: 43,
    goal: "Remove styles that nothing uses",
    done: ["1,204 unused rules removed"],
    agent: { lifecycle: "completed" },
  },
  {
    title: "query-planner",
    runtime: "agent_a",
    pane: "%14",
    ago: 2,
    goal: "Reports under a second",
    done: [
      "Old planner hints removed",
      "Plan of /reports/daily uses the index",
      "Bench repeats within 3 %",
      "Index on orders (shop_id, placed_at)",
    ],
    next: "The same for /reports/weekly, which still scans.",
    said: "The index alone brings most of it. I left the hint for the weekly report in place, because its plan flips without it.",
    agent: { lifecycle: "working" },
  },
  {
    title: "i18n-extract",
    runtime: "agent_b",
    pane: "%23",
    ago: 0.35,
    goal: "Take all strings out of the views",
    done: ["Plural forms for German and Polish", "612 strings, 14 of them new"],
    agent: { lifecycle: "working" },
    isFirstLook: true,
  },
];

/** All that a fixture server knows of one agent. */
export interface FixtureAgent {
  work: ReviewWork;
  messages: ChatMessage[];
  events: TimelineEvent[];
  /** Oldest first. */
  steps: Step[];
}

export function fixtureAgents(): FixtureAgent[] {
  return SPECS.map(agentOf);
}

function agentOf(spec: Spec): FixtureAgent {
  const id = idOf("agent", spec.title);
  const at = NOW - spec.ago * MINUTE;
  const decisions = spec.ask ? [decisionOf(id, spec)] : [];
  const agent = sessionOf(id, spec, at, decisions.length);
  const changes = deltaOf(contextBefore(agent.context, spec, at), agent.context);
  const reviewedAt = NOW - 46 * MINUTE;
  return {
    work: {
      agent,
      current: { id: idOf("snapshot", id, "9"), sequence: 9, at },
      baseline: spec.isFirstLook
        ? null
        : { id: idOf("reviewed", id), sequence: 4, at: reviewedAt, markedAt: reviewedAt },
      changes,
      historyTruncated: false,
      firstUnreviewedAt: at - 5 * MINUTE,
      decisions,
    },
    messages: messagesOf(id, spec, at),
    events: eventsOf(agent, changes, spec, at),
    steps: [],
  };
}

/** One after another, a minute each, up to then. */
const itemsOf = (kind: string, titles: readonly string[] = [], end: number) =>
  titles.map((title, index) => ({
    id: idOf(kind, title),
    title,
    at: end - (titles.length - index) * MINUTE,
  }));

/** As it was when somebody had reviewed it: before all that is told of it. */
function contextBefore(context: AgentContext, spec: Spec, at: number): AgentContext {
  const decided = itemsOf("decided", spec.decided, at);
  return {
    ...context,
    ...{ completed_items: [], blockers: [] },
    lifecycle: context.lifecycle === "completed" ? "working" : context.lifecycle,
    decisions: decided.map(({ at: created_at, ...item }) => ({ ...item, created_at })),
  };
}

function sessionOf(id: string, spec: Spec, at: number, open: number): AgentSession {
  const done = itemsOf("done", spec.done, at);
  const blocked = itemsOf("blocked", spec.blocked, at);
  const lifecycle = spec.agent?.lifecycle ?? (open > 0 ? "waiting" : "idle");
  const isBound = spec.pane !== null;
  const total = done.length + (spec.next ? 2 : 1);
  const percent = Math.round((100 * done.length) / total);
  const association = isBound ? "confirmed" : "unavailable";
  const shared = {
    ...{ runtime: spec.runtime, lifecycle, revision: 9, extraction_health: "ok" },
  } as const;
  const made = fixture(AgentSession, {
    ...shared,
    ...{ id, native_session_id: idOf("native", id), title: spec.title, association },
    ...{ pane_id: spec.pane, target: spec.pane, binding_revision: 1 },
    capabilities: {
      ...{ association, runtime: spec.runtime, parser_version: 1, observed_lag: 0.4 },
      chat_send: isBound ? "idle_only" : "unavailable",
      decision_reply: isBound ? "verified_terminal" : "open_terminal",
    },
    ...{ last_event_at: at, created_at: NOW - 180 * MINUTE, updated_at: at },
    context: {
      ...shared,
      ...{ session_id: id, goal: spec.goal, current_task: spec.now ?? spec.goal },
      progress_summary: spec.said ?? null,
      completed_items: done.map(({ at: completed_at, ...item }) => ({ ...item, completed_at })),
      blockers: blocked.map(({ at: created_at, ...item }) => ({
        ...{ ...item, created_at, source: "runtime_plan" as const },
      })),
      next_action: spec.next ?? null,
      progress: { completed: done.length, total, percent, source: "runtime_plan" },
      last_updated: at,
      provenance: {
        goal: "visible_user_message",
        progress_summary: "visible_assistant_message",
        next_action: "runtime_plan",
      },
    },
    pending_decisions_count: open,
  });
  return { ...made, ...spec.agent };
}

function decisionOf(agentId: string, { title, ask }: Spec): DecisionItem {
  if (!ask) throw new Error(`${title} asks nothing`);
  const at = NOW - ask.minutes * MINUTE;
  const made = fixture(DecisionItem, {
    ...{
      id: idOf("decision", agentId),
      agent_id: agentId,
      native_event_id: idOf("event", agentId),
    },
    ...{ title: ask.question, description: ask.text ?? "", priority: "normal", status: "pending" },
    options: ask.options.map(([label, description = ""], index) => ({
      id: String(index + 1),
      label,
      description,
      recommended: ask.more?.recommendation === String(index + 1),
    })),
    options_fingerprint: createHash("sha256").update(ask.question).digest("hex"),
    prompt_fingerprint: `sha256:${createHash("sha256").update(agentId).digest("hex")}`,
    ...{ revision: 2, binding_revision: 1, created_at: at, updated_at: at },
  });
  return { ...made, ...ask.more };
}

export function messageOf(
  agent_id: string,
  role: "user" | "assistant",
  content: string,
  at: number,
): ChatMessage {
  return fixture(ChatMessage, {
    ...{ id: idOf("message", agent_id, content, String(at)), agent_id, role, content },
    native_event_id: idOf("native message", agent_id, content),
    ...{ status: "observed", created_at: at, updated_at: at },
  });
}

function messagesOf(id: string, spec: Spec, at: number): ChatMessage[] {
  return [
    messageOf(id, "user", `${spec.goal}.`, NOW - 60 * MINUTE),
    messageOf(id, "assistant", "I will look at what there is first.", NOW - 59 * MINUTE),
    ...(spec.done ?? []).map((text, index) =>
      messageOf(id, "assistant", `${text}.`, at - (9 - index) * MINUTE),
    ),
    ...(spec.said ? [messageOf(id, "assistant", spec.said, at)] : []),
  ];
}

function eventsOf(
  agent: AgentSession,
  changes: ContextDelta,
  spec: Spec,
  at: number,
): TimelineEvent[] {
  const event = (
    sequence: number,
    type: TimelineEvent["type"],
    title: string,
    when: number,
    delta: ContextDelta,
  ): TimelineEvent => ({
    id: idOf("snapshot", agent.id, String(sequence)),
    agent_id: agent.id,
    sequence,
    created_at: when,
    occurred_at: when,
    delta,
    context: agent.context,
    type,
    title,
  });
  const completed = changes.completed ?? [];
  return [
    event(1, "context", spec.goal, NOW - 60 * MINUTE, {
      goal_changed: { from: null, to: spec.goal },
    }),
    ...completed.map((item, index) =>
      event(2 + index, "completed", item.title, item.completed_at, { completed: [item] }),
    ),
    ...(changes.new_blockers ?? []).map((item) =>
      event(8, "blocker", item.title, item.created_at, { new_blockers: [item] }),
    ),
    event(9, spec.ask ? "decision" : "activity", spec.ask?.question ?? spec.goal, at, {}),
  ].toReversed();
}
