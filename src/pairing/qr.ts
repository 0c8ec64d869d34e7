import { encode } from "uqr";
import type { PairingLink } from "../protocol/pairing.ts";

export type QrMatrix = readonly (readonly boolean[])[];

/** Version 10 with level M: larger codes are hard to read from a terminal. */
const MAX_VERSION = 10;
const MAX_BYTES = 213;
const BEST_MASK = -1;

/** The text as a QR code; null when it is too long. `mask`, 0 to 7, is the one that reads best. */
export function qrMatrix(text: string, mask = BEST_MASK): QrMatrix | null {
  const bytes = [...new TextEncoder().encode(text)];
  if (bytes.length > MAX_BYTES) return null;
  const options = { ecc: "M", boostEcc: false, maxVersion: MAX_VERSION, border: 0 } as const;
  return encode(bytes, { ...options, maskPattern: mask }).data;
}

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

export function renderInvitation(link: PairingLink, terminal: { hasColours: boolean }): string {
  const matrix = qrMatrix(link.url);
  const until = new Date(link.expires_at * 1000).toTimeString().slice(0, 5);
  const lines = [
    "Point a phone's camera at this, or open the link there:",
    "",
    ...(matrix ? [renderTerminal(matrix, terminal.hasColours)] : []),
    link.url,
    ...link.other_urls.map((url) => `  or ${url}`),
    "",
    `It works once, until ${until}. Or open ${new URL(link.url).origin} and type ${link.short_code}.`,
    ...warnings(link),
  ];
  return `${lines.join("\n")}\n`;
}

function warnings({ url, is_local }: PairingLink): string[] {
  if (is_local) return ["Only this machine can open it: panewatch phone finds a way."];
  return url.startsWith("https:")
    ? []
    : ["The connection is not encrypted: use it only in a network that you trust."];
}
