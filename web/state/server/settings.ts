import type { LiveConfig, PaneOverride } from "../../../src/protocol/config.ts";
import type { Failure, Result } from "../../net/api.ts";
import { Signals } from "../signals.ts";
import type { ConfigStore } from "./config.ts";
import type { Server } from "./server.ts";

export type SettingName = keyof LiveConfig;

/** A value that is on its way, shown as if it held already, or why it was not taken. */
export type Saving = { readonly value: unknown } | { readonly failure: Failure };

/** What holds for everyone, as a person changes it. */
export class Settings {
  readonly #config: ConfigStore;
  readonly #savings = new Signals<Saving | null>(null);
  /** One change after another: each starts from what the one before has left. */
  #tail: Promise<unknown> = Promise.resolve();

  constructor({ config }: Pick<Server, "config">) {
    this.#config = config;
  }

  saving = (name: SettingName) => this.#savings.of(name);

  /** The value to show: what is being saved, else what the server says. */
  shown<Name extends SettingName>(name: Name): LiveConfig[Name] | null {
    const saving = this.saving(name).value;
    // What is saved under a name is of that name's type; the map cannot say so.
    if (saving !== null && "value" in saving) return saving.value as LiveConfig[Name];
    return this.#config.current.value?.[name] ?? null;
  }

  /** Saves a value; one that is refused is taken back. */
  save(name: SettingName, value: unknown): Promise<Result<unknown>> {
    return this.#inTurn(name, async () => value);
  }

  /**
   * Saves what `change` makes of the value as the server has it once its turn has come: a star, or
   * another browser, may have changed the same list.
   */
  change<Name extends SettingName>(
    name: Name,
    change: (value: LiveConfig[Name]) => LiveConfig[Name],
  ): Promise<Result<unknown>> {
    return this.#inTurn(name, async (shown) => {
      this.saving(name).value = { value: change(shown[name]) };
      // Where it cannot be asked, the change itself says why.
      await this.#config.load();
      return change((this.#config.current.peek() ?? shown)[name]);
    });
  }

  #inTurn(
    name: SettingName,
    valueFrom: (shown: LiveConfig) => Promise<unknown>,
  ): Promise<Result<unknown>> {
    const saving = this.saving(name);
    const turn = this.#tail.then(async (): Promise<Result<unknown>> => {
      const shown = this.#config.current.peek();
      if (shown === null) return { ok: false, failure: { kind: "lost" } };
      const value = await valueFrom(shown);
      saving.value = { value };
      const result = await this.#config.patch({ [name]: value });
      saving.value = result.ok ? null : result;
      return result;
    });
    this.#tail = turn;
    return turn;
  }
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
