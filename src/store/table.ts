import type { Database } from "bun:sqlite";

type Value = string | number | bigint | null;

/** The rows of one table. Lists and objects are stored as JSON. */
export class Table<Row extends object> {
  readonly #db: Database;
  readonly #name: string;
  readonly #json: readonly string[];

  /** @param json the columns that are read as JSON; an empty text stands for null */
  constructor(db: Database, name: string, json: readonly (keyof Row & string)[] = []) {
    this.#db = db;
    this.#name = name;
    this.#json = json;
  }

  /** @param rest the SQL from WHERE on, with a placeholder for each value */
  find(rest: string, ...values: Value[]): Row | null {
    const row = this.#query<Row>("*", rest).get(...values);
    if (row) this.#parse(row);
    return row;
  }

  all(rest: string, ...values: Value[]): Row[] {
    return this.pick<Row>("*", rest, ...values);
  }

  /** The first column of the first row. */
  value<T extends Value>(columns: string, rest: string, ...values: Value[]): T | null {
    return this.pick<{ value: T }>(`${columns} AS value`, rest, ...values)[0]?.value ?? null;
  }

  /** Rows with other columns than the table's. */
  pick<Picked extends object>(columns: string, rest: string, ...values: Value[]): Picked[] {
    const rows = this.#query<Picked>(columns, rest).all(...values);
    for (const row of rows) this.#parse(row);
    return rows;
  }

  /** @returns the rowid */
  insert(
    row: Partial<Row>,
    verb: "INSERT" | "INSERT OR IGNORE" | "INSERT OR REPLACE" = "INSERT",
  ): number {
    const columns = Object.keys(row);
    const places = columns.map(() => "?").join(", ");
    const sql = `${verb} INTO ${this.#name} (${columns.join(", ")}) VALUES (${places})`;
    return Number(this.#db.query(sql).run(...valuesOf(row)).lastInsertRowid);
  }

  /** @returns the number of changed rows */
  update(change: Partial<Row>, rest: string, ...values: Value[]): number {
    const columns = Object.keys(change).map((column) => `${column} = ?`);
    const sql = `UPDATE ${this.#name} SET ${columns.join(", ")} ${rest}`;
    return this.#db.query(sql).run(...valuesOf(change), ...values).changes;
  }

  delete(rest: string, ...values: Value[]): number {
    return this.#db.query(`DELETE FROM ${this.#name} ${rest}`).run(...values).changes;
  }

  #query<Picked>(columns: string, rest: string) {
    return this.#db.query<Picked, Value[]>(`SELECT ${columns} FROM ${this.#name} ${rest}`);
  }

  /** Parses the JSON columns in place: only this class writes them. */
  #parse(row: object): void {
    for (const column of this.#json) {
      const text: unknown = Reflect.get(row, column);
      if (typeof text === "string") Reflect.set(row, column, text === "" ? null : JSON.parse(text));
    }
  }
}

function valuesOf(row: object): Value[] {
  return Object.values(row).map((value: unknown) => {
    if (typeof value === "string" || typeof value === "number") return value;
    if (typeof value === "bigint" || value === null) return value;
    return typeof value === "boolean" ? Number(value) : JSON.stringify(value);
  });
}
