import { markdownTable } from "../bench/figures.ts";
import { findUnseen, isRight, readUnseen, type UnseenScreen } from "./unseen.ts";

// Prints how the unseen screens are read, by class: `bun tests/support/scoreboard.ts`. One half can
// be kept back while rules are written: it is chosen by the names alone.

const half = ({ name }: UnseenScreen) => (Bun.hash.crc32(name) % 2 === 0 ? "even" : "odd");

for (const facts of ["all", "bare"] as const) {
  const rows = new Map<string, Record<string, [right: number, of: number]>>();
  const wrong: string[] = [];
  for (const seen of readUnseen()) {
    const finding = findUnseen(seen, facts);
    const right = isRight(seen, finding);
    const row = rows.get(`${seen.of} ${seen.expect}`) ?? {};
    for (const column of [half(seen), "both"]) {
      const [count, sum] = row[column] ?? [0, 0];
      row[column] = [count + Number(right), sum + 1];
    }
    rows.set(`${seen.of} ${seen.expect}`, row);
    if (!right)
      wrong.push(
        `${half(seen)} ${seen.name}: ${finding.status} by ${finding.rule}, not ${seen.expect}`,
      );
  }
  const figures = [...rows]
    .toSorted()
    .map(([name, row]) => [
      name,
      ...["even", "odd", "both"].map((column) => (row[column] ?? [0, 0]).join("/")),
    ]);
  console.log(markdownTable([`facts: ${facts}`, "even", "odd", "both"], figures));
  console.log(wrong.toSorted().join("\n"));
}
