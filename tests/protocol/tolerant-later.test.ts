import { describe, expect, test } from "bun:test";
import { caseDraft } from "../support/fixture-replies.ts";
import { CaseDraft } from "../../src/protocol/explain.ts";
import {
  AgentEvent,
  DecisionList,
  MessageList,
  Timeline,
} from "../../src/protocol/agent-replies.ts";
import {
  AgentSession,
  BindingCandidate,
  ChatMessage,
  type ContextDelta,
  TimelineEvent,
} from "../../src/protocol/agents.ts";
import {
  readAgent,
  readAgentEvent,
  readCaseDraft,
  readDecisions,
  readMessages,
  readTimeline,
} from "../../src/protocol/tolerant-later.ts";
import { fixture } from "../support/fixture.ts";
import { agentOf, decisionOf, NOW, uuid } from "../review/works.ts";

const item = { id: "a", title: "Done" };
const CHANGES: Required<ContextDelta> = {
  completed: [{ ...item, completed_at: NOW }],
  new_blockers: [{ ...item, created_at: NOW, source: "runtime_plan" }],
  resolved_blockers: [{ ...item, created_at: NOW, source: "runtime_task" }],
  decisions_added: [{ ...item, created_at: NOW }],
  decisions_resolved: [{ ...item, created_at: NOW }],
  goal_changed: { from: null, to: "a goal" },
  current_task_changed: { from: "one", to: "two" },
  next_action_changed: { from: "one", to: null },
  lifecycle_changed: { from: "working", to: "error" },
  extraction_health_changed: { from: "ok", to: "degraded:unknown_records" },
};
const EVENT = fixture(TimelineEvent, {
  ...{ id: uuid(5), agent_id: uuid(1), sequence: 4, created_at: NOW, occurred_at: NOW - 3 },
  ...{ delta: CHANGES, type: "completed", title: "Done" },
});
const MESSAGES = fixture(MessageList, {
  messages: [fixture(ChatMessage, { id: uuid(7), agent_id: uuid(1), content: "Hello" })],
  ...{ next_cursor: "more", retained_from: NOW, retained_to: NOW },
});

const agent = agentOf(1, {
  binding_candidates: [
    fixture(BindingCandidate, { id: "c", pane_id: "%1", label: "work", reasons: ["its folder"] }),
  ],
});
const CASES = [
  ["an agent", AgentSession, readAgent, agent],
  ["decisions", DecisionList, readDecisions, { decisions: [decisionOf(1, 1)], next_cursor: null }],
  ["a timeline", Timeline, readTimeline, { events: [EVENT], next_cursor: null }],
  ["messages", MessageList, readMessages, MESSAGES],
  ["an event", AgentEvent, readAgentEvent, { kind: "agent_updated", agent_id: "a", revision: 3 }],
  ["a case", CaseDraft, readCaseDraft, caseDraft()],
] as const;

describe.each(CASES)("the tolerant reading of %s", (_name, schema, read, value) => {
  test("a value of this protocol is read as it is", () => {
    expect(schema.parse(value) as unknown).toEqual(value);
    expect(read(value) as unknown).toEqual(value);
  });

  test("unknown members are kept", () => {
    expect(read({ ...value, later: 1 })).toMatchObject({ later: 1 });
  });

  test("null and a list are malformed", () => {
    expect(read(null)).toBeNull();
    expect(read([])).toBeNull();
  });
});

test('unknown enum values become "unknown"', () => {
  const odd = {
    ...agent,
    lifecycle: "dreaming",
    association: "likely",
    capabilities: { ...agent.capabilities, chat_send: "always", decision_reply: "blind" },
  };
  expect(readAgent(odd)).toMatchObject({
    lifecycle: "unknown",
    association: "unknown",
    capabilities: { chat_send: "unknown", decision_reply: "unknown" },
  });
  const asked = { ...decisionOf(1, 1), status: "pondered", kind: "riddle", review_status: "later" };
  expect(readDecisions({ decisions: [asked], next_cursor: null })).toMatchObject({
    decisions: [{ status: "unknown", kind: "unknown", review_status: "unknown" }],
  });
});

test("an event of an unknown kind is read as unknown, an event without a kind is malformed", () => {
  const reading = readAgentEvent({ kind: "agent_slept", agent_id: "", revision: 1 });
  expect(reading).toMatchObject({ kind: "unknown" });
  for (const value of [{ kind: 1 }, {}, 3]) expect(readAgentEvent(value)).toBeNull();
});

test("a case draft without a member that the person must see is malformed", () => {
  expect(readCaseDraft({ ...caseDraft(), process: null, kind: "agent_z" })).not.toBeNull();
  for (const member of ["draft", "lines", "title", "command", "process"])
    expect(readCaseDraft({ ...caseDraft(), [member]: undefined })).toBeNull();
});
