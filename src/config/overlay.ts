import { OVERLAY_FIELDS, type ConfigKey } from "./fields.ts";
import { layerOf, readField, type Layer } from "./resolve.ts";

export const OVERLAY_FILE = "panewatch-settings.json";

/** What holds of the file's content; a value that no longer validates does not, with a warning. */
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

/** The overlay's content, under the names that the API has. */
export function renderOverlay(layer: Layer): Record<string, unknown> {
  return Object.fromEntries(
    [...OVERLAY_FIELDS]
      .filter(([, key]) => Object.hasOwn(layer, key))
      .map(([name, key]) => [name, layer[key]]),
  );
}
