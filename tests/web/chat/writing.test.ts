import { expect, test } from "bun:test";
import { tooMany, writingObstacle, type WritingFacts } from "../../../web/model/chat/writing.ts";
import { agentOf } from "../../review/works.ts";
import { pane } from "../../support/pane.ts";

const READY: WritingFacts = {
  agent: agentOf(1),
  pane: pane(),
  isConnected: true,
  isFresh: true,
  isDoubted: false,
  isBusy: false,
};
const agent = (members: Parameters<typeof agentOf>[1]) => ({ agent: agentOf(1, members) });
const { capabilities } = agentOf(1);

test("a message is counted in characters, as the server counts it", () => {
  expect([tooMany("a".repeat(8000)), tooMany("a".repeat(8003))]).toEqual([0, 3]);
  expect([tooMany("😀".repeat(8000)), tooMany("😀".repeat(8001))]).toEqual([0, 1]);
});

test("a confirmed agent that is idle in an idle pane, freshly seen, can be written to", () => {
  expect(writingObstacle(READY)).toBeNull();
  expect(writingObstacle({ ...READY, pane: pane({ finished_at: 1000 }) })).toBeNull();
});

test.each<[string, Partial<WritingFacts>]>([
  ["in_doubt", { isDoubted: true, isConnected: false }],
  ["no_connection", { isConnected: false, isFresh: false }],
  ["not_updated", { isFresh: false }],
  ["not_running", agent({ lifecycle: "offline", association: "unavailable", pane_id: null })],
  ["no_pane", agent({ association: "probable" })],
  ["no_pane", agent({ association: "ambiguous", pane_id: null })],
  ["no_pane", agent({ pane_id: null })],
  ["unreadable", { pane: null }],
  ["unreadable", { pane: pane({ stale: true }) }],
  ["unreadable", { pane: pane({ status: "offline" }) }],
  ["asks", { pane: pane({ status: "needs_input" }) }],
  ["asks", agent({ lifecycle: "waiting" })],
  ["failed", { pane: pane({ status: "error" }) }],
  ["failed", agent({ lifecycle: "error" })],
  ["working", { pane: pane({ status: "working" }) }],
  ["working", agent({ lifecycle: "working" })],
  ["takes_none", agent({ capabilities: { ...capabilities, chat_send: "unavailable" } })],
  ["takes_none", agent({ lifecycle: "observing" })],
  ["takes_none", { pane: pane({ actionable: false }) }],
  [
    "takes_none",
    {
      pane: pane({
        provider: "wsp",
        capabilities: { ...pane().capabilities, literal_text: false },
      }),
    },
  ],
  ["busy", { isBusy: true }],
])("else not, and it is said why: %s %#", (expected, facts) => {
  expect(writingObstacle({ ...READY, ...facts })).toBe(expected as never);
});
