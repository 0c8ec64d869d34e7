import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import fc from "fast-check";
import { MAX_LINE_CHARS, parseScreen, renderScreen } from "../../src/detect/ansi.ts";
import { readScreens } from "../support/screens.ts";
import { forAll } from "../support/laws.ts";

const texts = (capture: string) => parseScreen(capture).lines.map((line) => line.text);

test("lines are right-trimmed and trailing blank lines are dropped", () => {
  expect(texts("one  \n\n  two\u00a0\n   \n\n")).toEqual(["one", "", "  two"]);
});

test("attributes become runs and leave the text plain", () => {
  const [line] = parseScreen("a \x1b[1;31mred\x1b[0m b\n").lines;
  expect(line?.text).toBe("a red b");
  expect(line?.runs).toEqual([{ start: 2, length: 3, style: { bold: true, fg: 1 } }]);
});

test("a style carries on to the next line until it is reset", () => {
  const lines = parseScreen("\x1b[38;5;246mone\ntwo\x1b[39m three\n").lines;
  expect(lines[0]?.runs).toEqual([{ start: 0, length: 3, style: { fg: 246 } }]);
  expect(lines[1]?.runs).toEqual([{ start: 0, length: 3, style: { fg: 246 } }]);
});

test.each([
  ["16 colours", "\x1b[94;103m", { fg: 12, bg: 11 }],
  ["256 colours", "\x1b[38;5;174;48;5;16m", { fg: 174, bg: 16 }],
  ["direct colours", "\x1b[38;2;1;2;255m", { fg: "#0102ff" }],
  ["colon form", "\x1b[48:2::10:20:30m", { bg: "#0a141e" }],
  ["curly underline", "\x1b[4:3m", { underline: true }],
  [
    "all switches",
    "\x1b[1;2;3;4;7;9m",
    { bold: true, dim: true, italic: true, underline: true, inverse: true, strike: true },
  ],
  ["switched off again", "\x1b[1;2;3m\x1b[22m", { italic: true }],
  ["reset inside a list", "\x1b[31;0;1m", { bold: true }],
] as const)("a style is read from %s", (_name, sgr, style) => {
  expect(parseScreen(`${sgr}x`).lines[0]?.runs).toEqual([{ start: 0, length: 1, style }]);
});

test("neighbours of equal style are one run, and runs beyond the text are cut", () => {
  const [line] = parseScreen("\x1b[31ma\x1b[31mb\x1b[41m   \n").lines;
  expect(line?.runs).toEqual([{ start: 0, length: 2, style: { fg: 1 } }]);
});

test("equal styles are one run, however they were reached", () => {
  const [line] = parseScreen("\x1b[1;31ma\x1b[0m\x1b[31m\x1b[1mb\x1b[22;1mc").lines;
  expect(line?.runs).toEqual([{ start: 0, length: 3, style: { bold: true, fg: 1 } }]);
});

test("direct colours stay apart, also more of them than the cache of styles holds", () => {
  const colours = Array.from({ length: 6_000 }, (_, i) => `\x1b[38;2;${i % 256};${i >> 8};7m`);
  for (const part of [colours, colours.toReversed()]) {
    const { lines } = parseScreen(part.map((colour) => `${colour}x${colour}y`).join("\n"));
    expect(lines.map((line) => line.runs.length)).toEqual(part.map(() => 1));
    expect(new Set(lines.map((line) => line.runs[0]?.style.fg)).size).toBe(part.length);
  }
});

test("hyperlinks, titles, charsets and unknown escapes are removed", () => {
  expect(texts("\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x07!")).toEqual(["link!"]);
  expect(texts("\x1b(Ba\x1b[?25lb\x1bPq#0\x1b\\c\x1b7d\r")).toEqual(["abcd"]);
});

test("a string escape that was cut off ends with its line", () => {
  expect(texts("\x1b]8;;https://exa\nnext\n")).toEqual(["", "next"]);
});

test("line-drawing characters of ncurses become box drawing", () => {
  expect(texts("\x0elqqk\x0f Title \x0ex\x0f")).toEqual(["┌──┐ Title │"]);
});

test("a line is cut at its limit, never inside a surrogate pair", () => {
  expect(texts("x".repeat(MAX_LINE_CHARS + 5))[0]).toHaveLength(MAX_LINE_CHARS);
  const faces = texts(`x${"🙂".repeat(MAX_LINE_CHARS)}`)[0];
  expect([faces?.length, faces?.isWellFormed()]).toEqual([MAX_LINE_CHARS, true]);
});

test("an escape without an end keeps few objects in memory", () => {
  parseScreen("");
  Bun.gc(true);
  const before = heapStats().objectCount;
  parseScreen(`\x1b[${"0123456789".repeat(20_000)}m`);
  Bun.gc(true);
  expect(heapStats().objectCount - before).toBeLessThan(100_000);
});

test("for any text: lines are trimmed, and runs stand in order inside the text", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("\x1b[", "\x1b]", "\x1b", "m", ";", "38;5;", "\n", "\x0e", "0", "\x1b[1m", "a"),
  );
  forAll([fc.array(piece, { maxLength: 60 })], 300, (pieces) => {
    for (const line of parseScreen(pieces.join("")).lines) {
      expect(line.text).toBe(line.text.trimEnd());
      expect(line.text).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      let end = 0;
      for (const run of line.runs) {
        expect(run.start).toBeGreaterThanOrEqual(end);
        expect(run.length).toBeGreaterThan(0);
        end = run.start + run.length;
      }
      expect(end).toBeLessThanOrEqual(line.text.length);
    }
  });
});

test("a recorded screen that is rendered and parsed again is the same screen", () => {
  for (const { name, styled } of readScreens()) {
    const screen = parseScreen(styled);
    const { lines } = parseScreen(renderScreen(screen));
    expect({ name, lines }).toEqual({ name, lines: screen.lines });
  }
});

test("every attribute and colour survives rendering and parsing", () => {
  const capture =
    "\x1b[1;2;3;4;7;9mall\x1b[0m \x1b[31;102mpalette\x1b[0m \x1b[38;5;200;48;2;1;20;255mdirect";
  const screen = parseScreen(capture);
  expect(screen.lines[0]?.runs).toHaveLength(3);
  expect(parseScreen(renderScreen(screen))).toEqual(screen);
});
