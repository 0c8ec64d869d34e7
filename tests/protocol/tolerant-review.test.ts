import { describe, expect, test } from "bun:test";
import { AgentEvent } from "../../src/protocol/agent-replies.ts";
import { readAgentFrame } from "../../src/protocol/tolerant-review.ts";
import { uuid } from "../review/works.ts";

describe("a frame", () => {
  const frame = (value: unknown) => readAgentFrame(JSON.stringify(value));

  test.each([
    { type: "hello", cursor: 7 },
    { type: "ping", cursor: 7 },
    { type: "reset", cursor: 9, reason: "subscriber_lagged" },
    {
      type: "agent_event",
      cursor: 8,
      event: AgentEvent.parse({ kind: "agent_updated", agent_id: uuid(1), revision: 3 }),
    },
  ])("$type is read as it is", (value) => {
    expect(frame(value) as unknown).toEqual({ ok: true, value });
  });

  test("of a newer server is one to ignore, and so is its event", () => {
    expect(frame({ type: "haiku" })).toEqual({ ok: true, value: { type: "unknown" } });
    const event = { kind: "agent_slept", agent_id: "" };
    expect(frame({ type: "agent_event", cursor: 1, event })).toMatchObject({
      ok: true,
      value: { event: { kind: "unknown" } },
    });
  });

  test.each([{ type: "hello" }, { type: "agent_event", cursor: 1 }, 3])("%p is none", (value) => {
    expect(frame(value)).toMatchObject({ ok: false });
  });

  test("that is no JSON is none", () => {
    expect(readAgentFrame("{")).toMatchObject({ ok: false });
  });
});
