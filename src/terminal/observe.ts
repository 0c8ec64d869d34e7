import { fingerprints } from "../detect/fingerprint.ts";
import type { Composer, Finding, Prompt, Unsettled } from "../detect/finding.ts";
import { WAITING_QUESTION } from "../detect/native.ts";
import type { Screen, ScreenLine } from "../detect/screen.ts";
import type { PaneOverride } from "../protocol/config.ts";
import type { LegacyGuard, MenuOption, PaneKind, PaneState, PaneStatus } from "../protocol/pane.ts";
import { judge, shownBy, REDRAWN_SECONDS, unsettledBy, type Judgement } from "./judge.ts";
import { guardedPrompt, type GuardedPrompt } from "./action-guard.ts";
import type { Moment } from "./moment.ts";
import type { ListedPane } from "./provider.ts";

const PREVIEW_LINES = 6;
const MAX_ERROR_LINES = 12;

/** What a pass knows of one pane, at the moment of its capture or of this look at it. */
export interface Look extends Moment {
  pane: ListedPane;
  /** What detectors read. The same object as before when nothing was captured, or the same text. */
  screen: Screen;
  /** What people are shown: the same object as `screen` where the provider reads both at once. */
  display: Screen;
  /** Of this screen; where the patterns gave no answer in time, the one before still holds. */
  finding: Finding;
  /** The agent's input line on this screen; only read where input is guarded. */
  composer: Composer | null;
  captureLines: number;
  override: PaneOverride | null;
  nameOf: (facts: { kind: PaneKind; lines: readonly string[] }) => string;
  interacted: number;
  provider: string;
  /** False: the pane's last capture failed. */
  isFresh: boolean;
  /** False: the provider may only be watched. */
  mayAct: boolean;
}

/** What is remembered of one pane from pass to pass. */
export interface PaneRecord {
  pane: ListedPane;
  screen: Screen;
  display: Screen;
  /** What the screen shows now. */
  finding: Finding;
  composer: Composer | null;
  /** The prompt that is published: under an overlay, the one from before it. */
  prompt: Prompt | null;
  /** Where input is guarded: what an answer to this screen has to name. */
  guarded: GuardedPrompt | null;
  /** The styled lines behind `state.lines`. */
  lines: readonly ScreenLine[];
  /** Monotonic seconds of the last change of text after the first capture; -Infinity when none. */
  changedAt: number;
  /** Monotonic seconds when a sign of work was last seen; -Infinity when never. */
  workingAt: number;
  /** Monotonic seconds since when the screen has shown what often lasts only a moment; else null. */
  unsettledAt: number | null;
  /** Monotonic seconds when the pane last had another size; -Infinity when never. */
  resizedAt: number;
  /** The status for an overlay to keep. */
  shown: PaneStatus;
  /** What the screen shows is not believed yet. */
  isUnsettled: boolean;
  /** The line that decided; null where none did. */
  decidingLine: string | null;
  /** Monotonic seconds since when that line has decided. */
  decidingSince: number;
  /** When it was seen to become this one; -Infinity when it was there from the start. */
  movedAt: number;
  state: PaneState;
}

/**
 * What a pane is now, from what it shows and what it was. Time only enters with the look. When
 * nothing that is published differs, the state is the same object as before.
 */
export function observe(look: Look, before: PaneRecord | null): PaneRecord {
  const { monotonic: now, pane, screen, display, finding, composer } = look;
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
  const judgement = judge({
    now,
    finding,
    before: before?.state ?? null,
    shown,
    changedAt,
    workingAt,
    unsettled,
    movedAt,
    hasProgress: pane.hasProgress,
  });
  const prompt = publishedPrompt(finding, before, unsettled);
  const guarded = guardedBy(look, before);
  const guard = guarded ? null : legacyGuard(prompt, before);
  const facts = { ...judgement, prompt, text, guard, guarded };
  return {
    pane,
    screen,
    display,
    finding,
    composer,
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
    shown: shownBy(judgement, { finding, before: shown }),
    state: stateOf(look, before, facts),
  };
}

function legacyGuard(prompt: Prompt | null, before: PaneRecord | null): LegacyGuard {
  const known = before && before.prompt === prompt ? before.state.legacy_guard : null;
  return known ?? fingerprints(prompt);
}

// Of what stands there now: an answer is never bound to a prompt that an overlay hides.
function guardedBy(
  { pane, screen, finding, composer }: Look,
  before: PaneRecord | null,
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
  before: PaneRecord | null,
  unsettled: Unsettled | null,
): Prompt | null {
  if (!before || !(keepsPrevious || unsettled)) return prompt;
  return unsettled === "title" ? null : before.prompt;
}

interface Text {
  lines: readonly ScreenLine[];
  published: string[];
  preview: string[];
  isChanged: boolean;
}

function readText({ display, captureLines }: Look, before: PaneRecord | null): Text {
  const lines = lastLines(display, captureLines);
  const old = before?.state;
  if (old && before.display === display && before.lines.length === lines.length)
    return { lines: before.lines, published: old.lines, preview: old.preview, isChanged: false };
  if (old && isSameText(lines, old.lines))
    return { lines, published: old.lines, preview: old.preview, isChanged: false };
  const published = lines.map((line) => line.text);
  const preview = published.filter((line) => line.trim() !== "").slice(-PREVIEW_LINES);
  return { lines, published, preview, isChanged: true };
}

