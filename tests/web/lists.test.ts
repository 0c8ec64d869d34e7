import { expect, test } from "bun:test";
import { filterPanes, SORTS, sortPanes } from "../../web/model/filter.ts";
import type { Pane } from "../../web/model/pane.ts";
import { nextWaiting } from "../../web/model/queue/order.ts";
import { pane } from "../support/pane.ts";

const ids = (panes: readonly Pane[]) => panes.map(({ id }) => id).join(" ");

const session = (label: string): Pane["hierarchy"] => [
  { kind: "session", id: `$${label}`, label, position: null },
];

const PANES: readonly Pane[] = [
  pane({ id: "a", name: "Café", status: "idle", updated: 40, status_since: 40 }),
  pane({ id: "b", name: "pane 10", status: "needs_input", updated: 30, status_since: 30 }),
  pane({ id: "c", name: "pane 9", status: "error", updated: 20, title: "NAÏVE title" }),
  pane({ id: "d", name: "x", status: "needs_input", updated: 10, status_since: 10, starred: true }),
  pane({
    id: "e",
    name: "y",
    status: "working",
    stale: true,
    updated: 5,
    hierarchy: session("Überall"),
  }),
  pane({ id: "f", name: "z", status: "offline", updated: 4, preview: ["last", "straße done"] }),
];

test.each([
  ["cafe", "a"],
  ["CAFÉ", "a"],
  ["naive", "c"],
  ["uber", "e"],
  ["Straße", "f"],
  ["pane 9", "c"],
  ["9 pane", "c"],
  ["pane x", ""],
  ["  ", "a b c d e f"],
])("the words %p are looked for in name, title, labels and preview", (words, found) => {
  expect(ids(filterPanes(PANES, { words, status: null }))).toBe(found);
});

test("a chip keeps the panes that look like it: who cannot be seen is stale, whatever it was", () => {
  const of = (status: Parameters<typeof filterPanes>[1]["status"]) =>
    ids(filterPanes(PANES, { words: "", status }));
  expect([of("needs_input"), of("working"), of("stale"), of("offline")]).toEqual([
    "b d",
    "",
    "e",
    "f",
  ]);
  expect(ids(filterPanes(PANES, { words: "pane", status: "error" }))).toBe("c");
});

test("the sorts of All; stars first only where it is wanted", () => {
  const sorted = Object.fromEntries(
    SORTS.map((sort) => [sort, ids(sortPanes(PANES, sort, false))]),
  );
  expect(sorted["session"]).toBe("a b c d e f");
  expect(sorted["waiting"]?.slice(0, 9)).toBe("d b c a e");
  expect(sorted["changed"]).toBe("a b c d e f");
  expect(sorted["name"]).toBe("a c b d e f");
  expect(ids(sortPanes(PANES, "name", true))).toBe("d a c b e f");
});

test("next and previous go through all that wait, longest first, and around", () => {
  const waiting = ["a", "b", "c"].map((id, i) =>
    pane({ id, status: "needs_input", prompt_since: i }),
  );
  const panes = [pane({ id: "x", status: "idle" }), ...waiting.toReversed()];
  const from = (id: string | null, step: 1 | -1) => nextWaiting(panes, id, step)?.id;
  expect(["a", "b", "c", "x", null].map((id) => from(id, 1))).toEqual(["b", "c", "a", "a", "a"]);
  expect(["a", "b", "c", "x", null].map((id) => from(id, -1))).toEqual(["c", "a", "b", "c", "c"]);
  expect(nextWaiting([pane({ id: "a", status: "needs_input" })], "a")).toBeNull();
  expect(nextWaiting([], null)).toBeNull();
});
