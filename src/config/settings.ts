import { AppError, persistError } from "../errors.ts";
import type { JsonFile } from "../lib/json-file.ts";
import { Mutex } from "../lib/lock.ts";
import type { Log } from "../lib/log.ts";
import { type LiveConfig, MAX_OVERRIDES } from "../protocol/config.ts";
import { CONFIG_KEYS, type Config, type ConfigKey } from "./fields.ts";
import {
  type Layer,
  layerOf,
  type Layers,
  liveOf,
  parseOverlay,
  renderOverlay,
  requirePatch,
  resolve,
  type Source,
  sourceOf,
  withStar,
} from "./resolve.ts";

interface SettingsDeps {
  yaml: Layer;
  flags: Layer;
  /** What the overlay file holds; members that this version does not know or accept stay in it. */
  saved: Readonly<Record<string, unknown>>;
  file: Pick<JsonFile, "write">;
  log: Log;
}

export class Settings {
  readonly #deps: SettingsDeps;
  readonly #lock = new Mutex();
  readonly #listeners = new Set<() => void>();
  #layers: Layers;
  #saved: Readonly<Record<string, unknown>>;
  #current: Config;
  #live: LiveConfig;

  constructor(deps: SettingsDeps) {
    this.#deps = deps;
    const { yaml, flags, saved, log } = deps;
    const { layer, warnings } = parseOverlay(saved);
    for (const warning of warnings) log.warn(warning);
    this.#saved = saved;
    this.#layers = { yaml, overlay: layer, flags };
    this.#current = resolve(this.#layers);
    this.#live = liveOf(this.#current);
  }

  get current(): Config {
    return this.#current;
  }

  /** The same object until something changes: every pass asks. */
  live(): LiveConfig {
    return this.#live;
  }

  sourceOf(key: ConfigKey): Source {
    return sourceOf(this.#layers, key);
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
      // Saved only when it differs: a saved list hides what the file says from then on.
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

  // Updates are serialised, and each starts from the values that the one before left: none is lost.
  #update(changesOf: (current: Config) => Layer): Promise<void> {
    return this.#lock.run(async () => {
      const changes = changesOf(this.#current);
      if (Object.keys(changes).length === 0) return;
      const layers: Layers = {
        ...this.#layers,
        overlay: { ...this.#layers.overlay, ...changes },
        // A change made now holds at once, over a flag too; the next start applies the flag again.
        flags: without(this.#layers.flags, changes),
      };
      const saved = { ...this.#saved, ...renderOverlay(changes) };
      await this.#save(saved);
      this.#saved = saved;
      this.#layers = layers;
      this.#current = resolve(layers);
      this.#live = liveOf(this.#current);
      this.#announce();
    });
  }

  async #save(content: Readonly<Record<string, unknown>>): Promise<void> {
    try {
      await this.#deps.file.write(content);
    } catch (cause) {
      this.#deps.log.error("cannot save the settings; the values before stay in force", cause);
      throw persistError("cannot save the settings", cause);
    }
  }

  #announce(): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener();
      } catch (error) {
        this.#deps.log.error("a listener of the settings failed", error);
      }
    }
  }
}

function without(layer: Layer, removed: Layer): Layer {
  const keys = CONFIG_KEYS.filter(
    (key) => Object.hasOwn(layer, key) && !Object.hasOwn(removed, key),
  );
  return layerOf(keys.map((key) => [key, layer[key]]));
}
