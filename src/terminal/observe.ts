import { fingerprints } from "../detect/prompt.ts";
import type { Finding, Prompt, Unsettled } from "../detect/finding.ts";
import type { LegacyGuard } from "../protocol/pane.ts";
import { guardedPrompt, type GuardedPrompt } from "./action-guard.ts";
import type { Observation, Observed, ObserveInput } from "./record.ts";
import { decideStatus, REDRAWN_SECONDS, shownBy, unsettledBy } from "./status.ts";
import { type PaneText, stateOf } from "./pane-state.ts";

const PREVIEW_LINES = 6;

/** What a pane is now. When nothing that is published differs, the state is the same object as before. */
export function observe(look: ObserveInput, before: Observed | null): Observation {
  const { monotonic: now, pane, screen, finding } = look;
  const text = readText(look, before);
  const isResized =
    before !== null && (before.pane.width !== pane.width || before.pane.height !== pane.height);
  const resizedAt = isResized ? now : (before?.resizedAt ?? -Infinity);
  const isRedrawn = now - resizedAt < REDRAWN_SECONDS;
  // Text that finds other places in a pane of another size is no work.
  const hasPrinted = text.isChanged && before !== null && !isRedrawn;
  const unsettledAt = finding.unsettled ? (before?.unsettledAt ?? now) : null;
  // Of a pane that was never seen before there is nothing to hold.
  const unsettled =
    before && unsettledBy(finding, { seconds: now - (unsettledAt ?? now), isRedrawn });
  const decidingLine = screen.lines[finding.line ?? -1]?.text ?? null;
  const isSameLine = before?.decidingLine === decidingLine;
  const seenMoving = before ? now : -Infinity;
  const times = {
    changedAt: hasPrinted ? now : (before?.changedAt ?? -Infinity),
    workingAt: finding.status === "working" ? now : (before?.workingAt ?? -Infinity),
    movedAt: isSameLine ? before.movedAt : seenMoving,
    decidingSince: isSameLine ? before.decidingSince : now,
    ...{ resizedAt, unsettledAt },
  };
  const decided = decideStatus(look, before, times, unsettled);
  const prompt = publishedPrompt(finding, before, unsettled);
  const guarded = guardedBy(look, before);
  const guard = guarded ? null : legacyGuard(prompt, before);
  return {
    ...times,
    ...{ prompt, guarded, decidingLine, lines: text.lines },
    isUnsettled: unsettled !== null,
    shown: shownBy(decided, finding, before?.shown ?? null),
    ...stateOf(look, before, { ...decided, prompt, text, guard, guarded }),
  };
}

function legacyGuard(prompt: Prompt | null, before: Observed | null): LegacyGuard {
  const known = before && before.prompt === prompt ? before.state.legacy_guard : null;
  return known ?? fingerprints(prompt);
}

// Of what stands there now: an answer is never bound to a prompt that an overlay hides.
function guardedBy(
  { pane, screen, finding, composer }: ObserveInput,
  before: Observed | null,
): GuardedPrompt | null {
  if (pane.capabilities.input !== "guarded_v1") return null;
  const isSame =
    before !== null &&
    before.screen === screen &&
    before.finding === finding &&
    before.pane.revision === pane.revision;
  const { revision } = pane;
  return (isSame ? before.guarded : null) ?? guardedPrompt({ revision, finding, screen, composer });
}

function publishedPrompt(
  { keepsPrevious, prompt }: Finding,
  before: Observed | null,
  unsettled: Unsettled | null,
): Prompt | null {
  if (!before || !(keepsPrevious || unsettled)) return prompt;
  return unsettled === "title" ? null : before.prompt;
}

function readText({ display, captureLines }: ObserveInput, before: Observed | null): PaneText {
  const all = display.lines;
  const lines = all.length > captureLines ? all.slice(-captureLines) : all;
  const old = before?.state;
  const isSame = before?.display === display && before.lines.length === lines.length;
  const isSameText = () =>
    lines.length === old?.lines.length && lines.every(({ text }, at) => text === old.lines[at]);
  if (before && (isSame || isSameText())) {
    const { lines: published, preview } = before.state;
    return { lines: isSame ? before.lines : lines, published, preview, isChanged: false };
  }
  const published = lines.map((line) => line.text);
  return { lines, published, preview: previewOf(published), isChanged: true };
}

/** The last lines with text; hundreds above them are not looked at. */
function previewOf(lines: readonly string[]): string[] {
  const preview: string[] = [];
  for (let at = lines.length - 1; at >= 0 && preview.length < PREVIEW_LINES; at--) {
    const line = lines[at] ?? "";
    if (line.trim() !== "") preview.unshift(line);
  }
  return preview;
}
