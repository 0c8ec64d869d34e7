import type { NativeAgent, PaneStatus } from "../protocol/pane.ts";
import type { Finding } from "./finding.ts";
import type { ScreenLine } from "./region.ts";

/** The question of a pane that waits, as its provider says, but whose screen was not understood. */
export const WAITING_QUESTION = "Waiting for input";

const STATUS: Readonly<Record<NativeAgent["status"], Exclude<PaneStatus, "offline"> | null>> = {
  blocked: "needs_input",
  working: "working",
  idle: "idle",
  done: "idle",
  unknown: null,
};

/**
 * A finding corrected by the provider's own status. An error or a prompt on the screen wins: native
 * states follow the screen by up to half a second, and know no errors.
 */
export function foldNative(finding: Finding, native: NativeAgent | null): Finding {
  const status = native?.present ? STATUS[native.status] : null;
  if (!native || status === null) return finding;
  const isSeen = finding.status === "error" || finding.status === "needs_input";
  // An overlay hides the session from us, but not from the provider.
  if (isSeen && !finding.keepsPrevious) return finding;
  const isContested = status === "idle" && finding.status === "working";
  return {
    ...finding,
    status,
    rule: `native.${native.status}`,
    // Only the next capture shows whether the activity on the screen still moves.
    worksBy: isContested ? finding.rule : null,
    line: isContested ? finding.line : null,
    prompt: null,
    idleIsCertain: status === "idle",
    unsettled: null,
    keepsPrevious: false,
  };
}

/** Hints stand around the input line: below the last message, above and below it. */
const LAST_ROWS = 8;
/** A hint is alone in its row or set apart from others in it, as prose never is. */
const USED_PERCENT = /(?:^|\s\s|· )(\d{1,3})% context used(?:$| ·|\s\s)/;
const LEFT_PERCENT =
  /(?:^|\s\s|· )(?:(\d{1,3})% (?:context left|until auto-compact)|Context left until auto-compact: (\d{1,3})%|Context low \((\d{1,3})% remaining\))(?:$| ·|\s\s)/;
const COMPACT_NEXT = /(?:^|\s\s|· )auto-compact next(?:$| ·|\s\s)/;
const AGENTS: ReadonlySet<string> = new Set(["agent_a", "agent_b"]);

/**
 * How full the context of an agent is, in percent; null where its screen does not say. Only indented
 * rows near the input line count: messages begin with a mark.
 */
export function contextPercent(agent: string | null, lines: readonly ScreenLine[]): number | null {
  if (agent === null || !AGENTS.has(agent)) return null;
  let rows = 0;
  for (let at = lines.length - 1; at >= 0 && rows < LAST_ROWS; at--) {
    const text = lines[at]?.text ?? "";
    if (text.trim() === "") continue;
    rows += 1;
    const percent = percentIn(text);
    if (percent !== null) return percent;
    // Messages end the search, an empty input line does not: one row of hints stands above it.
    if (/^[❯>›●•⏺■✻]/u.test(text) && !/^[❯>›]\s*$/u.test(text)) return null;
  }
  return null;
}

function percentIn(text: string): number | null {
  const row = text.trimEnd();
  if (!/^\s{2,}/.test(row)) return null;
  const used = USED_PERCENT.exec(row)?.[1];
  if (used !== undefined) return bounded(Number(used));
  const [, a, b, c] = LEFT_PERCENT.exec(row) ?? [];
  const left = a ?? b ?? c;
  if (left !== undefined) return bounded(100 - Number(left));
  return COMPACT_NEXT.test(row) ? 100 : null;
}

function bounded(percent: number): number | null {
  return percent >= 0 && percent <= 100 ? percent : null;
}
