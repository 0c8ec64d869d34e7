import type { NativeAgent, PaneStatus } from "../protocol/pane.ts";
import type { Finding } from "./finding.ts";

/** The question of a pane that is said to wait while its screen was not understood. */
export const WAITING_QUESTION = "Waiting for input";

const STATUS: Readonly<Record<NativeAgent["status"], Exclude<PaneStatus, "offline"> | null>> = {
  blocked: "needs_input",
  working: "working",
  idle: "idle",
  done: "idle",
  unknown: null,
};

/**
 * A finding with what the provider says folded in. An error or a prompt that the screen shows wins:
 * native states follow the screen by up to half a second, and know no errors.
 */
export function foldNative(finding: Finding, native: NativeAgent | null): Finding {
  const status = native?.present ? STATUS[native.status] : null;
  if (!native || status === null) return finding;
  const isSeen = finding.status === "error" || finding.status === "needs_input";
  // Under an overlay nothing is seen: the provider looks past it.
  if (isSeen && !finding.keepsPrevious) return finding;
  const isContested = status === "idle" && finding.status === "working";
  return {
    ...finding,
    status,
    rule: `native.${native.status}`,
    // Whether the screen that says so moves is seen from one capture to the next.
    worksBy: isContested ? finding.rule : null,
    line: isContested ? finding.line : null,
    prompt: null,
    idleIsCertain: status === "idle",
    unsettled: null,
    keepsPrevious: false,
  };
}
