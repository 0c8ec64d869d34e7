export function parseMembers(stored: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(stored ?? "{}");
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Whether a value has the members of `example`, each of the same type. */
export const isLike = <T extends object>(example: T, value: unknown): value is T =>
  Object.entries(example).every(([name, member]) => typeof Object(value)[name] === typeof member);

export function stringMembers(value: unknown): Readonly<Record<string, string>> {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/**
 * Every key in the browser's storage. Signing out clears those of the server and keeps those of the
 * person. A name that ends with a dot is a prefix.
 */
const NAMES = {
  token: "server",
  /** Instance id of the last server, for a start without the network. */
  server: "server",
  /** Id of this browser among the server's push devices. */
  device: "server",
  /** Sends that may have arrived, by pane. */
  doubts: "server",
  /** The last choices in New. */
  creation: "server",
  /** First messages whose outcome was not shown yet, by pane. */
  "first-messages": "server",
  "draft.": "server",
  preferences: "person",
  /** Number of answers, until the page was offered as an app. */
  answers: "person",
  /** Set-up steps that were done or hidden. */
  "set-up": "person",
} as const;
type StoredName = keyof typeof NAMES;

const PREFIX = "panewatch.";
export const keyOf = (name: StoredName): string => PREFIX + name;

export type KeyValueStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** One value in the storage. Strings are written as they are, everything else as JSON. */
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

  /** Null or an object without members removes the entry. */
  set(value: T | null): void {
    const isEmpty = typeof value === "object" && Object.keys(value ?? {}).length === 0;
    if (value === null || isEmpty) this.#storage.removeItem(this.key);
    else this.#storage.setItem(this.key, typeof value === "string" ? value : JSON.stringify(value));
  }
}

/** By prefix, so that keys of other versions of the page go too. */
export function forgetServer(storage: KeyValueStorage & { keys(): readonly string[] }): void {
  const own = Object.entries(NAMES).flatMap(([name, whose]) => (whose === "person" ? [name] : []));
  for (const key of storage.keys())
    if (key.startsWith(PREFIX) && !own.includes(key.slice(PREFIX.length))) storage.removeItem(key);
}
