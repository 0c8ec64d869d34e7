import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  filterPanes,
  groupByHost,
  groupPanes,
  hostOf,
  isAway,
  sortPanes,
} from "../../web/model/filter.ts";
import type { Pane } from "../../web/model/pane.ts";
import { nextWaiting } from "../../web/model/work.ts";
import { markMatches, rankMatch, searchWords } from "../../web/model/search.ts";
import { nextTry } from "../../web/views/hosts/hosts.tsx";
import { nameFor } from "../../web/views/settings/add-host.tsx";
import { fixtureHost } from "../support/fixture-hosts.ts";
import { pane } from "../support/pane.ts";
import { forAll } from "../support/laws.ts";

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
    ...{ id: "e", name: "y", status: "working", stale: true, updated: 5 },
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
])("the words %p are searched in name, title, labels and preview", (words, found) => {
  expect(ids(filterPanes(PANES, { words, status: null }))).toBe(found);
  const failed = ids(filterPanes(PANES, { words, status: "error" }));
  expect(failed).toBe(found.includes("c") ? "c" : "");
});

test.each([
  ["needs_input", "b d"],
  ["working", ""],
  // A pane that cannot be read is stale, whatever its status was.
  ["stale", "e"],
  ["offline", "f"],
] as const)("the filter %s keeps the panes of that appearance", (status, found) => {
  expect(ids(filterPanes(PANES, { words: "", status }))).toBe(found);
});

test.each([
  ["session", "a b c d e f"],
  ["waiting", "d b c a e f"],
  ["changed", "a b c d e f"],
  ["name", "a c b d e f"],
] as const)("the order %s of All has starred panes first only where that is set", (sort, order) => {
  expect(ids(sortPanes(PANES, sort, false))).toBe(order);
  expect(ids(sortPanes(PANES, sort, true))).toBe(`d ${order.replace(/d ?/, "")}`);
});

test("next and previous go through all waiting panes, longest first, and around", () => {
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

const node = (kind: string, id: string, label: string) => ({ kind, id, label, position: null });
const inHerdr = (id: string, workspace: string) =>
  pane({
    id,
    hierarchy: [
      node("session", "session:1", "work"),
      node("workspace", `workspace:${workspace}`, workspace),
      node("tab", "tab:1", "databases"),
      node("pane", `pane:${id}`, "1"),
    ],
  });
const inTmux = (id: string, session: string) =>
  pane({ id, hierarchy: [node("session", `$${session}`, session), node("pane", id, "1")] });

test("panes are grouped by workspace where they have one, else by session", () => {
  const groups = groupPanes([
    inHerdr("h:1", "api"),
    inHerdr("h:2", "docs"),
    inHerdr("h:3", "api"),
    inTmux("%1", "main"),
  ]);
  expect(groups.map(({ label, ids }) => [label, ...ids])).toEqual([
    ["api", "h:1", "h:3"],
    ["docs", "h:2"],
    ["main", "%1"],
  ]);
});

const rank = (query: string, ...texts: string[]) => rankMatch(searchWords(query), texts);

describe("a search", () => {
  test("needs every word, without case and accents, and ranks the start of a name before its middle", () => {
    expect(rank("cafe API", "Café", "api")).not.toBeNull();
    expect(rank("cafe web", "Café", "api")).toBeNull();
    const names = ["migrate", "checkout-migration", "rate-limits"];
    expect(names.map((name) => rank("mi", name, ""))).toEqual([0, 1, 2]);
    expect(rank("mo", "ios-build", "mobile")).toBeGreaterThan(2);
  });

  test("marks its matches in the text as it is written", () => {
    expect(markMatches("checkout-Migration", ["mi"])).toEqual([
      { text: "checkout-", isMatch: false },
      { text: "Mi", isMatch: true },
      { text: "gration", isMatch: false },
    ]);
    expect(markMatches("Café", ["fe"])).toEqual([
      { text: "Ca", isMatch: false },
      { text: "fé", isMatch: true },
    ]);
  });

  test("never changes the text by its marks", () => {
    forAll([fc.string({ unit: "binary" }), fc.string()], (text, query) => {
      const parts = markMatches(text, searchWords(query));
      expect(parts.map((part) => part.text).join("")).toBe(text);
    });
  });
});

const laptop = fixtureHost({ name: "laptop", kind: "local" });
const gpu = fixtureHost({ name: "gpu-1" });
const near = { ...pane(), id: "%1", host: null };
const far = { ...pane(), id: "%1000001", host: "gpu-1" };

test("a pane without a machine's name has the server's own machine, and none while that is alone", () => {
  const of = (...hosts: (typeof gpu)[]) => [near, far].map((one) => hostOf(one, hosts));
  expect(of(laptop, gpu)).toEqual([laptop, gpu]);
  expect(of()).toEqual([null, null]);
  expect(filterPanes([near, far], { words: "gpu", status: null })).toEqual([far]);
});

const empty = fixtureHost({ name: "pi" });
test.each([
  ["in the order of the machines, those without panes left out", [laptop, empty, gpu], [gpu, far]],
  ["at the end where their machine has just left the list", [laptop], [null, far]],
] as const)("panes by machine stand %s", (_, hosts, [host, pane]) => {
  expect(groupByHost([far, near], hosts)).toEqual([
    { host: laptop, panes: [near] },
    { host, panes: [pane] },
  ]);
});

test("panes are one group without other machines", () =>
  expect(groupByHost([near], [])).toEqual([{ host: null, panes: [near] }]));

test.each([
  [{ status: "away" }, true],
  [{ status: "connecting", reason: "timeout" }, true],
  [{ status: "connecting" }, false],
  [{ status: "off" }, false],
] as const)("a machine with %j is away: %p", (members, away) => {
  expect(isAway(fixtureHost({ name: "a", ...members }))).toBe(away);
});

test.each([
  [{ retry_at: 107.2 }, "in 8 s"],
  [{ retry_at: 90 }, "now"],
  [{ retry_at: 380 }, "in 5 min"],
  [{ retry_at: 380, status: "connecting" }, "now"],
  [{ retry_at: null }, "when you ask"],
] as const)("a machine with %j is tried again %s", (members, text) => {
  expect(nextTry(fixtureHost({ name: "a", status: "away", ...members }), 100)).toBe(text);
});

test.each([
  ["gpu-1", "gpu-1"],
  ["me@10.0.0.7", "10-0-0-7"],
  ["ssh://me@Box.example.org:2222", "box-example-org"],
  ["-", ""],
])("the name offered for the destination %s is %s", (destination, name) => {
  expect(nameFor(destination)).toBe(name);
});
