/*
 * Reading as a client: unknown members pass, an unknown enum value becomes "unknown", what the
 * contract promises must be there. Written without the schema library, which would be a third of
 * the web client's first load; the tables made of these are checked against the schemas' types by
 * the compiler and against the schemas themselves by tests.
 */

export type Unknown = "unknown";

/** What was read, or why it cannot be what the contract promises. */
export type Reading<T> = { ok: true; value: T } | { ok: false; error: string };

class Malformed extends Error {}

/** A value from the wire as what the contract says it is. @throws Malformed */
export type Reader<T> = (value: unknown, path: string) => T;

export function reading<T>(read: () => T): Reading<T> {
  try {
    return { ok: true, value: read() };
  } catch (cause) {
    if (cause instanceof Malformed || cause instanceof SyntaxError)
      return { ok: false, error: cause.message };
    throw cause;
  }
}

export function fail(path: string, expected: string): never {
  throw new Malformed(`${path} is not ${expected}`);
}

export const text: Reader<string> = (value, path) =>
  typeof value === "string" ? value : fail(path, "text");
export const number: Reader<number> = (value, path) =>
  typeof value === "number" ? value : fail(path, "a number");
export const flag: Reader<boolean> = (value, path) =>
  typeof value === "boolean" ? value : fail(path, "true or false");
export const record: Reader<Record<string, unknown>> = (value, path) =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? { ...value }
    : fail(path, "an object");

export const nullable =
  <T>(read: Reader<T>): Reader<T | null> =>
  (value, path) =>
    value === null ? null : read(value, path);

/** For members that a server of the same protocol may not have yet. */
export const added =
  <T>(read: Reader<T>, absent: T): Reader<T> =>
  (value, path) =>
    value === undefined ? absent : read(value, path);

export const list =
  <T>(read: Reader<T>): Reader<T[]> =>
  (value, path) =>
    Array.isArray(value)
      ? value.map((item, index) => read(item, `${path}[${index}]`))
      : fail(path, "a list");

/** Lines are many: looked at once, and only a wrong list is read again for where it is wrong. */
export const texts: Reader<string[]> = (value, path) =>
  Array.isArray(value) && value.every((item) => typeof item === "string")
    ? value
    : list(text)(value, path);

/** Values are keys of a table so that the compiler sees when one is missing. */
export const open = <T extends string>(known: Record<T, true>): Reader<T | Unknown> => {
  const isKnown = (value: string): value is T => Object.hasOwn(known, value);
  return (value, path) => {
    const word = text(value, path);
    return isKnown(word) ? word : "unknown";
  };
};

export type Table<T> = { [Member in keyof T]-?: Reader<T[Member]> };

export function members<T>(
  table: Table<T>,
  value: unknown,
  path: string,
  partial: boolean,
): Partial<T> {
  const seen: Record<string, unknown> = record(value, path);
  for (const [member, read] of Object.entries<Reader<unknown>>(table)) {
    if (partial && !Object.hasOwn(seen, member)) continue;
    const item = read(seen[member], `${path}.${member}`);
    if (item !== undefined) seen[member] = item;
  }
  // Every member of the table has been read by its reader; others pass as they are.
  return seen as Partial<T>;
}

export const object =
  <T>(table: Table<T>): Reader<T> =>
  (value, path) =>
    members(table, value, path, false) as T; // Not partial: every reader has run.
