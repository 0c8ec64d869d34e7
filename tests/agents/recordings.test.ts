import { describe, expect, test } from "bun:test";
import type { AgentStore } from "../../src/agents/store/store.ts";
import { EVERYTHING } from "./support/messages.ts";
import {
  type ExpectedMessage,
  type ExpectedSession,
  RECORDINGS,
  Replay,
} from "./support/recordings.ts";
import { allSessions, decisionNamed, memoryStore, sessionNamed } from "./support/store.ts";

/**
 * The log has the turn's end at this mark. The recorded state is what the process still reported for
 * a moment; a mark with the same records elsewhere says idle.
 */
const ENDED_MARKS = new Set(["shell-and-slash hello"]);

const LIFECYCLE: Readonly<Record<string, string>> = { ended: "completed" };

/** Without the escape sequences and control bytes that the recordings have. */
function plainText(text: string): string {
  const plain = text.replace(/\u001b\[\d+m/g, "").replace(/[\u0001\u0002\u0007]/g, "");
  return plain.length > 20_000 ? `${plain.slice(0, 19_999)}…` : plain;
}

function isMessage(message: ExpectedMessage, isFinal: boolean): boolean {
  if (message.in_log !== true || message.optional || message.copied) return false;
  return !(isFinal && message.abandoned_branch);
}

function expectSession(
  store: AgentStore,
  runtime: string,
  expected: ExpectedSession,
  hasGrown = true,
): void {
  const contract = runtime === "agent-a" ? "agent_a" : "agent_b";
  const known = sessionNamed(store, contract, expected.id);
  if (known === null) throw new Error(`session ${expected.id} was not found`);
  const { session, facts, logLifecycle } = known;
  const messages = store.messages.page(session.id, EVERYTHING).messages;
  expect(messages.map(({ role, content }) => ({ role, content }))).toEqual(
    expected.messages
      .filter((message) => isMessage(message, true))
      .map(({ role, text }) => ({ role, content: plainText(text) })),
  );
  expect(facts.cwd).toBe(expected.cwd);
  expect(session.context.goal).toBe(expected.goal);
  // Without new bytes the log cannot tell what its process did since.
  if (hasGrown)
    expect<string>(logLifecycle).toBe(LIFECYCLE[expected.log_only] ?? expected.log_only);
  expectPlan(session.context, expected);
  expectDecisions(store, session.id, expected);
}

function expectPlan(
  context: { progress: unknown; completed_items: { title: string }[] },
  { todo }: ExpectedSession,
): void {
  if (todo === null) {
    expect(context.progress).toBeNull();
    return;
  }
  expect(context.progress).toMatchObject({ total: todo.total, completed: todo.completed });
  expect(context.completed_items.map(({ title }) => title).sort()).toEqual(
    todo.items
      .filter(({ status }) => status === "completed")
      .map(({ text }) => text)
      .sort(),
  );
}

function expectDecisions(store: AgentStore, agentId: string, expected: ExpectedSession): void {
  // A plan that Codex asks about after its turn has no id in the log, and is no decision.
  const asked = expected.decisions.filter(({ native_id }) => native_id !== undefined);
  const live = store.decisions.live(agentId);
  const open = asked.filter(({ status }) => status === "pending");
  expect(live.map(({ decision }) => decision.title)).toEqual(
    open.map(({ question }) => question ?? "Plan waits for approval"),
  );
  for (const { decision, request: words } of live) {
    const same = open.find(({ question }) => question === decision.title);
    if (words.kind !== "question") continue;
    expect(words.question.options).toEqual(same?.options ?? []);
    expect(decision.multi_select).toBe(same?.multi_select ?? false);
  }
  for (const each of asked.filter(({ status }) => status === "resolved")) {
    const found = decisionNamed(store, agentId, each.native_id ?? "", each.index ?? 0);
    expect(found?.status).toBe("resolved");
    const labels = each.resolution?.labels ?? [];
    const chosen = found?.options.find(({ id }) => id === found?.selected_option_id);
    expect(chosen?.label ?? null).toBe(labels.length === 1 ? (labels[0] ?? null) : null);
  }
}

for (const recording of RECORDINGS) {
  describe(`${recording.runtime}/${recording.name}`, () => {
    test("gives the recorded messages, goal, plan and decisions at each mark and at the end", async () => {
      const { store } = memoryStore();
      await using replay = await Replay.create(store);
      let before = "";
      for (const mark of recording.marks) {
        const isEnded = ENDED_MARKS.has(`${recording.name} ${mark.name}`);
        const hasGrown = before !== JSON.stringify(mark.sizes) && !isEnded;
        before = JSON.stringify(mark.sizes);
        await replay.grow(recording, mark.sizes);
        await replay.read();
        for (const expected of Object.values(mark.sessions)) {
          expectSession(store, recording.runtime, expected, hasGrown);
        }
      }
      const whole = [...recording.files].map(([path, bytes]) => [path, bytes.length]);
      await replay.grow(recording, Object.fromEntries(whole));
      await replay.read();
      for (const expected of Object.values(recording.final)) {
        expectSession(store, recording.runtime, expected);
      }
      const known = allSessions(store).map(({ session }) => session.native_session_id);
      const expectedIds = Object.values(recording.sessions).map(({ id }) => id);
      // A session just begun by /clear is there as well, without messages.
      expect(expectedIds.filter((id) => !known.includes(id))).toEqual([]);
    });
  });
}
