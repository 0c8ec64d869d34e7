import { obstacleOf } from "../../input/obstacle.ts";
import type { Reading } from "../../terminal/reading.ts";
import type { ObservedPane } from "../binding/observed-panes.ts";
import { conversationOn } from "../binding/screen-words.ts";

/** Rows at the end of a screen that must be the same where nobody knows the input line. */
const LAST_ROWS = 16;

const OBSTACLES = {
  asks: "the agent waits for an answer",
  busy: "the agent is not idle",
  typed: "somebody has typed something into the input line",
  unclear: "it cannot be told what stands in the input line",
} as const;

/** Why a message must not be typed into a pane as it is now; null: it may. */
export function whyNotTyped(now: Reading, place: ObservedPane, hasSpoken: boolean): string | null {
  const { state, pane, composer } = now;
  if (state.kind !== place.runtime) return "another program runs in the pane";
  if (pane.identity !== place.identity || pane.cwd !== place.state.cwd)
    return "the pane is not the one that the session was in";
  const obstacle = obstacleOf(now, "idle");
  const isBare = obstacle === "unclear" && composer === null;
  if (obstacle !== null && !isBare) return OBSTACLES[obstacle];
  const conversation = conversationOn(state.lines, place.runtime, true);
  const drawnBefore = place.conversation.folder;
  if (drawnBefore !== null && conversation.folder !== null && conversation.folder !== drawnBefore)
    return "the program works in another folder";
  if (hasSpoken && conversation.isFresh) return "the program has begun another session";
  if (composer) return null;
  return isSameBareScreen(state.lines, place.state.lines) ? null : "no input line is recognised";
}

function isSameBareScreen(now: readonly string[], seen: readonly string[]): boolean {
  const last = lastRows(now);
  return last.join("\n") === lastRows(seen).join("\n") && /^\s*[>❯›]\s*$/.test(last.at(-1) ?? "");
}

function lastRows(lines: readonly string[]): string[] {
  return lines.filter((line) => line.trim() !== "").slice(-LAST_ROWS);
}
