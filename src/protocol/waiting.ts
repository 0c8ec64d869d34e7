import type { PaneState } from "./pane.ts";

/** When a pane's prompt appeared, or its status began: epoch seconds. */
export const sinceOf = (
  pane: Pick<PaneState, "prompt_since" | "status_since" | "updated">,
): number => pane.prompt_since ?? (pane.status_since || pane.updated);
