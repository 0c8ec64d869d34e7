/** Rows below one another, every column but the last as wide as its widest cell. */
export function renderColumns(rows: readonly (readonly string[])[]): string {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count - 1 }, (_, column) =>
    Math.max(...rows.map((row) => Bun.stringWidth(row[column] ?? ""))),
  );
  const padded = (cell: string, width = 0) =>
    cell + " ".repeat(Math.max(0, width - Bun.stringWidth(cell)));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => padded(cell, widths[column])).join("  ");
  return rows.map((row) => `${line(row).trimEnd()}\n`).join("");
}
