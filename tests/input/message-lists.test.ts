import { expect, test } from "bun:test";
import { type KeptLists, NO_LISTS, withAdded, withLost } from "../../src/input/message-lists.ts";

const WEEK = 7 * 86_400;
const place = (id: string) => ({ id, identity: `${id} 1`, name: id, agent: "agent_a" });
const add = (kept: KeptLists, pane: string, at: number) =>
  withAdded(kept, place(pane), { id: `${pane} at ${at}`, text: "go on", at });

test("messages of a pane that is lost are told for a week, and not for longer", () => {
  const lost = withLost(add(NO_LISTS, "%1", 100), "%1 1", "gone", 200);
  const told = (at: number) => add(lost, "%2", at).lists.map(({ id }) => id);
  expect(told(200 + WEEK - 1)).toEqual(["%1", "%2"]);
  expect(told(200 + WEEK)).toEqual(["%2"]);
});

test("a pane that is found again has a list of its own beside the one that was lost", () => {
  const lost = withLost(add(NO_LISTS, "%1", 100), "%1 1", "gone", 200);
  const { lists } = add(lost, "%1", 300);
  expect(lists.map(({ lost, messages }) => [lost, messages.length])).toEqual([
    ["gone", 1],
    [null, 1],
  ]);
});
