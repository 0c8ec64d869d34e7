import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseProse, sourceOf, type ProsePiece } from "../../../web/model/chat/prose.ts";
import { runs } from "../../support/thorough.ts";

/** Text that is likely to hold what the parser looks for. */
const scraps = fc.constantFrom(
  "`",
  "``",
  "```",
  "````",
  "~~~",
  "\n",
  " ",
  "ts",
  "a_b",
  "http://",
  "https://example.org/a",
  "(https://example.org/a_(b))",
  "javascript:alert(1)",
  "HTTPS://EXAMPLE.ORG",
  "\u202e",
  "\u200b",
  "é",
  "😀",
  ".",
  ")",
  "\r\n",
);
const said = fc.oneof(
  fc.array(scraps, { maxLength: 40 }).map((parts) => parts.join("")),
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
);
const piecesOf = (source: string): readonly ProsePiece[] =>
  parseProse(source).flatMap((block) => (block.kind === "prose" ? block.pieces : []));

test("no character is lost or added", () => {
  fc.assert(
    fc.property(said, (source) => {
      expect(sourceOf(parseProse(source))).toBe(source);
    }),
    { numRuns: runs(2000) },
  );
});

test("a link leads to http or https, says where, and hides nothing", () => {
  fc.assert(
    fc.property(said, (source) => {
      for (const piece of piecesOf(source)) {
        if (piece.kind !== "link") continue;
        expect(["http:", "https:"]).toContain(new URL(piece.href).protocol);
        expect(new URL(piece.text).href).toBe(piece.href);
        expect(piece.text).not.toMatch(/[\s\u200b-\u200f\u202a-\u202e\u2060-\u2069]/);
      }
    }),
    { numRuns: runs(2000) },
  );
});

test.each([
  ["See https://example.org/a.", "https://example.org/a"],
  ["(https://example.org/a)", "https://example.org/a"],
  ["https://example.org/a_(b)", "https://example.org/a_(b)"],
  ["[docs](https://example.org/a), then", "https://example.org/a"],
  ["**https://example.org**", "https://example.org"],
  ["https://example.org/a\u202egpj.exe", "https://example.org/a"],
])("the link of %j ends where it does", (source, expected) => {
  const links = piecesOf(source).filter(({ kind }) => kind === "link");
  expect(links.map(({ text }) => text)).toEqual([expected]);
});

test.each([
  "javascript://example.org",
  "file:///etc/passwd",
  "https://",
  "xhttp://a",
  "data:text/html,a",
])("%s is no link", (source) =>
  expect(piecesOf(source).some(({ kind }) => kind === "link")).toBe(false),
);

test("fenced code is a block of its own, also one that does not end", () => {
  expect(parseProse("Now:\n```ts\nconst a = `b`;\n```\nDone.")).toEqual([
    { kind: "prose", pieces: [{ kind: "text", text: "Now:\n" }] },
    { kind: "code", open: "```ts\n", text: "const a = `b`;\n", close: "```\n" },
    { kind: "prose", pieces: [{ kind: "text", text: "Done." }] },
  ]);
  expect(parseProse("~~~\na\n```\nb")).toEqual([
    { kind: "code", open: "~~~\n", text: "a\n```\nb", close: "" },
  ]);
});

test("code within a line has its marks, and a mark alone is text", () => {
  expect(piecesOf("Use `a b` or ``c``, not ` alone")).toEqual([
    { kind: "text", text: "Use " },
    { kind: "code", text: "a b", mark: "`" },
    { kind: "text", text: " or " },
    { kind: "code", text: "c", mark: "``" },
    { kind: "text", text: ", not ` alone" },
  ]);
});

test("a message of any length is read in time that grows with it", () => {
  const longest = 20_000;
  for (const scrap of ["`", "` ", "```\n", "https://a(", "~~~x\n"]) {
    const source = scrap.repeat(longest / scrap.length);
    expect(sourceOf(parseProse(source))).toBe(source);
  }
});
