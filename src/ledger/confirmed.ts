import type { Act } from "../protocol/act.ts";
import type { PaneState } from "../protocol/pane.ts";

/**
 * Whether a pane shows that what arrived was taken: by what has been drawn since.
 * @param before the pane when it left; null where nobody saw it
 */
export function isConfirmed(
  { kind, at }: Pick<Act, "kind" | "at">,
  before: PaneState | null,
  now: PaneState,
): boolean {
  if (before === null || now.stale) return false;
  if (kind === "stop") return now.status !== "working";
  if (now.updated < at) return false;
  const asked = promptOf(before);
  if (asked !== null)
    return promptOf(now) !== asked || (now.prompt_since !== null && now.prompt_since > at);
  const isText = kind === "text" || kind === "broadcast";
  return isText && before.status !== "working" && now.status === "working";
}

/** Tells prompts apart; null: none is shown. */
function promptOf({ status, legacy_guard, action_guard, question }: PaneState): string | null {
  if (status !== "needs_input") return null;
  return legacy_guard?.prompt_fingerprint ?? action_guard?.prompt_fingerprint ?? question;
}
