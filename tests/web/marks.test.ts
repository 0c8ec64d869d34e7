import { expect, test } from "bun:test";
import { makeCards } from "../../src/cards/cards.ts";
import { rank } from "../../src/review/rank.ts";
import { Marks } from "../../web/state/server/marks.ts";
import { NOW, workOf } from "../review/works.ts";
import { apiOf, type Call, serverOf } from "../support/page-server.ts";

test("all cards are marked with the snapshots that are drawn, in one question", async () => {
  const calls: Call[] = [];
  const api = apiOf((call) => {
    calls.push(call);
    return { body: { reviewed: [] } };
  });
  const marks = new Marks(serverOf({ api }));
  const changes = { goal_changed: { from: null, to: "Count the apples" } };
  const groups = rank([workOf(1, { changes }), workOf(2, { changes })]);
  const { cards } = makeCards({ panes: [], groups, now: NOW });
  expect(await marks.mark(cards)).toBe(true);
  const [{ method, path, body } = { method: "", path: "", body: null }] = calls;
  const snapshots = cards.map(({ agent_id, snapshot_id }) => ({ agent_id, snapshot_id }));
  expect([method, path, body]).toEqual(["PUT", "/api/review/all", { snapshots }]);
  expect(cards.map((card) => marks.of(card))).toEqual(["reviewed", "reviewed"]);
  // What came since is not.
  expect(cards.map((card) => marks.of({ ...card, snapshot_id: "later" }))).toEqual([null, null]);
});
