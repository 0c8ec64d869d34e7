import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { freeName, MAX_NAME_CHARS, nameFrom, placeFor } from "../../src/creation/plan.ts";
import { CreatedName } from "../../src/protocol/creation.ts";
import { forAll } from "../support/laws.ts";

describe("nameFrom", () => {
  test.each([
    ["/srv/My Project", "my-project"],
    ["/srv/Café Zürich", "cafe-zurich"],
    ["/srv/ﬁle", "file"],
    ["/srv/.config", "config"],
    ["/srv/a__b--c", "a__b--c"],
    ["/srv/日本", "session"],
    ["/", "session"],
    ["/srv/-…-", "session"],
    [`/srv/${"x".repeat(80)}`, "x".repeat(64)],
  ])("%s is %s", (directory, name) => expect(nameFrom(directory, "session")).toBe(name));

  test("nameFrom gives a valid name for any directory", () => {
    forAll([fc.string({ unit: "binary", maxLength: 200 })], (text) => {
      expect(CreatedName.safeParse(nameFrom(`/srv/${text}`, "window")).success).toBe(true);
    });
  });
});

describe("freeName", () => {
  const name = fc.stringMatching(/^[a-z0-9_-]{1,64}$/);
  test("freeName never repeats, stays valid and counts suffixes up", () => {
    forAll([name, fc.integer({ min: 1, max: 30 })], (base, count) => {
      const taken = new Set<string>();
      for (let index = 1; index <= count; index += 1) {
        const free = freeName(base, taken);
        expect(taken.has(free)).toBe(false);
        expect(CreatedName.safeParse(free).success).toBe(true);
        expect(free.endsWith(index === 1 ? base : `-${index}`)).toBe(true);
        taken.add(free);
      }
    });
  });

  test("freeName cuts the base, not the suffix", () => {
    const base = "x".repeat(MAX_NAME_CHARS);
    expect(freeName(base, new Set([base]))).toBe(`${"x".repeat(62)}-2`);
  });
});

const sessions = [
  { id: "$1", name: "work", windows: new Set(["api"]) },
  { id: "$2", name: "work-2", windows: new Set<string>() },
];
const session = { type: "session", cwd: "/srv/work", runtime: "shell", name: null } as const;
const window = { ...session, type: "window", parent_session: "work" } as const;
const pane = {
  type: "pane",
  parent_pane_id: "%4",
  cwd: "/srv",
  runtime: "shell",
  split: "stacked",
  size_percent: 30,
} as const;

describe("placeFor", () => {
  const place = (request: Parameters<typeof placeFor>[0]) =>
    placeFor(request, request.cwd, { sessions, panes: new Set(["%4"]) });

  test("an automatic name avoids the names of its own level", () => {
    expect(place(session)).toEqual({ type: "session", name: "work-3" });
    expect(place(window)).toEqual({ type: "window", sessionId: "$1", name: "work" });
    expect(place({ ...window, cwd: "/srv/api" })).toMatchObject({ name: "api-2" });
  });

  test("a chosen name in use is refused, not changed", () => {
    expect(() => place({ ...session, name: "work" })).toThrow("the name is in use");
    expect(() => place({ ...window, name: "api" })).toThrow("the name is in use");
    expect(place({ ...window, parent_session: "work-2", name: "api" })).toMatchObject({
      sessionId: "$2",
      name: "api",
    });
  });

  test.each(["wor", "work*", "=work", "$1", "WORK", ""])("%p addresses no session", (parent) =>
    expect(() => place({ ...window, parent_session: parent })).toThrow(
      "the parent no longer exists",
    ),
  );

  test("a pane is refused if its parent does not exist", () => {
    expect(place(pane)).toEqual({ type: "pane", paneId: "%4", split: "stacked", sizePercent: 30 });
    expect(() => place({ ...pane, parent_pane_id: "%5" })).toThrow("the parent no longer exists");
  });
});
