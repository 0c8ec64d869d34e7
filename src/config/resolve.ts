import { AppError, StartupError } from "../errors.ts";
import type { LiveConfig, PaneOverride } from "../protocol/config.ts";
import { type Field, type FieldReading, unknownKeys } from "./field.ts";
import {
  type Config,
  CONFIG_KEYS,
  type ConfigKey,
  FIELDS,
  LIVE_FIELDS,
  OVERLAY_FIELDS,
} from "./fields.ts";

/** Values of one layer; the layers below give the others. */
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
  // The defaults have every key: so does the result.
  return { ...DEFAULTS, ...layers.yaml, ...layers.overlay, ...layers.flags } as Config;
}

export function sourceOf(layers: Layers, key: ConfigKey): Source {
  return ORDER.findLast((name) => Object.hasOwn(layers[name], key)) ?? "default";
}

/** Every field has the type of its live name: the compiler cannot follow the pairs. */
export function liveOf(config: Config): LiveConfig {
  const entries = [...LIVE_FIELDS].map(([name, key]) => [name, config[key]]);
  return Object.fromEntries(entries) as LiveConfig;
}

export function readField(
  key: ConfigKey,
  raw: unknown,
  { name, brands }: { name: string; brands: boolean },
): FieldReading<unknown> {
  const field: Field<unknown> = FIELDS[key];
  const read = field.schema(brands).safeParse(raw);
  if (!read.success) {
    const { message = "", path = [] } = read.error.issues[0] ?? {};
    const member = path.findLast((step) => typeof step === "string") ?? name;
    return { refused: message.replace("{key}", () => String(member)), at: path };
  }
  const value = read.data;
  const isClamped = field.clamp !== undefined && value !== raw;
  const clamped = isClamped ? [`${String(raw)} is not ${field.allowed}; using ${value}`] : [];
  return { value, notes: [...clamped, ...unknownKeys(field.kind, raw)] };
}

/** Each value must be what `readField` gave for its key: the compiler cannot check the pairs. */
export function layerOf(entries: Iterable<readonly [ConfigKey, unknown]>): Layer {
  return Object.fromEntries(entries) as Layer;
}

export const OVERLAY_FILE = "panewatch-settings.json";

/** Leaves out values that no longer validate, with a warning for each. */
export function parseOverlay(content: Readonly<Record<string, unknown>>): {
  layer: Layer;
  warnings: string[];
} {
  const entries: [ConfigKey, unknown][] = [];
  const warnings: string[] = [];
  for (const [name, raw] of Object.entries(content)) {
    const key = OVERLAY_FIELDS.get(name);
    if (key === undefined) {
      warnings.push(`${OVERLAY_FILE}: unknown key ${name} is ignored`);
      continue;
    }
    const reading = readField(key, raw, { name, brands: false });
    if ("refused" in reading)
      warnings.push(`${OVERLAY_FILE}: ${reading.refused}; the saved value is ignored`);
    else {
      warnings.push(...reading.notes.map((note) => `${OVERLAY_FILE}: ${name}: ${note}`));
      entries.push([key, reading.value]);
    }
  }
  return { layer: layerOf(entries), warnings };
}

export function renderOverlay(layer: Layer): Record<string, unknown> {
  return Object.fromEntries(
    [...OVERLAY_FIELDS]
      .filter(([, key]) => Object.hasOwn(layer, key))
      .map(([name, key]) => [name, layer[key]]),
  );
}

/**
 * The changes that a `PATCH /api/config` body asks for; unknown keys are ignored.
 * @throws AppError invalid at the first bad value.
 */
export function requirePatch(body: Readonly<Record<string, unknown>>): Layer {
  const entries: [ConfigKey, unknown][] = [];
  for (const [name, key] of LIVE_FIELDS) {
    if (!Object.hasOwn(body, name)) continue;
    const reading = readField(key, body[name], { name, brands: false });
    if ("refused" in reading) throw new AppError("invalid", reading.refused);
    entries.push([key, reading.value]);
  }
  return layerOf(entries);
}

/** Removes an override that is left without a value. The same list when nothing changes. */
export function withStar(
  overrides: readonly PaneOverride[],
  target: string,
  star: boolean,
): readonly PaneOverride[] {
  const before = overrides.find((one) => one.target === target);
  if ((before?.star ?? false) === star) return overrides;
  if (!before) return [...overrides, { target, name: "", kind: null, star }];
  const isEmpty = !star && before.name === "" && before.kind === null;
  if (isEmpty) return overrides.filter((one) => one !== before);
  return overrides.map((one) => (one === before ? { ...one, star } : one));
}

export type Flags = Readonly<Record<string, unknown>>;

export const CONFIG_FLAGS = CONFIG_KEYS.flatMap((key) => {
  const { flag }: Field<unknown> = FIELDS[key];
  return flag ? [{ name: flag, key }] : [];
});

/**
 * @throws StartupError for a value that is not allowed or out of range: on a command line the
 * person is there to correct it
 */
export function readFlags(typed: Flags): Layer {
  const entries = CONFIG_FLAGS.flatMap(({ name, key }) => {
    const value = typed[name];
    const isTyped = typeof value === "string" || value === true;
    return isTyped ? [[key, readFlag(name, key, value)] as const] : [];
  });
  return layerOf(entries);
}

function readFlag(name: string, key: ConfigKey, typed: string | true): unknown {
  const field: Field<unknown> = FIELDS[key];
  const isNumber = typeof field.default === "number" && /^\d+$/.test(String(typed));
  const reading = readField(key, isNumber ? Number(typed) : typed, {
    name: `--${name}`,
    brands: true,
  });
  if ("refused" in reading) throw new StartupError(`${reading.refused}; allowed: ${field.allowed}`);
  if (reading.notes.length > 0)
    throw new StartupError(`--${name} ${String(typed)} is not allowed; allowed: ${field.allowed}`);
  return reading.value;
}
