import type { Database } from "bun:sqlite";

declare const shape: unique symbol;
/** Text of a column that `Table` wrote of a `T`. */
export type Json<T> = string & { readonly [shape]: T };

type Value = string | number | bigint | null;
/** What is given for a column of this type. */
type Given<V> = V extends Json<infer T> ? T : V;
type Change<Row> = { readonly [Column in keyof Row]?: Given<Row[Column]> };

export function parseColumn<T>(text: Json<T>): T {
  // Nobody else writes the column.
  return JSON.parse(text) as T;
}

/** The rows of one table; whatever is no plain value is written as JSON. */
export class Table<Row extends object> {
  readonly #db: Database;
  readonly #name: string;

  constructor(db: Database, name: string) {
    this.#db = db;
    this.#name = name;
  }

  /** @param rest from WHERE on, with a place for each of the values */
  find(rest: string, ...values: Value[]): Row | null {
    return this.#select(rest).get(...values);
  }

  all(rest: string, ...values: Value[]): Row[] {
    return this.#select(rest).all(...values);
  }

  /** The first column of the first row, however it is asked for. */
  value<T extends Value>(columns: string, rest: string, ...values: Value[]): T | null {
    return this.pick<{ value: T }>(`${columns} AS value`, rest, ...values)[0]?.value ?? null;
  }

  /** Other columns than those of a row. */
  pick<Picked>(columns: string, rest: string, ...values: Value[]): Picked[] {
    return this.#db
      .query<Picked, Value[]>(`SELECT ${columns} FROM ${this.#name} ${rest}`)
      .all(...values);
  }

  /** Its rowid. */
  insert(
    row: Change<Row>,
    verb: "INSERT" | "INSERT OR IGNORE" | "INSERT OR REPLACE" = "INSERT",
  ): number {
    const columns = Object.keys(row);
    const places = columns.map(() => "?").join(", ");
    const sql = `${verb} INTO ${this.#name} (${columns.join(", ")}) VALUES (${places})`;
    return Number(this.#db.query(sql).run(...valuesOf(row)).lastInsertRowid);
  }

  /** How many rows were changed. */
  update(change: Change<Row>, rest: string, ...values: Value[]): number {
    const columns = Object.keys(change).map((column) => `${column} = ?`);
    const sql = `UPDATE ${this.#name} SET ${columns.join(", ")} ${rest}`;
    return this.#db.query(sql).run(...valuesOf(change), ...values).changes;
  }

  delete(rest: string, ...values: Value[]): number {
    return this.#db.query(`DELETE FROM ${this.#name} ${rest}`).run(...values).changes;
  }

  #select(rest: string) {
    return this.#db.query<Row, Value[]>(`SELECT * FROM ${this.#name} ${rest}`);
  }
}

function valuesOf(row: object): Value[] {
  return Object.values(row).map((value: unknown) => {
    if (typeof value === "string" || typeof value === "number") return value;
    if (typeof value === "bigint" || value === null) return value;
    return typeof value === "boolean" ? Number(value) : JSON.stringify(value);
  });
}
