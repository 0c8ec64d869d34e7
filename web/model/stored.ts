export function parseMembers(stored: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(stored ?? "{}");
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Whether a value has the members of an example, each of its type. */
export const isLike = <T extends object>(example: T, value: unknown): value is T =>
  Object.entries(example).every(([name, member]) => typeof Object(value)[name] === typeof member);

export function stringMembers(value: unknown): Readonly<Record<string, string>> {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/**
 * Everything that this browser keeps, and nothing else: what is a server's goes with signing out, what
 * is the person's stays. Names that begin with one that ends with a dot have a value each.
 */
const NAMES = {
  token: "server",
  /** Which server was looked at last, for a start without the network. */
  server: "server",
  /** Which of the server's push devices this browser is. */
  device: "server",
  /** What may have arrived at which pane. */
  doubts: "server",
  /** What New was told last. */
  creation: "server",
  /** First messages whose fate nobody was told yet, by pane. */
  "first-messages": "server",
  "draft.": "server",
  preferences: "person",
  /** How many answers were given, until the page was offered as an app. */
  answers: "person",
  /** Steps of the first day that were done or hidden. */
  "set-up": "person",
} as const;
export type StoredName = keyof typeof NAMES;

const PREFIX = "panewatch.";
export const keyOf = (name: StoredName): string => PREFIX + name;

export type KeyValueStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** One thing that the browser keeps. Texts are written as they are, everything else as JSON. */
export class StoredValue<T> {
  readonly key: string;
  readonly #storage: KeyValueStorage;
  readonly #read: (stored: string | null) => T;

  constructor(storage: KeyValueStorage, name: StoredName, read: (stored: string | null) => T) {
    this.key = keyOf(name);
    this.#storage = storage;
    this.#read = read;
  }

  get(): T {
    return this.#read(this.#storage.getItem(this.key));
  }

  /** Null, or an object without members: nothing of it is kept. */
  set(value: T | null): void {
    const isEmpty = typeof value === "object" && Object.keys(value ?? {}).length === 0;
    if (value === null || isEmpty) this.#storage.removeItem(this.key);
    else this.#storage.setItem(this.key, typeof value === "string" ? value : JSON.stringify(value));
  }
}

/** Clears everything of a server, whoever has kept it, from a page that has opened it or not. */
export function forgetServer(storage: KeyValueStorage & { keys(): readonly string[] }): void {
  const own = Object.entries(NAMES).flatMap(([name, whose]) => (whose === "person" ? [name] : []));
  for (const key of storage.keys())
    if (key.startsWith(PREFIX) && !own.includes(key.slice(PREFIX.length))) storage.removeItem(key);
}
