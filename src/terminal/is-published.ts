import type { PaneState } from "../protocol/pane.ts";

interface ShownRules {
  auto_discover: boolean;
  include_shells: boolean;
}

/** Whether a listed pane is published. */
export function isPublished(
  { kind, status }: PaneState,
  rules: ShownRules,
  pane: { hasOverride: boolean; isCreatedHere: boolean },
): boolean {
  if (pane.hasOverride) return true;
  if (!rules.auto_discover) return false;
  if (kind !== "shell" || rules.include_shells) return true;
  return pane.isCreatedHere || status === "needs_input";
}
