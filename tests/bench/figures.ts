/** The value below which `percent` of the values lie (nearest rank). */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = Math.ceil((percent / 100) * sorted.length) - 1;
  return sorted[Math.max(0, rank)] ?? Number.NaN;
}

/** Prints a Markdown table; every row has as many cells as the head. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`);
  process.stdout.write(`${lines.join("")}\n`);
}

export const ms = (value: number): string => `${value.toFixed(1)} ms`;
