import type { PaneStatus } from "../protocol/pane.ts";
import type { Reading } from "../terminal/reading.ts";

/** What keeps a screen from taking a text in that status, and nothing else; null: nothing. */
export function obstacleOf(
  { state, prompt, finding, composer }: Reading,
  status: PaneStatus,
): "asks" | "busy" | "typed" | "unclear" | null {
  if (prompt !== null || state.status === "needs_input") return "asks";
  if (state.status !== status || finding.keepsPrevious) return "busy";
  if (composer?.holds === "draft") return "typed";
  return composer?.holds === "nothing" ? null : "unclear";
}
