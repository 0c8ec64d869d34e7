import { fingerprints } from "../detect/prompt.ts";
import type { Finding, Prompt, Unsettled } from "../detect/finding.ts";
import type { Screen, ScreenLine } from "../detect/region.ts";
import type { LegacyGuard } from "../protocol/pane.ts";
import {
  guardedPrompt,
  type GuardedPrompt,
  type Observation,
  type Observed,
  type ObserveInput,
} from "./record.ts";
import { decideStatus, REDRAWN_SECONDS, shownBy, unsettledBy } from "./status.ts";
import { type PaneText, stateOf } from "./pane-state.ts";
import type { ListedPane } from "./provider.ts";

const PREVIEW_LINES = 6;

/**
 * What a pane is now, from what it shows and what it was. Time only enters with the look. When
 * nothing that is published differs, the state is the same object as before.
 */
export function observe(look: ObserveInput, before: Observed | null): Observation {
  const { monotonic: now, pane, screen, finding } = look;
  const text = readText(look, before);
  const isResized = before !== null && !isSameSize(before.pane, pane);
  const resizedAt = isResized ? now : (before?.resizedAt ?? -Infinity);
  const isRedrawn = now - resizedAt < REDRAWN_SECONDS;
  // Text that finds other places in a pane of another size is no work.
  const hasPrinted = text.isChanged && before !== null && !isRedrawn;
  const changedAt = hasPrinted ? now : (before?.changedAt ?? -Infinity);
  const workingAt = finding.status === "working" ? now : (before?.workingAt ?? -Infinity);
  const unsettledAt = finding.unsettled ? (before?.unsettledAt ?? now) : null;
  // Of a pane that was never seen before there is nothing to hold.
  const unsettled =
    before && unsettledBy(finding, { seconds: now - (unsettledAt ?? now), isRedrawn });
  const shown = before?.shown ?? null;
  const decidingLine = screen.lines[finding.line ?? -1]?.text ?? null;
  const isSameLine = before?.decidingLine === decidingLine;
  const decidingSince = isSameLine ? before.decidingSince : now;
  const seenMoving = before ? now : -Infinity;
  const movedAt = isSameLine ? before.movedAt : seenMoving;
  const decided = decideStatus({
    now,
    finding,
    before: before?.state ?? null,
    shown,
    changedAt,
    workingAt,
    unsettled,
    movedAt,
    hasProgress: pane.hasProgress,
    isAwaited: look.isAwaited,
  });
  const prompt = publishedPrompt(finding, before, unsettled);
  const guarded = guardedBy(look, before);
  const guard = guarded ? null : legacyGuard(prompt, before);
  const facts = { ...decided, prompt, text, guard, guarded };
  return {
    prompt,
    guarded,
    lines: text.lines,
    changedAt,
    workingAt,
    unsettledAt,
    resizedAt,
    isUnsettled: unsettled !== null,
    decidingLine,
    decidingSince,
    movedAt,
    shown: shownBy(decided, { finding, before: shown }),
    ...stateOf(look, before, facts),
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

function isSameSize(a: ListedPane, b: ListedPane): boolean {
  return a.width === b.width && a.height === b.height;
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
  const lines = lastLines(display, captureLines);
  const old = before?.state;
  if (old && before.display === display && before.lines.length === lines.length)
    return { lines: before.lines, published: old.lines, preview: old.preview, isChanged: false };
  if (old && isSameText(lines, old.lines))
    return { lines, published: old.lines, preview: old.preview, isChanged: false };
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

function lastLines({ lines }: Screen, count: number): readonly ScreenLine[] {
  return lines.length > count ? lines.slice(-count) : lines;
}

function isSameText(lines: readonly ScreenLine[], texts: readonly string[]): boolean {
  return lines.length === texts.length && lines.every((line, index) => line.text === texts[index]);
}
