import type { QrMatrix } from "./matrix.ts";

/** Light modules around the code, without which readers do not find it. */
const QUIET = 4;

/** Two rows of modules in each line of text, dark on light whatever the terminal's colours are. */
export function renderTerminal(matrix: QrMatrix, hasColours: boolean): string {
  const size = matrix.length + 2 * QUIET;
  const isDark = (row: number, column: number) => matrix[row - QUIET]?.[column - QUIET] ?? false;
  const lines: string[] = [];
  for (let row = 0; row < size; row += 2) {
    const cells = Array.from({ length: size }, (_, column) =>
      half(isDark(row, column), isDark(row + 1, column)),
    );
    lines.push(hasColours ? `\x1b[38;5;231;48;5;16m${cells.join("")}\x1b[0m` : cells.join(""));
  }
  return `${lines.join("\n")}\n`;
}

/** What is printed is light: the background is dark. */
function half(isUpperDark: boolean, isLowerDark: boolean): string {
  if (isUpperDark) return isLowerDark ? " " : "▄";
  return isLowerDark ? "▀" : "█";
}

/** The `d` of an SVG path over a square of `size`, quiet zone included; filled, it is the code. */
export function renderPath(matrix: QrMatrix): { size: number; path: string } {
  const parts: string[] = [];
  for (const [row, modules] of matrix.entries())
    for (let column = 0; column < modules.length; column += 1) {
      const from = column;
      while (modules[column]) column += 1;
      if (column > from)
        parts.push(`M${from + QUIET} ${row + QUIET}h${column - from}v1H${from + QUIET}z`);
    }
  return { size: matrix.length + 2 * QUIET, path: parts.join("") };
}
