import { encode, renderUnicodeCompact } from "uqr";
import type { PairingLink } from "../protocol/access.ts";

/** Version 10 with level M: larger codes are hard to read from a terminal. */
const MAX_BYTES = 213;
/** Light modules around the code, by which readers find it. */
const QUIET = 4;
const OPTIONS = { ecc: "M", boostEcc: false, border: QUIET } as const;

/** Null for a text that is too long. */
function bytesOf(text: string): number[] | null {
  const bytes = [...new TextEncoder().encode(text)];
  return bytes.length > MAX_BYTES ? null : bytes;
}

/** Two rows of modules a line, dark on light whatever the terminal's colours are. */
export function renderTerminal(text: string, hasColours: boolean): string {
  const bytes = bytesOf(text);
  if (bytes === null) return "";
  const lines = renderUnicodeCompact(bytes, OPTIONS).split("\n");
  return lines
    .map((line) => (hasColours ? `\x1b[38;5;231;48;5;16m${line}\x1b[0m\n` : `${line}\n`))
    .join("");
}

/** The `d` of a filled SVG path in a square of `size`, quiet zone included. */
export function renderPath(text: string): { size: number; path: string } | null {
  const bytes = bytesOf(text);
  if (bytes === null) return null;
  const { data, size } = encode(bytes, OPTIONS);
  const rows = data.map((row, y) => {
    const modules = row.map((isDark) => (isDark ? "1" : "0")).join("");
    return [...modules.matchAll(/1+/g)]
      .map(({ 0: run, index }) => `M${index} ${y}h${run.length}v1H${index}z`)
      .join("");
  });
  return { size, path: rows.join("") };
}

export function renderInvitation(link: PairingLink, terminal: { hasColours: boolean }): string {
  const until = new Date(link.expires_at * 1000).toTimeString().slice(0, 5);
  const lines = [
    "Point a phone's camera at this, or open the link there:",
    "",
    renderTerminal(link.url, terminal.hasColours),
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
