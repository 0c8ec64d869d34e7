import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { blankOut } from "../../src/cases/case-files.ts";
import { fillerOf, markable, piecesOf } from "../../web/model/blank.ts";

const words = (line: string) =>
  piecesOf(line, [])
    .filter(({ kind }) => kind === "word")
    .map(({ text }) => text);

describe("what can be marked as a whole", () => {
  test.each([
    ["edit to session.ts?", ["edit", "to", "session.ts"]],
    ["Update(/home/dev/acme/src/a.ts)", ["Update", "/home/dev/acme/src/a.ts"]],
    ["cd ~/acme-api; ls ../b.", ["cd", "~/acme-api", "ls", "../b"]],
    ["│ ❯ 1. Yes   │", ["1", "Yes"]],
    [
      "API_KEY=abc123 https://acme.example/x?y=1",
      ["API_KEY=abc123", "https://acme.example/x", "y=1"],
    ],
    ["ana@acme.example --model=opus", ["ana@acme.example", "model=opus"]],
    ["漢字 Größe", ["漢字", "Größe"]],
    ["── … ──", []],
  ])("%s", (line, expected) => {
    expect(words(line)).toEqual(expected);
  });
});

test("every word is offered once", () => {
  expect(markable(["b a", "", "a c"])).toEqual(["a", "b", "c"]);
});

const text = fc.string({
  unit: fc.constantFrom("a", "b", "x", " ", "漢", "é", "🙂", "/", ".", "│"),
});

test("a line is its pieces, in their places", () => {
  fc.assert(
    fc.property(text, fc.array(text, { maxLength: 3 }), (line, blanked) => {
      const pieces = piecesOf(line, blanked);
      expect(pieces.map((piece) => piece.text).join("")).toBe(line);
      for (const { text, start } of pieces) expect(line.startsWith(text, start)).toBeTrue();
    }),
  );
});

test("what is shown as blanked out is what the server blanks out", () => {
  fc.assert(
    fc.property(text, fc.array(text, { maxLength: 3 }), (line, blanked) => {
      const shown = piecesOf(line, blanked).map(({ kind, text }) =>
        kind === "blanked" ? fillerOf(text) : text,
      );
      // The server fills wide characters with wide ones, for the columns' sake.
      expect(shown.join("")).toBe(blankOut(line, blanked).replaceAll("ｘ", "x"));
    }),
  );
});

test("a word that was marked is taken back by itself", () => {
  fc.assert(
    fc.property(text, (line) => {
      for (const word of words(line)) {
        const blanked = piecesOf(line, [word]).filter(({ kind }) => kind === "blanked");
        expect(new Set(blanked.map((piece) => piece.text))).toEqual(new Set([word]));
      }
    }),
  );
});
