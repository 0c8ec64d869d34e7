import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type QrMatrix, qrMatrix, renderPath, renderTerminal } from "../../src/pairing/qr.ts";

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
    (_version, mask, _bytes, { text, rows }) => {
      expect(rowsOf(qrMatrix(text, mask) ?? [])).toEqual(rows);
    },
  );

  test("has the smallest version that holds the text, up to the tenth", () => {
    for (const [index, bytes] of CAPACITIES.entries()) {
      expect(qrMatrix("x".repeat(bytes))?.length).toBe(21 + 4 * index);
      const next = qrMatrix("x".repeat(bytes + 1))?.length ?? null;
      expect(next).toBe(index < 9 ? 25 + 4 * index : null);
    }
    // Counted in bytes, whatever the text is made of.
    expect(qrMatrix("ü".repeat(107))).toBeNull();
  });

  test("that nobody chose a mask for is one of those of the eight", () => {
    const text = "https://host.example/#pair=0123456789";
    const masks = [0, 1, 2, 3, 4, 5, 6, 7].map((mask) => rowsOf(qrMatrix(text, mask) ?? []));
    expect(new Set(masks.map(String)).size).toBe(8);
    expect(masks).toContainEqual(rowsOf(qrMatrix(text) ?? []));
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
