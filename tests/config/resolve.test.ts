import { expect, test } from "bun:test";
import fc from "fast-check";
import { CONFIG_KEYS, FIELDS } from "../../src/config/fields.ts";
import { layerOf, resolve, sourceOf } from "../../src/config/resolve.ts";
import { forAll } from "../support/laws.ts";

test("law: for any layers, each key has the value of the highest one that has it", () => {
  // Which layer a value came from is all that matters here, so the values are the layers' names.
  const layer = fc.subarray([...CONFIG_KEYS]);
  forAll([layer, layer, layer], 120, (yaml, overlay, flags) => {
    const named = { yaml, overlay, flags };
    const layers = {
      yaml: layerOf(yaml.map((key) => [key, "yaml"])),
      overlay: layerOf(overlay.map((key) => [key, "overlay"])),
      flags: layerOf(flags.map((key) => [key, "flags"])),
    };
    const config: Record<string, unknown> = resolve(layers);
    for (const key of CONFIG_KEYS) {
      const highest = (["flags", "overlay", "yaml"] as const).find((n) => named[n].includes(key));
      expect(sourceOf(layers, key)).toBe(highest ?? "default");
      expect(config[key]).toEqual(highest ?? FIELDS[key].default);
    }
  });
});
