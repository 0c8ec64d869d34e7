import { untracked } from "@preact/signals";
import type { LiveConfig, PaneOverride } from "../../../src/protocol/config.ts";
import type { Failure, Result } from "../../net/api.ts";
import { sameValue } from "../../model/reuse.ts";
import { Signals } from "../signals.ts";
import type { Server } from "./server.ts";

export type SettingName = keyof LiveConfig;

/** A value that is on its way, shown as if it held already, or why it was not taken. */
export type Saving = { readonly value: unknown } | { readonly failure: Failure };

/** Where values are kept. */
interface ValueSource<T> {
  /** As it holds now; null while that is not known. */
  readonly current: () => T | null;
  readonly patch: (change: Partial<T>) => Promise<Result<unknown>>;
  /** Asks how it is by now, where others change it too. */
  readonly load?: () => Promise<unknown>;
  /** What is said before the reason. */
  readonly notDone?: string;
}

/**
 * What the server keeps, as a person changes it: shown at once, saved one after another, taken back
 * where it is refused.
 */
export class Editor<T extends object> {
  readonly notDone: string;
  readonly #source: ValueSource<T>;
  readonly #savings = new Signals<Saving | null>(null);
  /** One change after another: each starts from what the one before has left. */
  #tail: Promise<unknown> = Promise.resolve();

  constructor(place: ValueSource<T>) {
    this.#source = place;
    this.notDone = place.notDone ?? "Not saved";
  }

  saving = (name: keyof T & string) => this.#savings.of(name);

  /** The value to show: what is being saved, else what the server says. */
  shown<Name extends keyof T & string>(name: Name): T[Name] | null {
    const saving = this.saving(name).value;
    // What is saved under a name is of that name's type; the map cannot say so.
    if (saving !== null && "value" in saving) return saving.value as T[Name];
    return this.#source.current()?.[name] ?? null;
  }

  /** Saves a value; one that is refused is taken back. */
  save<Name extends keyof T & string>(name: Name, value: unknown): Promise<Result<unknown>> {
    // Whoever keeps it says what it wants.
    return this.#inTurn(name, () => value as T[Name]);
  }

  /**
   * Saves what `change` makes of the value as the server has it once its turn has come: a star, or
   * another browser, may have changed the same list.
   */
  change<Name extends keyof T & string>(
    name: Name,
    change: (value: T[Name]) => T[Name],
  ): Promise<Result<unknown>> {
    return this.#inTurn(name, change, this.#source.load);
  }

  /** Why changes were not taken is told no more. */
  forget(): void {
    for (const [, saving] of this.#savings.entries())
      if ("failure" in Object(saving.peek())) saving.value = null;
  }

  #inTurn<Name extends keyof T & string>(
    name: Name,
    change: (value: T[Name]) => T[Name],
    load?: () => Promise<unknown>,
  ): Promise<Result<unknown>> {
    const { current, patch } = this.#source;
    const saving = this.saving(name);
    // Upon what waits for its turn.
    const shown = untracked(() =>
      current() === null ? null : { value: change(this.shown(name) as T[Name]) },
    );
    saving.value = shown;
    const turn = this.#tail.then(async () => {
      const before = current();
      if (before === null) return (saving.value = LOST);
      // Where it cannot be asked, the change itself says why.
      await load?.();
      const value = change((current() ?? before)[name]);
      const result = await patch({ [name]: value } as unknown as Partial<T>);
      if (!result.ok) saving.value = result;
      // A later change stays shown.
      else if (saving.peek() === shown) saving.value = null;
      return result;
    });
    this.#tail = turn;
    return turn;
  }
}

const LOST = { ok: false, failure: { kind: "lost" } } as const;

/** What holds for everyone. */
export class Settings extends Editor<LiveConfig> {
  constructor({ config }: Pick<Server, "config">) {
    super({
      current: () => config.current.value,
      load: () => config.load(),
      patch: (change) => config.patch(change),
    });
  }
}

/**
 * The lines of a list that `mine` was made from and that is `theirs` by now: what either has added is
 * there, and what either has taken out is not.
 */
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

/** The list with one entry changed: one that holds nothing any more goes, a new one is added at the end. */
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