function lastLines({ lines }: Screen, count: number): readonly ScreenLine[] {
  return lines.length > count ? lines.slice(-count) : lines;
}

function isSameText(lines: readonly ScreenLine[], texts: readonly string[]): boolean {
  return lines.length === texts.length && lines.every((line, index) => line.text === texts[index]);
}

interface StateFacts extends Judgement {
  prompt: Prompt | null;
  text: Text;
  guard: LegacyGuard | null;
  guarded: GuardedPrompt | null;
}

function stateOf(s: Look, record: PaneRecord | null, facts: StateFacts): PaneState {
  const before = record?.state ?? null;
  const { pane, override, finding } = s;
  const { status, rule, prompt, text, guard, guarded } = facts;
  const next: PaneState = {
    id: pane.id,
    target: pane.target,
    name: s.nameOf({ kind: finding.kind, lines: text.published }),
    kind: finding.kind,
    status,
    title: pane.title,
    question: prompt?.question ?? (isBlocked(pane, status) ? WAITING_QUESTION : null),
    menu: reuse(before?.menu, menuOf(prompt, finding, guarded)),
    preview: text.preview,
    lines: text.published,
    updated: text.isChanged ? s.at : (before?.updated ?? s.at),
    changed: text.isChanged,
    window: pane.window,
    starred: override?.star ?? false,
    interacted: s.interacted,
    provider: s.provider,
    hierarchy: reuse(before?.hierarchy, pane.hierarchy),
    capabilities: reuse(before?.capabilities, pane.capabilities),
    native_agent: reuse(before?.native_agent ?? undefined, pane.native),
    action_guard: reuse(before?.action_guard ?? undefined, guarded?.guard ?? null),
    actionable: s.isFresh && s.mayAct,
    stale: !s.isFresh,
    agent: reuse(before?.agent ?? undefined, finding.agent),
    command: pane.command,
    cwd: pane.cwd,
    status_since: before?.status === status ? before.status_since : s.at,
    prompt_since: promptSince({ ...facts, isAsking: isBlocked(pane, status) }, record, s.at),
    evidence: reuse(before?.evidence, evidenceOf(s, before, facts)),
    legacy_guard: reuse(before?.legacy_guard ?? undefined, guard),
    // Of the pane's work through time, which is followed elsewhere.
    finished_at: null,
    reason: rule,
  };
  return before && isSameState(before, next) ? before : next;
}

/** The lines that a prompt is about; of work and errors, those that tell it. */
function evidenceOf(
  { finding, screen }: Look,
  before: PaneState | null,
  { prompt, status }: StateFacts,
): string[] {
  if (prompt) return [...prompt.evidence];
  if (status !== "error" && status !== "working") return [];
  if (finding.keepsPrevious) return before?.evidence ?? [];
  if (finding.status !== status || finding.line === null) return [];
  const count = status === "error" ? MAX_ERROR_LINES : 1;
  const lines = screen.lines.slice(finding.line, finding.line + count).map(({ text }) => text);
  const end = lines.findIndex((line) => /^[\s│┃║]*$/.test(line));
  return end < 0 ? lines : lines.slice(0, end);
}

/** The provider says that the agent waits. */
function isBlocked({ native }: ListedPane, status: PaneStatus): boolean {
  return status === "needs_input" && native?.present === true && native.status === "blocked";
}

function promptSince(
  { prompt, isAsking }: { prompt: Prompt | null; isAsking: boolean },
  before: PaneRecord | null,
  at: number,
): number | null {
  // What only the provider has told of is one prompt for as long as it says so, read or not.
  if (!prompt) return isAsking ? (before?.state.prompt_since ?? at) : null;
  const old = before?.prompt;
  const isSame = old ? old === prompt || textOf(old) === textOf(prompt) : isAsking;
  return (isSame ? before?.state.prompt_since : null) ?? at;
}

/** Its lines break elsewhere in a pane of another width. */
function textOf({ question, evidence }: Prompt): string {
  return [question, ...evidence].join("").replace(/\s+/g, "");
}

function menuOf(
  prompt: Prompt | null,
  finding: Finding,
  guarded: GuardedPrompt | null,
): MenuOption[] {
  const options = prompt?.options ?? [];
  if (!guarded) return options.map(menuOption);
  // A menu from before an overlay has no ids: nothing of it can be chosen now.
  const ids = prompt === finding.prompt ? guarded.optionIds : [];
  return options.map((option, index) => {
    const id = ids[index];
    return id === undefined ? menuOption(option) : { id, ...menuOption(option) };
  });
}

function menuOption(option: Prompt["options"][number]): MenuOption {
  const { key, label, description, selected, freeform, checked } = option;
  return { key, label, description, selected, freeform, checked };
}

// Equal parts keep their object, so that who compares snapshots need not look inside.
function reuse<T>(before: T | undefined, next: T): T {
  if (before === undefined || before === next) return next;
  return JSON.stringify(before) === JSON.stringify(next) ? before : next;
}

function isSameState(a: PaneState, b: PaneState): boolean {
  // Both come from `stateOf`, or from `staleState`: they have the same members.
  return (Object.keys(b) as (keyof PaneState)[]).every((key) => a[key] === b[key]);
}

/** The state of a pane while nothing new is known: kept, but nobody may act on it. */
export function staleState(state: PaneState): PaneState {
  if (state.stale && !state.actionable && !state.changed) return state;
  return { ...state, stale: true, actionable: false, changed: false };
}
