import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { filterPanes, groupPanes, sortPanes } from "../../web/model/filter.ts";
import { SORTS } from "../../web/state/browser/preferences.ts";
import { groupByHost, hostOf, isAway, nameFor, secondsUntilRetry } from "../../web/model/hosts.ts";
import type { Pane } from "../../web/model/pane.ts";
import { nextWaiting } from "../../web/model/work.ts";
import { markMatches, rankMatch, searchWords } from "../../web/model/search.ts";
import { triesText } from "../../web/views/hosts/hosts.tsx";
import { fixtureHost } from "../support/fixture-hosts.ts";
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

test("panes stand by workspace where there are any, else by session", () => {
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

describe("search", () => {
  test("every word must be found somewhere, without case and accents", () => {
    expect(rank("cafe API", "Café", "api")).not.toBeNull();
    expect(rank("cafe web", "Café", "api")).toBeNull();
  });

  test("the start of the name beats its middle, which beats the place", () => {
    const [start, part, middle, place] = [
      rank("mi", "migrate", ""),
      rank("mi", "checkout-migration", ""),
      rank("mi", "rate-limits", ""),
      rank("mi", "ios-build", "mobile"),
    ];
    // "mobile" has no "mi": not found at all.
    expect(place).toBeNull();
    expect(rank("mo", "ios-build", "mobile")).toBeGreaterThan(middle ?? 0);
    expect([start, part, middle]).toEqual([0, 1, 2]);
  });

  test("what was found is marked in the text as it is written", () => {
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

  test("marking never changes the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (text, query) => {
        const parts = markMatches(text, searchWords(query));
        expect(parts.map((part) => part.text).join("")).toBe(text);
      }),
    );
  });
});

const laptop = fixtureHost({ name: "laptop", kind: "local" });
const gpu = fixtureHost({ name: "gpu-1" });
const near = { ...pane(), id: "%1", host: null };
const far = { ...pane(), id: "%1000001", host: "gpu-1" };

describe("the machine of a pane", () => {
  test("is the server's own where the pane names none", () => {
    expect(hostOf(near, [laptop, gpu])).toBe(laptop);
    expect(hostOf(far, [laptop, gpu])).toBe(gpu);
  });

  test("is none while one machine is alone, whatever panes still say", () => {
    expect(hostOf(near, [])).toBeNull();
    expect(hostOf(far, [])).toBeNull();
  });

  test("is found by the words of a search", () => {
    expect(filterPanes([near, far], { words: "gpu", status: null })).toEqual([far]);
  });
});

describe("panes by machine", () => {
  test("follow the order of the machines, those without panes left out", () => {
    const empty = fixtureHost({ name: "pi" });
    expect(groupByHost([far, near], [laptop, empty, gpu])).toEqual([
      { host: laptop, panes: [near] },
      { host: gpu, panes: [far] },
    ]);
  });

  test("are one list while a machine is alone", () => {
    expect(groupByHost([near], [])).toEqual([{ host: null, panes: [near] }]);
  });

  test("of a machine that has just left the list stay at its end", () => {
    expect(groupByHost([far, near], [laptop])).toEqual([
      { host: laptop, panes: [near] },
      { host: null, panes: [far] },
    ]);
  });
});

describe("a machine is away", () => {
  test("also while it is tried again, and not when it is first connected to", () => {
    expect(isAway(fixtureHost({ name: "a", status: "away" }))).toBe(true);
    expect(isAway(fixtureHost({ name: "a", status: "connecting", reason: "timeout" }))).toBe(true);
    expect(isAway(fixtureHost({ name: "a", status: "connecting" }))).toBe(false);
    expect(isAway(fixtureHost({ name: "a", status: "off" }))).toBe(false);
  });

  test("until it is tried again, or somebody asks", () => {
    expect(secondsUntilRetry(fixtureHost({ name: "a", retry_at: 108 }), 100)).toBe(8);
    expect(secondsUntilRetry(fixtureHost({ name: "a", retry_at: 90 }), 100)).toBe(0);
    expect(secondsUntilRetry(fixtureHost({ name: "a" }), 100)).toBeNull();
    expect(triesText(7.2)).toBe("Tried again in 8 s.");
    expect(triesText(0)).toBe("Tried again now.");
    expect(triesText(280)).toBe("Tried again in 5 min.");
    expect(triesText(null)).toBe("It is not tried again by itself.");
  });
});

test.each([
  ["gpu-1", "gpu-1"],
  ["me@10.0.0.7", "10-0-0-7"],
  ["ssh://me@Box.example.org:2222", "box-example-org"],
  ["-", ""],
])("%s is called %s here", (destination, name) => {
  expect(nameFor(destination)).toBe(name);
});
