import type { PaneOverride } from "../../src/protocol/config.ts";

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
