import { expect, test } from "bun:test";
import fc from "fast-check";
import { agentOfKey, chatDraftKey, parseChatDraft } from "../../../web/model/chat/draft.ts";

const NOW = 1_900_000_000;

test("a draft that was stored is read as it was", () => {
  const leaving = fc.option(fc.record({ paneId: fc.string(), at: fc.integer() }));
  const draft = fc.record({
    id: fc.string(),
    text: fc.string(),
    leaving,
    savedAt: fc.integer({ min: NOW - 86_400, max: NOW }),
  });
  fc.assert(
    fc.property(draft, (stored) => {
      expect(parseChatDraft(JSON.stringify(stored), NOW)).toEqual(stored);
    }),
  );
});

test("whatever else stands there is no draft", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (stored) => {
      expect(parseChatDraft(stored, NOW)).toBeNull();
    }),
  );
  expect(parseChatDraft(null, NOW)).toBeNull();
});

test("a key belongs to one agent of one server", () => {
  const key = chatDraftKey("chat.", "server.1", "agent");
  expect(agentOfKey("chat.", "server.1", key)).toBe("agent");
  expect(agentOfKey("chat.", "server", key)).not.toBe("agent");
  expect(agentOfKey("chat.", "another", key)).toBeNull();
  expect(agentOfKey("chat.", "server.1", "draft.server.1.agent")).toBeNull();
});
