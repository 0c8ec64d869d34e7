import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { DiffLine } from "../../src/protocol/changes.ts";
import { markedParts, splitPath, placeRemarks, hunkRows } from "../../web/model/changes.ts";
import { remarksMessage, type Remark } from "../../web/model/drafts.ts";
import { forAll } from "../support/laws.ts";

const line = (
  old: number | null,
  next: number | null,
  text = "",
  marks: DiffLine["marks"] = [],
) => ({
  ...{ old, new: next, text, marks },
});
const remark = (members: Partial<Remark> = {}): Remark => ({
  ...{ id: "a", top: "/t", path: "src/a.ts", side: "new", line: 2, text: "two", words: "Why?" },
  ...members,
});

describe("the shown lines of a file", () => {
  test("have a count of the lines that are left out between hunks", () => {
    const rows = hunkRows([
      { heading: "", lines: [line(1, 1), line(2, null), line(null, 2)] },
      { heading: "f()", lines: [line(10, 10)] },
      { heading: "", lines: [line(11, 11)] },
    ]);
    expect(rows.map((row) => (row.kind === "gap" ? row : row.line.new))).toEqual([
      ...[1, null, 2],
      { kind: "gap", count: 7, heading: "f()" },
      ...[10, 11],
    ]);
  });

  test("have no gap in a deleted file", () => {
    const rows = hunkRows([{ heading: "", lines: [line(1, null), line(2, null)] }]);
    expect(rows.map(({ kind }) => kind)).toEqual(["line", "line"]);
  });

  test("are divided by marks without losing text", () => {
    const places = fc.array(fc.nat(6), { maxLength: 6 });
    forAll([fc.string({ maxLength: 30 }), places], (text, steps) => {
      let at = 0;
      const marks = steps.flatMap((step, i) => {
        const start = at;
        at = Math.min(text.length, at + step);
        return i % 2 === 1 && at > start ? [{ start, length: at - start }] : [];
      });
      const parts = markedParts(line(1, 1, text, marks));
      expect(parts.map((part) => part.text).join("")).toBe(text);
      expect(parts.filter(({ isMarked }) => isMarked)).toHaveLength(marks.length);
    });
  });
});

describe("remarks", () => {
  const file = {
    path: "src/a.ts",
    old_path: null,
    named_only: false,
    hunks: [{ heading: "", lines: [line(2, null, "was"), line(null, 2, "two")] }],
  };

  test("are placed at their line and side, and listed apart where the line has changed", () => {
    const old = remark({ id: "b", side: "old", text: "was" });
    const moved = remark({ id: "c", text: "three" });
    const other = remark({ id: "d", path: "src/b.ts" });
    const { at, astray } = placeRemarks(file, [remark(), old, moved, other]);
    expect([...at].map(([key, found]) => [key, found.map(({ id }) => id)])).toEqual([
      ["new2", ["a"]],
      ["old2", ["b"]],
    ]);
    expect(astray.map(({ id }) => id)).toEqual(["c"]);
  });

  test("carry no control characters and no leading command sign of a file into the message", () => {
    const path = "!echo\nsrc/\x1b[201~a.ts";
    expect(remarksMessage([remark({ path, text: "a\rb\x1b[201~c", words: "No\x07pe\n" })])).toBe(
      "./!echo src/[201~a.ts:2\n> a b[201~c\nNope",
    );
    expect(remarksMessage([remark({ path: ".env" }), remark({ path: "été.ts" })])).toMatch(
      /^\.env:2\n[^]*\n\nété\.ts:2\n/,
    );
  });

  test("carry no @ mention of a file into the message, except in the person's own words", () => {
    const path = "@types/a @b.ts";
    const text = "// see @/home/me/notes.txt, (@b) and `@c`; me@example.com, @ alone, x ＠y";
    expect(remarksMessage([remark({ path, text, words: "as in @src/b.ts" })])).toBe(
      "./＠types/a ＠b.ts:2\n" +
        "> // see ＠/home/me/notes.txt, (＠b) and `＠c`; me@example.com, @ alone, x ＠y\n" +
        "as in @src/b.ts",
    );
    const names = fc.string({ unit: fc.constantFrom("@", "a", " ", "\n", "\t", "(", "/", "\x1b") });
    forAll([names, names], (name, line) => {
      const told = remarksMessage([remark({ path: name, text: line, words: "Why?" })]);
      expect(told).not.toMatch(/(^|[^a])@\S/m);
    });
  });

  test("are sent in the order of the files and lines", () => {
    const lines = [9, 3].map((line) => remark({ path: "a", line }));
    const remarks = [remark({ path: "b" }), ...lines];
    const places = remarksMessage(remarks).match(/^\w+:\d+$/gm);
    expect(places).toEqual(["a:3", "a:9", "b:2"]);
  });
});

test("a path is split into its name and its folder", () => {
  expect(splitPath("src/auth/a.ts")).toEqual({ name: "a.ts", folder: "src/auth" });
  expect(splitPath("a.ts")).toEqual({ name: "a.ts", folder: "" });
});
