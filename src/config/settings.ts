import { AppError, persistError } from "../errors.ts";
import type { JsonFile } from "../lib/json-file.ts";
import type { Log } from "../lib/log.ts";
import { SavedValue } from "../lib/stored-json.ts";
import { type LiveConfig, MAX_OVERRIDES } from "../protocol/config.ts";
import { CONFIG_KEYS, type Config } from "./fields.ts";
import {
  type Layer,
  layerOf,
  type Layers,
  liveOf,
  parseOverlay,
  renderOverlay,
  requirePatch,
  resolve,
  withStar,
} from "./resolve.ts";

interface SettingsDeps {
  yaml: Layer;
  flags: Layer;
  /** Content of the overlay file; members that this version does not know or accept stay in it. */
  saved: Readonly<Record<string, unknown>>;
  file: Pick<JsonFile, "write">;
  log: Log;
}

type SettingsState = ReturnType<typeof stateOf>;

export class Settings {
  readonly #log: Log;
  readonly #state: SavedValue<SettingsState>;
  readonly #listeners = new Set<() => void>();

  constructor({ yaml, flags, saved, file, log }: SettingsDeps) {
    this.#log = log;
    const { layer, warnings } = parseOverlay(saved);
    for (const warning of warnings) log.warn(warning);
    const state = stateOf({ yaml, overlay: layer, flags }, saved);
    this.#state = new SavedValue(state, (next) => file.write(next.saved));
  }

  get current(): Config {
    return this.#state.current.current;
  }

  /** The same object until something changes: every pass asks. */
  live(): LiveConfig {
    return this.#state.current.live;
  }

  /**
   * Applies a `PATCH /api/config` body, all of it or nothing, and saves it.
   * @throws AppError invalid, persist_failed or storage; then nothing has changed.
   */
  async patch(body: Readonly<Record<string, unknown>>): Promise<LiveConfig> {
    const changes = requirePatch(body);
    await this.#update(() => changes);
    return this.live();
  }

  async star(target: string, starred: boolean): Promise<void> {
    if (target.trim() === "") throw new AppError("invalid", "target must not be empty");
    await this.#update(({ panes }) => {
      const next = withStar(panes, target, starred);
      if (next.length > Math.max(MAX_OVERRIDES, panes.length))
        throw new AppError("invalid", `too many overrides (max ${MAX_OVERRIDES})`);
      // Saved only when it differs, since a saved list hides that of the YAML file.
      return next === panes ? {} : { panes: next };
    });
  }

  changeHosts(change: (hosts: Config["hosts"]) => Config["hosts"]): Promise<void> {
    return this.#update(({ hosts }) => ({ hosts: change(hosts) }));
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #update(changesOf: (current: Config) => Layer): Promise<void> {
    const before = this.live();
    const update = this.#state.change((state) => {
      const { layers, saved, current } = state;
      const changes = changesOf(current);
      if (Object.keys(changes).length === 0) return state;
      const overlay = { ...layers.overlay, ...changes };
      // A change overrides a flag as well, until the next start applies the flag again.
      const flags = without(layers.flags, changes);
      return stateOf({ ...layers, overlay, flags }, { ...saved, ...renderOverlay(changes) });
    });
    await update.catch((cause: unknown) => {
      if (cause instanceof AppError) throw cause;
      this.#log.error("cannot save the settings; the values before stay in force", cause);
      throw persistError("cannot save the settings", cause);
    });
    if (this.live() !== before) this.#announce();
  }

  #announce(): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener();
      } catch (error) {
        this.#log.error("a listener of the settings failed", error);
      }
    }
  }
}

function stateOf(layers: Layers, saved: SettingsDeps["saved"]) {
  const current = resolve(layers);
  return { layers, saved, current, live: liveOf(current) };
}

function without(layer: Layer, removed: Layer): Layer {
  const keys = CONFIG_KEYS.filter(
    (key) => Object.hasOwn(layer, key) && !Object.hasOwn(removed, key),
  );
  return layerOf(keys.map((key) => [key, layer[key]]));
}
