import { LiveConfig } from "../protocol/config.ts";
import { CONFIG_KEYS, FIELDS, LIVE_FIELDS, type Config, type ConfigKey } from "./fields.ts";
import type { Field, ReadValue } from "./field.ts";

/** What one layer says; a key that it does not have is left to the layers below. */
export type Layer = { readonly [K in ConfigKey]?: Config[K] };

export interface Layers {
  yaml: Layer;
  overlay: Layer;
  flags: Layer;
}

export type Source = "default" | "yaml" | "overlay" | "flags";

const ORDER = ["yaml", "overlay", "flags"] as const;

const DEFAULTS = layerOf(CONFIG_KEYS.map((key) => [key, FIELDS[key].default]));

export function resolve(layers: Layers): Config {
  // The defaults have every key, so that the result has.
  return { ...DEFAULTS, ...layers.yaml, ...layers.overlay, ...layers.flags } as Config;
}

export function sourceOf(layers: Layers, key: ConfigKey): Source {
  return ORDER.findLast((name) => Object.hasOwn(layers[name], key)) ?? "default";
}

export function liveOf(config: Config): LiveConfig {
  return LiveConfig.parse(
    Object.fromEntries([...LIVE_FIELDS].map(([name, key]) => [name, config[key]])),
  );
}

export function readField(
  key: ConfigKey,
  raw: unknown,
  context: { name: string; brands: boolean },
): ReadValue<unknown> {
  const field: Field<unknown> = FIELDS[key];
  return field.read(raw, { key: context.name, brands: context.brands });
}

/** Entries must hold what `readField` of that very key gave: the compiler cannot follow the pairs. */
export function layerOf(entries: Iterable<readonly [ConfigKey, unknown]>): Layer {
  return Object.fromEntries(entries) as Layer;
}
