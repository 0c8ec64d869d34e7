import { signal, type ReadonlySignal } from "@preact/signals";
import { SORTS, type Sort } from "../../model/filter.ts";
import { storedMembers } from "../../model/stored.ts";

export const THEMES = ["system", "light", "dark"] as const;
export const DESTINATIONS = ["queue", "active", "all", "stats"] as const;
export const ANSWER_MODES = ["tap", "confirm", "hold"] as const;
export const TERMINAL_SIZES = { min: 9, max: 20 } as const;

/** What belongs to this browser alone; nothing of it reaches the server. */
export interface Preferences {
  readonly theme: (typeof THEMES)[number];
  readonly destination: (typeof DESTINATIONS)[number];
  readonly answerWith: (typeof ANSWER_MODES)[number];
  readonly wrap: boolean;
  readonly follow: boolean;
  readonly terminalSize: number;
  readonly colours: boolean;
  readonly tintDiffs: boolean;
  readonly singleKeys: boolean;
  readonly enterSends: boolean;
  /** What is asked once more before an answer that does it is sent. */
  readonly askGrant: boolean;
  readonly askDelete: boolean;
  readonly askForce: boolean;
  readonly askRoot: boolean;
  readonly askInternet: boolean;
  readonly lowData: boolean;
  readonly sort: Sort;
  readonly starsFirst: boolean;
  readonly collapsed: readonly string[];
  readonly snippets: readonly string[];
  readonly keys: readonly string[];
  readonly showCursor: boolean;
  readonly notify: boolean;
  readonly notifyErrors: boolean;
  readonly notifyNames: boolean;
  readonly sound: boolean;
  readonly vibrate: boolean;
  readonly badge: boolean;
  /** Whether the agent workspace may still be introduced. */
  readonly introduces: boolean;
}

export const DEFAULT_KEYS: readonly string[] = [
  "Escape",
  "Tab",
  "BTab",
  "Up",
  "Down",
  "Enter",
  "C-c",
  "C-o",
  "Left",
  "Right",
  "C-d",
  "C-r",
  "C-l",
];

export const DEFAULTS: Preferences = {
  theme: "system",
  destination: "queue",
  answerWith: "tap",
  wrap: true,
  follow: true,
  terminalSize: 12,
  colours: true,
  tintDiffs: true,
  singleKeys: true,
  enterSends: false,
  askGrant: true,
  askDelete: true,
  askForce: true,
  askRoot: true,
  askInternet: true,
  lowData: false,
  sort: "session",
  starsFirst: false,
  collapsed: [],
  snippets: ["continue", "run the tests", "explain the diff", "commit"],
  keys: DEFAULT_KEYS,
  showCursor: true,
  notify: false,
  notifyErrors: false,
  notifyNames: false,
  sound: false,
  vibrate: false,
  badge: true,
  introduces: true,
};

const KEY = "panewatch.preferences";

const oneOf =
  <T extends string>(words: readonly T[]) =>
  (value: unknown): value is T =>
    words.some((word) => word === value);
const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");
const isFlag = (value: unknown): value is boolean => typeof value === "boolean";

const VALID: { readonly [K in keyof Preferences]: (value: unknown) => value is Preferences[K] } = {
  theme: oneOf(THEMES),
  destination: oneOf(DESTINATIONS),
  answerWith: oneOf(ANSWER_MODES),
  wrap: isFlag,
  follow: isFlag,
  terminalSize: (value): value is number =>
    typeof value === "number" && value >= TERMINAL_SIZES.min && value <= TERMINAL_SIZES.max,
  colours: isFlag,
  tintDiffs: isFlag,
  singleKeys: isFlag,
  enterSends: isFlag,
  askGrant: isFlag,
  askDelete: isFlag,
  askForce: isFlag,
  askRoot: isFlag,
  askInternet: isFlag,
  lowData: isFlag,
  sort: oneOf(SORTS),
  starsFirst: isFlag,
  collapsed: isTexts,
  snippets: isTexts,
  keys: isTexts,
  showCursor: isFlag,
  notify: isFlag,
  notifyErrors: isFlag,
  notifyNames: isFlag,
  sound: isFlag,
  vibrate: isFlag,
  badge: isFlag,
  introduces: isFlag,
};

/** Stored text to preferences: whatever is missing or not valid falls back on its own. */
export function parsePreferences(stored: string | null): Preferences {
  const valid = Object.entries(storedMembers(stored)).filter(
    ([key, member]) => key in VALID && VALID[key as keyof Preferences](member),
  );
  return { ...DEFAULTS, ...Object.fromEntries(valid) };
}

export class PreferenceStore {
  readonly #storage: Storage;
  readonly #current;
  readonly current: ReadonlySignal<Preferences>;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#current = signal(parsePreferences(storage.getItem(KEY)));
    this.current = this.#current;
  }

  /** Another tab has changed them. Each writes all of them, so none may go on with old ones. */
  follow(key: string, stored: string | null): void {
    if (key === KEY) this.#current.value = parsePreferences(stored);
  }

  set(change: Partial<Preferences>): void {
    this.#current.value = { ...this.#current.value, ...change };
    this.#storage.setItem(KEY, JSON.stringify(this.#current.value));
  }
}
