import { computed, signal, type Signal } from "@preact/signals";
import type { Sort } from "../../model/filter.ts";
import { sameValue } from "../../model/reuse.ts";
import { TABS, type Tab } from "./router.ts";
import { isLike, StoredValue, parseMembers, type KeyValueStorage } from "../../model/stored.ts";

export const THEMES = ["system", "light", "dark"] as const;
const TEXT_SIZES = ["small", "normal", "large", "largest"] as const;
const ANSWER_MODES = ["tap", "confirm", "hold"] as const;
export const SORTS: readonly Sort[] = ["session", "waiting", "changed", "name"];
export const TERMINAL_SIZES = { min: 9, max: 20 } as const;

export const DEFAULT_KEYS: readonly string[] =
  "Escape Tab BTab Up Down Enter C-c C-o Left Right C-d C-r C-l".split(" ");

/** Of this browser alone; nothing of it reaches the server. */
const INITIAL = {
  theme: "system" as (typeof THEMES)[number],
  textSize: "normal" as (typeof TEXT_SIZES)[number],
  destination: "queue" as Tab,
  answerWith: "tap" as (typeof ANSWER_MODES)[number],
  wrap: true,
  follow: true,
  terminalSize: 12,
  colours: true,
  tintDiffs: true,
  singleKeys: true,
  enterSends: false,
  /** Which dangerous answers are asked once more. */
  askGrant: true,
  askDelete: true,
  askForce: true,
  askRoot: true,
  askInternet: true,
  lowData: false,
  sort: "session" as Sort,
  starsFirst: false,
  collapsed: [] as readonly string[],
  snippets: ["continue", "run the tests", "explain the diff", "commit"] as readonly string[],
  keys: DEFAULT_KEYS,
  showCursor: true,
  notifyErrors: false,
  sound: false,
  vibrate: false,
  badge: true,
  /** Whether the agent workspace is still introduced. */
  introduces: true,
};
export type Preferences = Readonly<typeof INITIAL>;

const CHOICES: Readonly<Record<string, readonly unknown[]>> = {
  ...{ theme: THEMES, textSize: TEXT_SIZES, destination: TABS },
  ...{ answerWith: ANSWER_MODES, sort: SORTS },
};

function isValid(name: string, initial: unknown, value: unknown): boolean {
  if (Array.isArray(initial))
    return Array.isArray(value) && value.every((item) => typeof item === "string");
  if (typeof value === "number")
    return name === "terminalSize" && value >= TERMINAL_SIZES.min && value <= TERMINAL_SIZES.max;
  return typeof value === typeof initial && (CHOICES[name]?.includes(value) ?? true);
}

/** Whatever is missing or not valid falls back by itself. */
export function parsePreferences(stored: string | null): Preferences {
  const found = parseMembers(stored);
  const valid = Object.entries(INITIAL).flatMap(([name, initial]) =>
    isValid(name, initial, found[name]) ? [[name, found[name]]] : [],
  );
  return { ...INITIAL, ...Object.fromEntries(valid) };
}

/** A stored value that is the same in all tabs. */
class SharedValue<T> {
  readonly current: Signal<T>;
  readonly #stored: StoredValue<T>;

  constructor(stored: StoredValue<T>) {
    this.#stored = stored;
    this.current = signal(stored.get());
  }

  /** Called for changes of other tabs, and where a frozen page may have missed some. */
  follow(): void {
    const now = this.#stored.get();
    if (!sameValue(now, this.current.peek())) this.current.value = now;
  }

  write(value: T): void {
    this.#stored.set(value);
    this.current.value = value;
  }
}

/** Each tab writes all preferences, so none may go on with old ones. */
export class PreferenceStore extends SharedValue<Preferences> {
  constructor(storage: KeyValueStorage) {
    super(new StoredValue(storage, "preferences", parsePreferences));
  }

  set(change: Partial<Preferences>): void {
    this.write({ ...this.current.value, ...change });
  }
}

interface RegisteredDevice {
  readonly id: string;
  readonly server: string | null;
}

/** Which push device of which server this browser is; null for none. */
export class OwnDevice extends SharedValue<RegisteredDevice | null> {
  readonly id = computed(() => this.current.value?.id ?? null);

  constructor(storage: KeyValueStorage) {
    super(new StoredValue(storage, "device", readRegistration));
  }
}

/** Version 0.2 stored the id alone. */
function readRegistration(stored: string | null): RegisteredDevice | null {
  if (stored !== null && !stored.startsWith("{")) return { id: stored, server: null };
  const members = parseMembers(stored);
  if (!isLike({ id: "" }, members)) return null;
  const { server } = Object(members);
  return { id: members.id, server: typeof server === "string" ? server : null };
}
