import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { versionFor } from "../../src/pairing/qr/codewords.ts";
import { drawMatrix, type QrMatrix, qrMatrix } from "../../src/pairing/qr/matrix.ts";
import { renderPath, renderTerminal } from "../../src/pairing/qr/render.ts";

interface Recorded {
  version: number;
  mask: number;
  text: string;
  rows: string[];
}

// Drawn by another encoder (qrcode-generator), level M, each with the mask that it chose.
const recorded: Recorded[] = JSON.parse(
  readFileSync(join(import.meta.dir, "../fixtures/qr/qrcode-generator-2.0.4.json"), "utf8"),
);
const rowsOf = (matrix: QrMatrix) =>
  matrix.map((row) => row.map((isDark) => (isDark ? "1" : "0")).join(""));

/** Bytes that fit, level M, from the table of the standard. */
const CAPACITIES = [14, 26, 42, 62, 84, 106, 122, 152, 180, 213];

describe("a matrix", () => {
  test("is recorded for every version and mask", () => {
    expect(new Set(recorded.map(({ version }) => version)).size).toBe(10);
    expect(new Set(recorded.map(({ mask }) => mask)).size).toBe(8);
  });

  test.each(recorded.map((one) => [one.version, one.mask, one.text.length, one] as const))(
    "of version %d with mask %d and %d bytes is that of another encoder",
    (version, mask, _bytes, { text, rows }) => {
      expect(rowsOf(drawMatrix(new TextEncoder().encode(text), version, mask))).toEqual(rows);
    },
  );

  test("has the smallest version that holds the text", () => {
    for (const [index, bytes] of CAPACITIES.entries()) {
      expect(versionFor(bytes)).toBe(index + 1);
      expect(versionFor(bytes + 1)).toBe(index < 9 ? index + 2 : null);
    }
    expect(qrMatrix("x".repeat(213))?.length).toBe(57);
    expect(qrMatrix("x".repeat(214))).toBeNull();
  });

  test("of any text is one of those of the eight masks", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        const bytes = new TextEncoder().encode(text);
        const version = versionFor(bytes.length) ?? 0;
        const masks = [0, 1, 2, 3, 4, 5, 6, 7].map((mask) => drawMatrix(bytes, version, mask));
        expect(masks.map(rowsOf)).toContainEqual(rowsOf(qrMatrix(text) ?? []));
      }),
      { numRuns: 20 },
    );
  });
});

describe("drawn", () => {
  const matrix = qrMatrix("https://host.example/#pair=0123456789") ?? [];
  const size = matrix.length + 8;
  const isDark = (row: number, column: number) => matrix[row - 4]?.[column - 4] ?? false;

  test("in a terminal, every module is half a character, with four light ones around", () => {
    const lines = renderTerminal(matrix, false).trimEnd().split("\n");
    expect(lines).toHaveLength(Math.ceil(size / 2));
    for (let row = 0; row < size; row += 1)
      for (let column = 0; column < size; column += 1) {
        const character = lines[Math.floor(row / 2)]?.[column] ?? "?";
        const isLight = character === "█" || character === (row % 2 ? "▄" : "▀");
        expect([row, column, isLight]).toEqual([row, column, !isDark(row, column)]);
      }
  });

  test("with colours it is the same characters on black, whatever the terminal's are", () => {
    const coloured = renderTerminal(matrix, true);
    expect(Bun.stripANSI(coloured)).toBe(renderTerminal(matrix, false));
    for (const line of coloured.trimEnd().split("\n"))
      expect(line).toMatch(/^\x1b\[38;5;231;48;5;16m.*\x1b\[0m$/);
  });

  test("as a path, its runs cover exactly the dark modules", () => {
    const { size: side, path } = renderPath(matrix);
    expect(side).toBe(size);
    const dark: string[] = [];
    for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1H\1z/g))
      for (let at = 0; at < Number(width); at += 1) dark.push(`${y},${Number(x) + at}`);
    const expected: string[] = [];
    for (let row = 0; row < size; row += 1)
      for (let column = 0; column < size; column += 1)
        if (isDark(row, column)) expected.push(`${row},${column}`);
    expect(dark).toEqual(expected);
    expect(path.replace(/M(\d+) \d+h\d+v1H\1z/g, "")).toBe("");
  });
});
