import { StartupError } from "../errors.ts";
import type { Field } from "./field.ts";
import { CONFIG_KEYS, FIELDS, type ConfigKey } from "./fields.ts";
import { layerOf, readField, type Layer } from "./resolve.ts";

interface ConfigFlag {
  name: string;
  key: ConfigKey;
  takesValue: boolean;
  help: string;
}

export type Typed = Readonly<Record<string, unknown>>;

export const CONFIG_FLAGS: readonly ConfigFlag[] = CONFIG_KEYS.flatMap((key) => {
  const { flag, help, default: value }: Field<unknown> = FIELDS[key];
  return flag ? [{ name: flag, key, takesValue: typeof value !== "boolean", help }] : [];
});

/**
 * Flags as typed -> the layer above all others.
 * @throws StartupError for a value that is not allowed: on a command line nothing clamps, since
 * the person is there to correct it.
 */
export function readFlags(typed: Typed): Layer {
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
