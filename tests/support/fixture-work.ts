import { type AgentRequest, UNBOUND, uuidOf } from "../../src/agents/session.ts";
import type { PlanStatus } from "../../src/agents/logs/events.ts";
import { foldEvent, NOTHING_KNOWN, type SessionState } from "../../src/agents/logs/context.ts";
import type { MessageRow } from "../../src/agents/store/message-pages.ts";
import { type AgentLifecycle, ChatMessage, type DecisionItem } from "../../src/protocol/agents.ts";
import { Table } from "../../src/store/table.ts";
import type { memoryStore } from "../agents/support/store.ts";
import { fixture } from "./fixture.ts";
import { NOW } from "./fixture-panes.ts";

const MINUTE = 60;

/** One agent of the fixtures, in the words that its log would have. */
interface Spec {
  title: string;
  runtime: "agent_a" | "agent_b";
  /** Null for a session that no listed pane shows. */
  pane: string | null;
  /** Minutes since its newest record. */
  ago: number;
  goal: string;
  done?: readonly string[];
  blocked?: readonly string[];
  decided?: readonly string[];
  next?: string;
  said?: string;
  ask?: Ask;
  lifecycle?: AgentLifecycle;
  /** A record was too long to be read. */
  isCut?: boolean;
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
    lifecycle: "error",
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
    isCut: true,
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
    lifecycle: "completed",
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
    lifecycle: "working",
  },
  {
    title: "i18n-extract",
    runtime: "agent_b",
    pane: "%23",
    ago: 0.35,
    goal: "Take all strings out of the views",
    done: ["Plural forms for German and Polish", "612 strings, 14 of them new"],
    lifecycle: "working",
    isFirstLook: true,
  },
];

type Memory = ReturnType<typeof memoryStore>;

/** The id of the agent that has this title. */
export function agentId(title: string): string {
  const spec = SPECS.find((one) => one.title === title);
  if (spec === undefined) throw new Error(`no agent ${title}`);
  return uuidOf("session", spec.runtime, nativeIdOf(title));
}

const nativeIdOf = (title: string) => uuidOf("native", title);

/** The store in which the logs of all of them were read. */
export function readAll(memory: Memory): void {
  for (const spec of SPECS) readLog(memory, spec);
}

/** What its log tells, in the order of its times: a person has looked at it in between. */
function readLog({ store, clock, database }: Memory, spec: Spec): void {
  const { title, goal, done = [], blocked = [], decided = [], pane, ask } = spec;
  const at = NOW - spec.ago * MINUTE;
  const id = store.sessions.ensure(spec.runtime, nativeIdOf(title), NOW - 180 * MINUTE);
  const began = spec.isFirstLook ? at - 5 * MINUTE : NOW - 60 * MINUTE;
  const heard = { text: goal, at: began };
  const named = { text: title, chosen: true };
  let state: SessionState = { ...NOTHING_KNOWN, title: named, goal: heard, lastUser: heard };
  /** All at this moment; its plan has come to `count` of its items. */
  const tell = (when: number, count: number, lifecycle: AgentLifecycle, more = () => {}) => {
    clock.now = when;
    const line = (name: string, status: PlanStatus) => ({ id: null, title: name, status });
    const lines = [
      ...done.slice(0, count).map((name) => line(name, "completed")),
      ...blocked.slice(0, Math.max(0, count - done.length)).map((name) => line(name, "blocked")),
      line(goal, "in_progress"),
      ...(spec.next ? [line(spec.next, "pending")] : []),
    ];
    state = foldEvent(state, { kind: "plan", lines, at: when });
    store.write(() => {
      const facts = { ...store.sessions.facts(id), lastAt: when };
      store.sessions.set(id, { state, facts, lag: 0.4, lifecycle });
      more();
    });
  };
  const lifecycle = spec.lifecycle ?? (ask ? "waiting" : "idle");
  const before = lifecycle === "completed" ? "working" : lifecycle;
  tell(began, 0, before, () => {
    const bound = { association: "confirmed", paneId: pane, target: pane, revision: 1 } as const;
    if (pane !== null)
      store.sessions.set(id, {
        binding: { ...UNBOUND, ...bound, incarnation: pane, source: "process" },
      });
    for (const name of decided) {
      store.decisions.ask(id, name, questionOf({ question: name, options: [] }), clock.now);
      change(name, { status: "pending" });
    }
  });
  const first = store.snapshots.latest(id);
  clock.now = NOW - 46 * MINUTE;
  if (first && !spec.isFirstLook) store.mark("review", first);
  const count = done.length + blocked.length;
  for (let n = 1; n <= count; n++) tell(at - (count - n) * MINUTE - 1, n, before);
  if (spec.said) state = { ...state, lastAssistant: { text: spec.said, at } };
  if (spec.isCut) state = { ...state, loss: "before_turn" };
  tell(at, count, lifecycle, () => {
    for (const name of decided) store.decisions.resolve(id, name, null, at);
    if (!ask) return;
    const asked = questionOf(ask);
    store.decisions.ask(id, ask.question, asked, NOW - ask.minutes * MINUTE);
    change(ask.question, { ...shownOf(ask), binding_revision: 1, status: "pending", ...ask.more });
  });
  putMessages(database, id, messagesOf(id, spec, at));

  function change(nativeId: string, members: Partial<DecisionItem>): void {
    const decision = uuidOf("decision", id, nativeId, "0");
    store.decisions.change(decision, ["unverified"], members, clock.now);
  }
}

function questionOf({ question, text = "", options, more }: Omit<Ask, "minutes">): AgentRequest {
  if (more?.kind === "plan_approval") return { kind: "plan_approval", plan: text };
  const offered = options.map(([label, description = ""]) => ({ label, description }));
  const asked = { id: null, header: text, question, options: offered, multiSelect: false };
  return { kind: "question", question: asked, index: 0, count: 1 };
}

/** As its prompt shows it: with options for a plan too, of which one may be recommended. */
function shownOf({ question, options, more }: Ask): Partial<DecisionItem> {
  const shown = options.map(([label, description = ""], index) => {
    const id = String(index + 1);
    return { id, label, description, recommended: more?.recommendation === id };
  });
  return { title: question, options: shown };
}

export function messageOf(
  agent_id: string,
  role: "user" | "assistant",
  content: string,
  at: number,
): ChatMessage {
  return fixture(ChatMessage, {
    ...{ id: uuidOf("message", agent_id, content, String(at)), agent_id, role, content },
    native_event_id: uuidOf("native message", agent_id, content),
    ...{ status: "observed", created_at: at, updated_at: at },
  });
}

/** These are a session's messages, and no others. */
export function putMessages(
  database: Memory["database"],
  agentId: string,
  messages: readonly ChatMessage[],
): void {
  const rows = new Table<MessageRow>(database, "messages");
  database.transaction(() => {
    rows.delete("WHERE agent_id = ?", agentId);
    for (const { native_event_id: native_id, client_message_id: client_id, ...row } of messages)
      rows.insert({ ...row, native_id, client_id, source: "log", generation: "" });
  })();
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
