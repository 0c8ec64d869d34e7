import { untracked } from "@preact/signals";
import type { LiveConfig, PaneOverride } from "../../../src/protocol/config.ts";
import type { Failure, Result } from "../../net/api.ts";
import { sameValue } from "../../model/reuse.ts";
import { Signals } from "./part.ts";
import type { Server } from "./server.ts";

export type SettingName = keyof LiveConfig;

/** A value being saved, shown as if in force, or why it was refused. */
type Saving = { readonly value: unknown } | { readonly failure: Failure };

/** Where the values are stored. */
interface ValueSource<T> {
  /** The values in force; null while not known. */
  readonly current: () => T | null;
  readonly patch: (change: Partial<T>) => Promise<Result<unknown>>;
  /** Reloads them, where others change them too. */
  readonly load?: () => Promise<unknown>;
  /** Text before the reason of a failure. */
  readonly notDone?: string;
}

/** Edits values of the server: shown at once, saved in turn, taken back when refused. */
export class Editor<T extends object> {
  readonly notDone: string;
  readonly #source: ValueSource<T>;
  readonly #savings = new Signals<Saving | null>(null);
  /** Each change starts from the result of the one before. */
  #tail: Promise<unknown> = Promise.resolve();

  constructor(place: ValueSource<T>) {
    this.#source = place;
    this.notDone = place.notDone ?? "Not saved";
  }

  saving = (name: keyof T & string) => this.#savings.of(name);

  /** The value being saved, else the one in force. */
  shown<Name extends keyof T & string>(name: Name): T[Name] | null {
    const saving = this.saving(name).value;
    // A saving under a name has that name's type; the map cannot express it.
    if (saving !== null && "value" in saving) return saving.value as T[Name];
    return this.#source.current()?.[name] ?? null;
  }

  /** A refused value is taken back. */
  save<Name extends keyof T & string>(name: Name, value: unknown): Promise<Result<unknown>> {
    return this.#inTurn(name, () => value as T[Name], null);
  }

  /**
   * Saves `change` of the value as it is on the server when its turn comes: another browser may
   * have changed the same list.
   */
  change<Name extends keyof T & string>(
    name: Name,
    change: (value: T[Name]) => T[Name],
  ): Promise<Result<unknown>> {
    return this.#inTurn(name, change, async () => this.#source.load?.());
  }

  /** Clears the reasons of failed changes. */
  forget(): void {
    for (const [, saving] of this.#savings.entries())
      if ("failure" in Object(saving.peek())) saving.value = null;
  }

  /** `load` is null for a value that replaces every earlier one. */
  #inTurn<Name extends keyof T & string>(
    name: Name,
    change: (value: T[Name]) => T[Name],
    load: (() => Promise<unknown>) | null,
  ): Promise<Result<unknown>> {
    const { current, patch } = this.#source;
    const saving = this.saving(name);
    // On top of the changes that wait.
    const shown = untracked(() =>
      current() === null ? null : { value: change(this.shown(name) as T[Name]) },
    );
    saving.value = shown;
    const turn = this.#tail.then(async () => {
      const before = current();
      if (before === null) return (saving.value = LOST);
      // Where reloading fails, the patch fails too and says why.
      await load?.();
      const value = change((current() ?? before)[name]);
      const result = await patch({ [name]: value } as unknown as Partial<T>);
      const isReplaced = load === null && "failure" in Object(saving.peek());
      if (!result.ok) saving.value = result;
      // Otherwise a later change is still being saved.
      else if (saving.peek() === shown || isReplaced) saving.value = null;
      return result;
    });
    this.#tail = turn;
    return turn;
  }
}

const LOST = { ok: false, failure: { kind: "lost" } } as const;

export class Settings extends Editor<LiveConfig> {
  constructor({ config }: Pick<Server, "config">) {
    super({
      current: () => config.current.value,
      load: () => config.load(),
      patch: (change) => config.patch(change),
    });
  }
}

/** Three-way merge of lines: additions and removals of both sides apply. */
export function mergeLines(
  before: readonly string[],
  mine: readonly string[],
  theirs: readonly string[],
): readonly string[] {
  if (sameValue(before, theirs)) return mine;
  const lines = theirs.filter((line) => mine.includes(line) || !before.includes(line));
  for (const [at, line] of mine.entries()) {
    if (before.includes(line) || lines.includes(line)) continue;
    const above = mine.slice(0, at).findLast((one) => lines.includes(one)) ?? "";
    lines.splice(lines.indexOf(above) + 1, 0, line);
  }
  return lines;
}

/** An override without any member is removed; a new one goes to the end. */
export function withOverride(
  overrides: readonly PaneOverride[],
  target: string,
  change: Partial<Omit<PaneOverride, "target">>,
): PaneOverride[] {
  const before = overrides.find((one) => one.target === target);
  const after = { target, name: "", kind: null, star: false, ...before, ...change };
  const isEmpty = after.name === "" && after.kind === null && !after.star;
  if (before === undefined) return isEmpty ? [...overrides] : [...overrides, after];
  if (isEmpty) return overrides.filter((one) => one !== before);
  return overrides.map((one) => (one === before ? after : one));
}
