import { AppError } from "../errors.ts";
import type { PaneOverride } from "../protocol/config.ts";
import { isObject } from "./field.ts";
import { LIVE_FIELDS, type ConfigKey } from "./fields.ts";
import { layerOf, readField, type Layer } from "./resolve.ts";

/**
 * The changes that a `PATCH /api/config` body asks for; unknown keys are ignored.
 * @throws AppError malformed when the body is no object, invalid at the first bad value.
 */
export function requirePatch(body: unknown): Layer {
  if (!isObject(body))
    throw new AppError("malformed", "the body must be an object", [
      { loc: ["body"], msg: "the body must be an object", type: "invalid_type" },
    ]);
  const entries: [ConfigKey, unknown][] = [];
  for (const [name, key] of LIVE_FIELDS) {
    if (!Object.hasOwn(body, name)) continue;
    const reading = readField(key, body[name], { name, brands: false });
    if ("refused" in reading) throw new AppError("invalid", reading.refused);
    entries.push([key, reading.value]);
  }
  return layerOf(entries);
}

/**
 * Sets one target's star; other members stay, and an override left with nothing set is removed.
 * The same list when nothing changes.
 */
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
