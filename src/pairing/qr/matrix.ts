import { alignmentCentres, codewords, sizeOf, versionFor } from "./codewords.ts";

/** Rows of modules; true is dark. Without the quiet zone. */
export type QrMatrix = readonly (readonly boolean[])[];

type Mask = (row: number, column: number) => boolean;

const MASKS: readonly Mask[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];

/** The text as a QR code with the mask that reads best; null when it is too long. */
export function qrMatrix(text: string): QrMatrix | null {
  const data = new TextEncoder().encode(text);
  const version = versionFor(data.length);
  if (version === null) return null;
  const drawn = MASKS.map((_, mask) => drawMatrix(data, version, mask));
  return drawn.reduce((best, matrix) => (penalty(matrix) < penalty(best) ? matrix : best));
}

/** The same with a given mask, 0 to 7. */
export function drawMatrix(data: Uint8Array, version: number, mask: number): QrMatrix {
  const canvas = new Canvas(sizeOf(version));
  drawPatterns(canvas, version);
  drawFormat(canvas, mask);
  drawVersion(canvas, version);
  drawData(canvas, codewords(data, version), MASKS[mask] ?? (() => false));
  return canvas.rows;
}

/** Modules, and which of them belong to a pattern that data must not touch. */
class Canvas {
  readonly rows: boolean[][];
  readonly #fixed = new Set<number>();

  constructor(readonly size: number) {
    this.rows = Array.from({ length: size }, () => Array.from({ length: size }, () => false));
  }

  isFixed(row: number, column: number): boolean {
    return this.#fixed.has(row * this.size + column);
  }

  fix(row: number, column: number, isDark: boolean): void {
    this.draw(row, column, isDark);
    this.#fixed.add(row * this.size + column);
  }

  draw(row: number, column: number, isDark: boolean): void {
    const modules = this.rows[row];
    if (modules) modules[column] = isDark;
  }
}

function drawPatterns(canvas: Canvas, version: number): void {
  const last = canvas.size - 1;
  for (let at = 0; at <= last; at += 1) {
    canvas.fix(6, at, at % 2 === 0);
    canvas.fix(at, 6, at % 2 === 0);
  }
  for (const [row, column] of [
    [3, 3],
    [3, last - 3],
    [last - 3, 3],
  ] as const)
    drawRings(canvas, row, column, 4, (ring) => ring !== 2 && ring !== 4);
  const centres = alignmentCentres(version);
  for (const row of centres)
    for (const column of centres)
      if (!isFinderCorner(row, column, last))
        drawRings(canvas, row, column, 2, (ring) => ring !== 1);
}

function isFinderCorner(row: number, column: number, last: number): boolean {
  return (row === 6 && (column === 6 || column === last - 6)) || (row === last - 6 && column === 6);
}

/** Square rings around a centre, cut at the edge of the canvas. */
function drawRings(
  canvas: Canvas,
  row: number,
  column: number,
  radius: number,
  isDark: (ring: number) => boolean,
): void {
  for (let down = -radius; down <= radius; down += 1)
    for (let right = -radius; right <= radius; right += 1) {
      const isInside = (at: number) => at >= 0 && at < canvas.size;
      if (isInside(row + down) && isInside(column + right))
        canvas.fix(row + down, column + right, isDark(Math.max(Math.abs(down), Math.abs(right))));
    }
}

/** Level M (bits 00) and the mask, twice, around the finder patterns. */
function drawFormat(canvas: Canvas, mask: number): void {
  const bits = ((mask << 10) | checkBits(mask, 0x537, 10)) ^ 0x5412;
  const { size } = canvas;
  for (let index = 0; index < 15; index += 1) {
    const isDark = ((bits >>> index) & 1) === 1;
    const near = index < 6 ? index : index + 1;
    // Down the left finder's right side, past the timing line, then along its bottom.
    if (index < 8) canvas.fix(near, 8, isDark);
    else canvas.fix(8, index === 8 ? 7 : 14 - index, isDark);
    if (index < 8) canvas.fix(8, size - 1 - index, isDark);
    else canvas.fix(size - 15 + index, 8, isDark);
  }
  canvas.fix(size - 8, 8, true);
}

function drawVersion(canvas: Canvas, version: number): void {
  if (version < 7) return;
  const bits = (version << 12) | checkBits(version, 0x1f25, 12);
  for (let index = 0; index < 18; index += 1) {
    const isDark = ((bits >>> index) & 1) === 1;
    const along = Math.floor(index / 3);
    const across = canvas.size - 11 + (index % 3);
    canvas.fix(along, across, isDark);
    canvas.fix(across, along, isDark);
  }
}

/** Remainder of a BCH code. */
function checkBits(value: number, generator: number, length: number): number {
  let rest = value;
  for (let index = 0; index < length; index += 1)
    rest = (rest << 1) ^ ((rest >>> (length - 1)) * generator);
  return rest;
}

/** Bits in pairs of columns from the right, upwards and downwards in turn. */
function drawData(canvas: Canvas, bytes: Uint8Array, mask: Mask): void {
  const { size } = canvas;
  let bit = 0;
  let goesUp = true;
  for (let right = size - 1; right > 0; right -= 2) {
    // The timing column is no part of a pair.
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) {
      const row = goesUp ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (canvas.isFixed(row, column)) continue;
        const value = ((bytes[bit >>> 3] ?? 0) >>> (7 - (bit & 7))) & 1;
        canvas.draw(row, column, (value === 1) !== mask(row, column));
        bit += 1;
      }
    }
    goesUp = !goesUp;
  }
}

/** How hard a matrix is to read (ISO section 7.8.3); the lowest is taken. */
function penalty(matrix: QrMatrix): number {
  const columns = matrix.map((_, column) => matrix.map((row) => row[column] ?? false));
  const lines = [...matrix, ...columns].map((line) => line.map(Number).join(""));
  return (
    sum(lines.map(runPenalty)) +
    sum(lines.map(finderPenalty)) +
    blockPenalty(matrix) +
    balancePenalty(matrix)
  );
}

function runPenalty(line: string): number {
  return sum((line.match(/0{5,}|1{5,}/g) ?? []).map((run) => run.length - 2));
}

/** What looks like a finder pattern with light beside it. */
function finderPenalty(line: string): number {
  return 40 * (line.match(/(?=00001011101|10111010000)/g) ?? []).length;
}

function blockPenalty(matrix: QrMatrix): number {
  let blocks = 0;
  for (const [row, modules] of matrix.entries())
    for (const [column, isDark] of modules.entries()) {
      const below = matrix[row + 1];
      if (
        modules[column + 1] === isDark &&
        below?.[column] === isDark &&
        below[column + 1] === isDark
      )
        blocks += 1;
    }
  return 3 * blocks;
}

function balancePenalty(matrix: QrMatrix): number {
  const dark = sum(matrix.map((row) => row.filter(Boolean).length));
  const percent = (dark * 100) / matrix.length ** 2;
  return 10 * Math.floor(Math.abs(percent - 50) / 5);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
