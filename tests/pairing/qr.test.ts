import { expect, test } from "bun:test";
import { encode } from "uqr";
import { renderPath, renderTerminal } from "../../src/pairing/qr.ts";

const TEXT = "https://host.example/#pair=0123456789";
const { data, size } = encode([...new TextEncoder().encode(TEXT)], { ecc: "M", border: 4 });

test("in a terminal, every module is half a character, with four light ones around", () => {
  const lines = renderTerminal(TEXT, false).trimEnd().split("\n");
  expect(lines).toHaveLength(Math.ceil(size / 2));
  for (let row = 0; row < size; row += 1)
    for (let column = 0; column < size; column += 1) {
      const character = lines[Math.floor(row / 2)]?.[column] ?? "?";
      const isLight = character === "█" || character === (row % 2 ? "▄" : "▀");
      expect([row, column, isLight]).toEqual([row, column, !data[row]?.[column]]);
    }
});

test("with colours it is the same characters on black, whatever the terminal's are", () => {
  const coloured = renderTerminal(TEXT, true);
  expect(Bun.stripANSI(coloured)).toBe(renderTerminal(TEXT, false));
  for (const line of coloured.trimEnd().split("\n"))
    expect(line).toMatch(/^\x1b\[38;5;231;48;5;16m.*\x1b\[0m$/);
});

test("as a path, its runs cover exactly the dark modules", () => {
  const drawn = renderPath(TEXT);
  expect(drawn?.size).toBe(size);
  const dark = [...(drawn?.path ?? "").matchAll(/M(\d+) (\d+)h(\d+)v1H\1z/g)].flatMap(
    ([, x, y, width]) => Array.from({ length: Number(width) }, (_, at) => `${y},${Number(x) + at}`),
  );
  const expected = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? `${y},${x}` : [])),
  );
  expect(dark).toEqual(expected);
});

test("a text of more bytes than a terminal's code can hold is none", () => {
  expect(renderPath("x".repeat(213))?.size).toBe(57 + 8);
  expect(renderPath("ü".repeat(107))).toBeNull();
  expect(renderTerminal("x".repeat(214), false)).toBe("");
});
