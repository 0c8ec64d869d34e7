import type { PaneOverride } from "../../src/protocol/config.ts";

/** The overrides with another name for one target; an empty name takes the override's name away. */
export function withName(
  overrides: readonly PaneOverride[],
  target: string,
  name: string,
): readonly PaneOverride[] {
  const known = overrides.some((override) => override.target === target);
  const all = known ? overrides : [...overrides, { target, name: "", kind: null, star: false }];
  const named = all.map((override) =>
    override.target === target ? { ...override, name } : override,
  );
  return named.filter(({ name: own, kind, star }) => own !== "" || kind !== null || star);
}
