import { expect, test } from "bun:test";
import {
  type BindingResult,
  boundBinding,
  nextBinding,
  NO_MATCH,
  releasedBinding,
} from "../../src/agents/binding/binding.ts";
import { UNBOUND } from "../../src/agents/known.ts";
import { candidatePane } from "./support/candidates.ts";

const pane = candidatePane("%1", []);
const confirmed: BindingResult = { ...NO_MATCH, association: "confirmed", pane, source: "screen" };
const next = (before: typeof UNBOUND, match: BindingResult) =>
  nextBinding("s", before, match, ({ target }) => target);

test("the revision counts association, pane, process and source, and nothing else", () => {
  const first = next(UNBOUND, confirmed);
  expect([first.revision, first.paneId]).toEqual([1, "%1"]);
  expect(next(first, confirmed)).toBe(first);
  const moved = next(first, { ...confirmed, pane: { ...pane, target: "other:1.0" } });
  expect([moved.revision, moved.target]).toEqual([1, "other:1.0"]);
  expect(next(first, { ...confirmed, source: "process" }).revision).toBe(2);
  expect(next(first, { ...confirmed, pane: { ...pane, incarnation: "%1 2" } }).revision).toBe(2);
  expect(next(first, NO_MATCH)).toMatchObject({
    revision: 2,
    paneId: null,
    association: "unavailable",
  });
});

test("candidates come and go without a revision", () => {
  const candidates = [{ pane, confidence: 0.6, reasons: ["The same folder."] }];
  const probable: BindingResult = { ...NO_MATCH, association: "probable", candidates };
  const first = next(UNBOUND, probable);
  expect(first.candidates[0]).toMatchObject({ pane_id: "%1", label: "work:%1", confidence: 0.6 });
  const second = next(first, { ...probable, candidates: [] });
  expect([second.revision, second.candidates]).toEqual([1, []]);
});

test("what a person said is kept with the incarnation that it speaks of, whatever holds now", () => {
  const bound = boundBinding("a", UNBOUND, pane);
  expect(bound.hand).toEqual({ incarnation: "%1 1", kind: "bound" });
  const released = releasedBinding(bound);
  expect(released.hand).toEqual({ incarnation: "%1 1", kind: "released" });
  expect(released).toMatchObject({ revision: 2, paneId: null, association: "unavailable" });
  const kept = next(released, { ...NO_MATCH, source: "released" });
  expect([kept.incarnation, kept.hand, kept.revision]).toEqual(["%1 1", released.hand, 2]);
  // The program is out of sight for a while.
  const away = next(bound, NO_MATCH);
  expect([away.hand, away.source, away.revision]).toEqual([bound.hand, null, 2]);
});
