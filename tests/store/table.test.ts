import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { Table } from "../../src/store/table.ts";

interface Row {
  id: string;
  facts: { words: string[] };
  note: string[] | null;
  is_old: number;
  digest: bigint | null;
}

test("a table writes JSON columns as JSON and other columns as they are", () => {
  const database = new Database(":memory:", { strict: true });
  database.run(
    `CREATE TABLE things (id TEXT PRIMARY KEY, facts TEXT NOT NULL, note TEXT,
       is_old INTEGER NOT NULL DEFAULT 0, digest INTEGER) STRICT`,
  );
  const things = new Table<Row>(database, "things", ["facts", "note"]);
  const digest = -7031958494161755017n;
  expect(things.insert({ id: "a", facts: { words: ["one"] }, note: null, digest })).toBe(1);
  expect(things.insert({ id: "b", facts: { words: [] }, note: ["x"], is_old: 1 })).toBe(2);
  const a = things.find("WHERE id = ?", "a");
  expect(a && [a.facts, a.note, a.is_old]).toEqual([{ words: ["one"] }, null, 0]);
  expect(things.value("CAST(digest AS TEXT)", "WHERE digest = ?", digest)).toBe(String(digest));
  expect(things.find("WHERE id = ?", "c")).toBeNull();

  expect(things.update({ facts: { words: ["two"] }, note: null }, "WHERE id = ?", "b")).toBe(1);
  expect(things.all("ORDER BY id DESC").map(({ id, facts }) => [id, facts])).toEqual([
    ["b", { words: ["two"] }],
    ["a", { words: ["one"] }],
  ]);
  things.insert({ id: "a", facts: { words: ["three"] } }, "INSERT OR REPLACE");
  expect(things.pick("id, is_old", "WHERE facts LIKE ?", "%three%")).toEqual([
    { id: "a", is_old: 0 },
  ]);
  expect(things.value("count(*)", "")).toBe(2);
  expect([things.delete("WHERE id = ?", "b"), things.value("id", "WHERE id = ?", "b")]).toEqual([
    1,
    null,
  ]);
});
