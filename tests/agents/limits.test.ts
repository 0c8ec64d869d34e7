import { expect, test } from "bun:test";
import { join } from "node:path";
import type { AgentSession } from "../../src/protocol/agents.ts";
import { CLAUDE_LOG as A, CODEX_LOG as B, line, openLogs, promptLine } from "./support/records.ts";
import { onlySession } from "./support/store.ts";

const recorded = (name: string) =>
  Bun.file(join(import.meta.dir, "../fixtures/limits", `${name}.jsonl`)).text();
const at = (iso: string) => Date.parse(iso) / 1000;
const AT = at("2026-11-23T08:20:30Z");
const event = (payload: object, seconds: number) =>
  line({ timestamp: new Date(seconds * 1000).toISOString(), type: "event_msg", payload });
const META = line({
  timestamp: new Date(AT * 1000).toISOString(),
  type: "session_meta",
  payload: { id: "session-1", cwd: "/home/dev/shop" },
});

async function after(path: string, ...texts: string[]): Promise<AgentSession> {
  await using logs = await openLogs({ now: AT + 1000 });
  await logs.reads(texts.join(""), path);
  return onlySession(logs.store).session;
}

test("a usage limit in Claude Code's log parks the agent until the time in the record", async () => {
  const session = await after(A, promptLine("Go on", AT), await recorded("agent-a"));
  expect(session.lifecycle).toBe("error");
  expect(session.parked).toEqual({ reason: "5-hour limit", until: 1795429243, continues: false });
});

test("a usage limit in the words of older Claude Code logs parks the agent, another API error does not", async () => {
  const words = (text: string) =>
    promptLine(text, AT + 1, {
      type: "assistant",
      isApiErrorMessage: true,
      message: { model: "<synthetic>", content: [{ type: "text", text }] },
    });
  const session = await after(
    A,
    promptLine("Go on", AT),
    words("Claude AI usage limit reached|1795429200"),
  );
  expect(session.parked).toMatchObject({ reason: "usage limit", until: 1795429200 });
  const other = await after(A, promptLine("Go on", AT), words("API Error: 529 Overloaded"));
  expect(other).toMatchObject({ lifecycle: "error", parked: null });
});

test("a usage limit in Codex's log parks the agent until a new turn begins", async () => {
  const limit = await recorded("agent-b");
  const session = await after(B, META, limit);
  expect(session.lifecycle).toBe("error");
  const free = new Date(AT * 1000);
  expect(session.parked?.until).toBe(free.setHours(10, 33, 0, 0) / 1000);
  expect(session.parked?.reason).toBe("usage limit");
  const on = event({ type: "task_started" }, at("2026-11-23T10:40:00Z"));
  expect((await after(B, META, limit, on)).parked).toBeNull();
});

test("a turn that Claude Code wraps up for a limit parks the idle agent until the next prompt", async () => {
  const text = "Approaching your 5-hour usage limit — Claude will wrap up the current step.";
  const note = (content: string) =>
    promptLine("", AT + 1, { type: "system", subtype: "informational", content, level: "notice" });
  const end = promptLine("", AT + 2, { type: "system", subtype: "turn_duration" });
  const session = await after(A, promptLine("Go on", AT), note(text), end);
  expect(session).toMatchObject({ lifecycle: "idle" });
  expect(session.parked).toEqual({ reason: "5-hour limit", until: null, continues: false });
  const next = await after(A, promptLine("Go on", AT), note(text), end, promptLine("So?", AT + 9));
  expect(next.parked).toBeNull();
});

test("the words of a usage limit in a message or in another error park no agent", async () => {
  const notice = "You've hit your 5-hour limit · resets 3pm";
  const reply = promptLine(notice, AT + 1, {
    type: "assistant",
    message: { model: "m", stop_reason: "end_turn", content: [{ type: "text", text: notice }] },
  });
  expect((await after(A, promptLine(notice, AT), reply)).parked).toBeNull();
  const error = { message: notice, codex_error_info: "other" };
  expect((await after(B, META, event({ type: "task_complete", error }, AT + 1))).parked).toBeNull();
});

test("the context percentage comes from Codex's token counts, and is null where the log names no window", async () => {
  const session = await after(B, META, await recorded("agent-b-context"));
  // 225,900 of 258,400 tokens.
  expect(session.context_percent).toBe(87);
  const usage = { input_tokens: 190_000, output_tokens: 60 };
  const reply = promptLine("Read it", AT + 1, {
    type: "assistant",
    message: { model: "claude-opus-5-5", usage, content: [{ type: "text", text: "Read." }] },
  });
  expect((await after(A, promptLine("Read", AT), reply)).context_percent).toBeNull();
});
