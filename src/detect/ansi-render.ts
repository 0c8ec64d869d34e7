import type { Screen, ScreenLine, Style } from "./region.ts";

/** A screen as capture text with attributes: parsing it gives the same screen again. */
export function renderScreen({ lines }: Screen): string {
  return lines.map((line) => `${renderLine(line)}\n`).join("");
}

function renderLine({ text, runs }: ScreenLine): string {
  let rendered = "";
  let at = 0;
  for (const { start, length, style } of runs) {
    const styled = text.slice(start, start + length);
    rendered += `${text.slice(at, start)}\x1b[${codesOf(style).join(";")}m${styled}\x1b[0m`;
    at = start + length;
  }
  return rendered + text.slice(at);
}

const SWITCHES = [
  ["bold", 1],
  ["dim", 2],
  ["italic", 3],
  ["underline", 4],
  ["inverse", 7],
  ["strike", 9],
] as const;

function codesOf(style: Style): string[] {
  const switches = SWITCHES.flatMap(([name, code]) => (style[name] ? [String(code)] : []));
  return [...switches, ...colour(38, style.fg), ...colour(48, style.bg)];
}

function colour(code: 38 | 48, value: number | string | undefined): string[] {
  if (value === undefined) return [];
  if (typeof value === "number") return [`${code};5;${value}`];
  const parts = /^#(..)(..)(..)$/.exec(value)?.slice(1) ?? [];
  return [`${code};2;${parts.map((part) => Number.parseInt(part, 16)).join(";")}`];
}
