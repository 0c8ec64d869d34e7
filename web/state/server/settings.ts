import { signal, type Signal } from "@preact/signals";
import type { LiveConfig } from "../../../src/protocol/config.ts";
import { reasonOf, type Failure } from "../../net/api.ts";
import type { ConfigStore } from "./config.ts";

export type SettingName = keyof LiveConfig;

/** How the last change of one setting fares; null when nothing is to be said. */
export type Saving =
  /** Shown as if it held already. */
  | { readonly step: "saving"; readonly value: unknown }
  | { readonly step: "failed"; readonly reason: string }
  | { readonly step: "lost" };

/** Settings of everyone, saved one by one, each with its own outcome. */
export class Settings {
  readonly #config: ConfigStore;
  readonly #savings = new Map<SettingName, Signal<Saving | null>>();
  /** One change after another: each starts from what the one before has left. */
  #tail: Promise<unknown> = Promise.resolve();

  constructor(config: ConfigStore) {
    this.#config = config;
  }

  saving(name: SettingName): Signal<Saving | null> {
    const known = this.#savings.get(name);
    if (known !== undefined) return known;
    const saving = signal<Saving | null>(null);
    this.#savings.set(name, saving);
    return saving;
  }

  clear(): void {
    for (const saving of this.#savings.values()) saving.value = null;
  }

  /** The value to show: what is being saved, else what the server says. */
  shown<Name extends SettingName>(name: Name): LiveConfig[Name] | null {
    const saving = this.saving(name).value;
    // What is saved under a name is of that name's type; the map cannot say so.
    if (saving?.step === "saving") return saving.value as LiveConfig[Name];
    return this.#config.current.value?.[name] ?? null;
  }

  /** Saves a value; null when the server has taken it, else why not. A refused value is taken back. */
  save(name: SettingName, value: unknown): Promise<Failure | null> {
    return this.#inTurn(name, () => value);
  }

  /**
   * Saves what `change` makes of the value as the server has it once its turn has come: a star, or
   * another browser, may have changed the same list.
   */
  change<Name extends SettingName>(
    name: Name,
    change: (value: LiveConfig[Name]) => LiveConfig[Name],
  ): Promise<Failure | null> {
    return this.#inTurn(name, (current) => change(current[name]), true);
  }

  #inTurn(
    name: SettingName,
    valueFrom: (current: LiveConfig) => unknown,
    isAsked = false,
  ): Promise<Failure | null> {
    const turn = this.#tail.then(() => this.#save(name, valueFrom, isAsked));
    this.#tail = turn;
    return turn;
  }

  async #save(
    name: SettingName,
    valueFrom: (current: LiveConfig) => unknown,
    isAsked: boolean,
  ): Promise<Failure | null> {
    const { current } = this.#config;
    const shown = current.peek();
    if (shown === null) return { kind: "lost" };
    const saving = this.saving(name);
    saving.value = { step: "saving", value: valueFrom(shown) };
    // Where it cannot be asked, the change itself says why.
    if (isAsked) await this.#config.load();
    const value = valueFrom(current.peek() ?? shown);
    const failure = await this.#config.patch({ [name]: value });
    saving.value = outcomeOf(failure);
    return failure;
  }
}

function outcomeOf(failure: Failure | null): Saving | null {
  if (failure === null) return null;
  return failure.kind === "lost" ? { step: "lost" } : { step: "failed", reason: reasonOf(failure) };
}
