import type { TerminalProvider } from "../../src/terminal/provider.ts";

/** The value below which `percent` of the values lie (nearest rank). */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = Math.ceil((percent / 100) * sorted.length) - 1;
  return sorted[Math.max(0, rank)] ?? Number.NaN;
}

/** A Markdown table; every row has as many cells as the head. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  return line(head) + line(head.map(() => "---")) + rows.map(line).join("");
}

export const ms = (value: number): string => `${value.toFixed(1)} ms`;

/** `provider`, and the begin of its newest pass by `performance.now()`. */
export function timedPasses<P extends Pick<TerminalProvider, "list">>(provider: P) {
  const pass = { startedMs: 0 };
  const list = provider.list.bind(provider);
  provider.list = (signal) => {
    pass.startedMs = performance.now();
    return list(signal);
  };
  return pass;
}
