import { signal, type ReadonlySignal } from "@preact/signals";
import type { Sort } from "../../model/filter.ts";
import { Kept, storedMembers } from "../../model/stored.ts";

export const THEMES = ["system", "light", "dark"] as const;
export const DESTINATIONS = ["queue", "active", "all", "stats"] as const;
export const ANSWER_MODES = ["tap", "confirm", "hold"] as const;
export const SORTS: readonly Sort[] = ["session", "waiting", "changed", "name"];
export const TERMINAL_SIZES = { min: 9, max: 20 } as const;

export const DEFAULT_KEYS: readonly string[] =
  "Escape Tab BTab Up Down Enter C-c C-o Left Right C-d C-r C-l".split(" ");

interface Preference<T> {
  readonly initial: T;
  readonly isValid: (value: unknown) => boolean;
}
const oneOf = <T extends string>(words: readonly T[], initial: T): Preference<T> => ({
  initial,
  isValid: (value) => words.some((word) => word === value),
});
const flag = (initial: boolean): Preference<boolean> => ({
  initial,
  isValid: (value) => typeof value === "boolean",
});
const texts = (initial: readonly string[]): Preference<readonly string[]> => ({
  initial,
  isValid: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
});
const size = ({ min, max }: typeof TERMINAL_SIZES, initial: number): Preference<number> => ({
  initial,
  isValid: (value) => typeof value === "number" && value >= min && value <= max,
});

/** What belongs to this browser alone; nothing of it reaches the server. */
const PREFERENCES = {
  theme: oneOf(THEMES, "system"),
  destination: oneOf(DESTINATIONS, "queue"),
  answerWith: oneOf(ANSWER_MODES, "tap"),
  wrap: flag(true),
  follow: flag(true),
  terminalSize: size(TERMINAL_SIZES, 12),
  colours: flag(true),
  tintDiffs: flag(true),
  singleKeys: flag(true),
  enterSends: flag(false),
  /** What is asked once more before an answer that does it is sent. */
  askGrant: flag(true),
  askDelete: flag(true),
  askForce: flag(true),
  askRoot: flag(true),
  askInternet: flag(true),
  lowData: flag(false),
  sort: oneOf(SORTS, "session"),
  starsFirst: flag(false),
  collapsed: texts([]),
  snippets: texts(["continue", "run the tests", "explain the diff", "commit"]),
  keys: texts(DEFAULT_KEYS),
  showCursor: flag(true),
  notifyErrors: flag(false),
  sound: flag(false),
  vibrate: flag(false),
  badge: flag(true),
  /** Whether the agent workspace may still be introduced. */
  introduces: flag(true),
};

export type Preferences = {
  readonly [K in keyof typeof PREFERENCES]: (typeof PREFERENCES)[K]["initial"];
};

/** Stored text to preferences: whatever is missing or not valid falls back on its own. */
export function parsePreferences(stored: string | null): Preferences {
  const found = storedMembers(stored);
  const entries = Object.entries(PREFERENCES).map(([name, { initial, isValid }]) => {
    const value = found[name];
    return [name, isValid(value) ? value : initial] as const;
  });
  // Each of them has been looked at.
  return Object.fromEntries(entries) as Preferences;
}

export const DEFAULTS = parsePreferences(null);

export class PreferenceStore {
  readonly #kept: Kept<Preferences>;
  readonly #current;
  readonly current: ReadonlySignal<Preferences>;

  constructor(storage: Storage) {
    this.#kept = new Kept(storage, "preferences", parsePreferences);
    this.#current = signal(this.#kept.get());
    this.current = this.#current;
  }

  /** Another tab has changed them. Each writes all of them, so none may go on with old ones. */
  follow(key: string): void {
    if (key === this.#kept.key) this.#current.value = this.#kept.get();
  }

  set(change: Partial<Preferences>): void {
    this.#current.value = { ...this.#current.value, ...change };
    this.#kept.set(this.#current.value);
  }
}
