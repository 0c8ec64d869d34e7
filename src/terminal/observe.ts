import { aboutOf, lastMessageLine } from "../detect/about.ts";
import type { Finding, Prompt, Unsettled } from "../detect/finding.ts";
import { detectLimit, isContinuing, parseReset } from "../detect/limit.ts";
import { contextPercent, WAITING_QUESTION } from "../detect/native.ts";
import { fingerprints } from "../detect/prompt.ts";
import type { Screen, ScreenLine } from "../detect/region.ts";
import type { Moment } from "../lib/clock.ts";
import type { PaneOverride } from "../protocol/config.ts";
import type { LegacyGuard, MenuOption, PaneState, PaneStatus, Parked } from "../protocol/pane.ts";
import { guardedPrompt, type GuardedPrompt } from "./action-guard.ts";
import type { ListedPane } from "./provider.ts";
import { type PublishedPrompt, boundPrompt, whole } from "./published-prompt.ts";
import type { Observation, PaneObservation, ObserveInput, Work } from "./record.ts";
import {
  decideStatus,
  followWork,
  NO_WORK,
  REDRAWN_SECONDS,
  decideOverlayStatus,
  resolveUnsettled,
} from "./status.ts";

const PREVIEW_LINES = 6;
const MAX_ERROR_LINES = 12;
/** Programs set titles and names to whatever they like. */
const MAX_LABEL_CHARS = 512;
/** Rows of the screen in which the last words of an idle agent are looked for. */
const LAST_WORDS_ROWS = 80;
/** Rows of the screen in which a program may say below an error that it goes on by itself. */
const NOTICE_ROWS = 60;

/** The state of a pane now; the same object as before when nothing that is published differs. */
export function observe(look: ObserveInput, record: PaneObservation | null): Observation {
  const { at, monotonic: now, pane, screen, finding, override } = look;
  const before = record?.state ?? null;
  const text = readText(look, record);
  const isResized =
    record !== null && (record.pane.width !== pane.width || record.pane.height !== pane.height);
  const resizedAt = isResized ? now : (record?.resizedAt ?? -Infinity);
  const isRedrawn = now - resizedAt < REDRAWN_SECONDS;
  // Text that only moves because the pane has another size is no work.
  const hasPrinted = text.isChanged && record !== null && !isRedrawn;
  const unsettledAt = finding.unsettled ? (record?.unsettledAt ?? now) : null;
  // A pane that is new has no earlier state to keep.
  const unsettled =
    record && resolveUnsettled(finding, { seconds: now - (unsettledAt ?? now), isRedrawn });
  const decidingLine = screen.lines[finding.line ?? -1]?.text ?? null;
  const isSameLine = record?.decidingLine === decidingLine;
  const changedLineAt = record ? now : -Infinity;
  const times = {
    changedAt: hasPrinted ? now : (record?.changedAt ?? -Infinity),
    workingAt: finding.status === "working" ? now : (record?.workingAt ?? -Infinity),
    movedAt: isSameLine ? record.movedAt : changedLineAt,
    decidingSince: isSameLine ? record.decidingSince : now,
    ...{ resizedAt, unsettledAt },
  };
  const decided = decideStatus(look, record, times, unsettled);
  const { status } = decided;
  const prompt = currentPrompt(finding, record, unsettled);
  const guarded = resolveGuard(look, record);
  const bounded = prompt && boundPrompt(prompt, { ...look, ...pane });
  const isAsking = isBlocked(pane, status);
  const status_since = before?.status === status ? before.status_since : at;
  const evidence = bounded?.evidence ?? evidenceOf(look, record, status);
  const question = bounded?.question ?? (isAsking ? WAITING_QUESTION : null);
  const next: PaneState = {
    id: pane.id,
    target: pane.target,
    name: cutLabel(look.nameOf({ kind: finding.kind, lines: text.published })),
    kind: finding.kind,
    status,
    title: cutLabel(pane.title),
    question,
    menu: menuOf(bounded, prompt === finding.prompt ? guarded : null),
    preview: text.preview,
    lines: text.published,
    updated: text.isChanged ? at : (before?.updated ?? at),
    changed: text.isChanged,
    window: cutLabel(pane.window),
    starred: override?.star ?? false,
    interacted: look.interacted,
    provider: look.provider,
    ...(look.host === undefined ? {} : { host: look.host }),
    hierarchy: pane.hierarchy.map((node) => ({ ...node, label: cutLabel(node.label) })),
    capabilities: pane.capabilities,
    native_agent: pane.native,
    action_guard: guarded?.guard ?? null,
    actionable: look.isFresh && look.mayAct,
    stale: !look.isFresh,
    agent: finding.agent,
    command: pane.command,
    cwd: pane.cwd,
    status_since,
    prompt_since: promptSince(prompt, isAsking, record, at),
    evidence,
    about: aboutOf({ status, question, evidence, agent: finding.agent }),
    cut: bounded?.cut ?? null,
    risk: bounded?.risk ?? null,
    legacy_guard: guarded ? null : legacyGuard(prompt, record),
    finished_at: null,
    context_percent: contextOf(look, record),
    ...look.notes,
    parked: resolveParked({ status, status_since, evidence, agent: finding.agent }, before, screen),
    reason: decided.rule,
  };
  const work = followWork(record?.work ?? NO_WORK, next, { ...look, at: now });
  next.finished_at = finishedAt(work, record, look);
  return {
    ...times,
    ...{ prompt, guarded, decidingLine, lines: text.lines, work },
    captureLines: record?.display === look.display ? record.captureLines : look.captureLines,
    isUnsettled: unsettled !== null,
    statusUnderOverlay: decideOverlayStatus(decided, finding, record?.statusUnderOverlay ?? null),
    state: reuseParts(before, next),
  };
}

export function cutLabel(text: string): string {
  return whole(text.slice(0, MAX_LABEL_CHARS));
}

function legacyGuard(prompt: Prompt | null, before: PaneObservation | null): LegacyGuard {
  const known = before && before.prompt === prompt ? before.state.legacy_guard : null;
  return known ?? fingerprints(prompt);
}

// Of the screen as it is now: an answer is never bound to a prompt that an overlay hides.
function resolveGuard(
  { pane, screen, finding, composer }: ObserveInput,
  before: PaneObservation | null,
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

function currentPrompt(
  { keepsPrevious, prompt }: Finding,
  before: PaneObservation | null,
  unsettled: Unsettled | null,
): Prompt | null {
  if (!before || !(keepsPrevious || unsettled)) return prompt;
  return unsettled === "title" ? null : before.prompt;
}

interface PaneText {
  lines: readonly ScreenLine[];
  published: string[];
  preview: string[];
  isChanged: boolean;
}

function readText(
  { display, captureLines }: ObserveInput,
  before: PaneObservation | null,
): PaneText {
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
  const isChanged = before?.captureLines === captureLines || !endAlike(published, old?.lines ?? []);
  return { lines, published, preview: previewOf(published), isChanged };
}

/** Whether both are one text with more or fewer lines above; the topmost common line may be cut. */
function endAlike(a: readonly string[], b: readonly string[]): boolean {
  const count = Math.min(a.length, b.length) - 1;
  return count > 0 && Bun.deepEquals(a.slice(-count), b.slice(-count));
}

function previewOf(lines: readonly string[]): string[] {
  const preview: string[] = [];
  for (let at = lines.length - 1; at >= 0 && preview.length < PREVIEW_LINES; at--) {
    const line = lines[at] ?? "";
    if (line.trim() !== "") preview.unshift(line);
  }
  return preview;
}

/** In epoch seconds, computed once: setting the clock later does not move it. */
function finishedAt(
  { finishedAt: at }: Work,
  record: PaneObservation | null,
  now: Moment,
): number | null {
  if (at === null) return null;
  const known = record?.work.finishedAt === at ? record.state.finished_at : null;
  return known ?? now.at - (now.monotonic - at);
}

/** The evidence of a pane without a prompt: the lines that show work or an error, or an idle agent's last words. */
function evidenceOf(
  { finding, screen }: ObserveInput,
  record: PaneObservation | null,
  status: PaneStatus,
): string[] {
  const before = record?.state ?? null;
  const isResting = status === "idle" && finding.agent !== null;
  if (status !== "error" && status !== "working" && !isResting) return [];
  if (finding.keepsPrevious) return before?.evidence ?? [];
  if (isResting) {
    if (record?.screen === screen && before?.status === status) return before.evidence;
    const message = lastMessageLine(screen.lines.slice(-LAST_WORDS_ROWS).map(({ text }) => text));
    return message === null ? [] : [message];
  }
  if (finding.status !== status || finding.line === null) return [];
  const count = status === "error" ? MAX_ERROR_LINES : 1;
  const lines = screen.lines.slice(finding.line, finding.line + count).map(({ text }) => text);
  const end = lines.findIndex((line) => /^[\s│┃║]*$/.test(line));
  return end < 0 ? lines : lines.slice(0, end);
}

function contextOf(
  { finding, screen }: ObserveInput,
  record: PaneObservation | null,
): number | null {
  if (record?.screen === screen && record.state.agent?.id === finding.agent?.id)
    return record.state.context_percent;
  return contextPercent(finding.agent?.id ?? null, screen.lines);
}

/** A time without a date counts from when the error was first seen, and is parsed only then. */
function resolveParked(
  now: Pick<PaneState, "agent" | "evidence" | "status" | "status_since">,
  before: PaneState | null,
  { lines }: Screen,
): Parked | null {
  if (now.status !== "error" || now.agent === null) return null;
  const isSame =
    before?.status_since === now.status_since &&
    Bun.deepEquals(before.evidence, now.evidence, true);
  if (isSame && before.parked === null) return null;
  const texts = lines.slice(-NOTICE_ROWS).map(({ text }) => text);
  const continues = isContinuing(texts, now.evidence[0] ?? "");
  if (isSame && before.parked?.continues === continues) return before.parked;
  const limit = detectLimit(now.evidence);
  if (limit === null) return null;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const until = parseReset(limit.text, { at: now.status_since, zone });
  return { reason: limit.name, until, continues };
}

function isBlocked({ native }: ListedPane, status: PaneStatus): boolean {
  return status === "needs_input" && native?.present === true && native.status === "blocked";
}

function promptSince(
  prompt: Prompt | null,
  isAsking: boolean,
  before: PaneObservation | null,
  at: number,
): number | null {
  // A prompt known only from the provider is one prompt for as long as the provider reports it.
  if (!prompt) return isAsking ? (before?.state.prompt_since ?? at) : null;
  const old = before?.prompt;
  const isSame = old ? old === prompt || textOf(old) === textOf(prompt) : isAsking;
  return (isSame ? before?.state.prompt_since : null) ?? at;
}

/** Without blanks: lines break elsewhere in a pane of another width. */
function textOf({ question, evidence }: Prompt): string {
  return [question, ...evidence].join("").replace(/\s+/g, "");
}

/** A menu that an overlay hides has no ids: nothing of it can be chosen now. */
function menuOf(bounded: PublishedPrompt | null, guarded: GuardedPrompt | null): MenuOption[] {
  return (bounded?.options ?? []).map((option, index) => {
    const id = guarded?.optionIds[index];
    return id === undefined ? option : { id, ...option };
  });
}

/** Equal parts keep their object, and so does the whole state: snapshots are compared by identity. */
function reuseParts(before: PaneState | null, next: PaneState): PaneState {
  if (!before) return next;
  const keep = <K extends keyof PaneState>(key: K): boolean => {
    if (Bun.deepEquals(before[key], next[key], true)) next[key] = before[key];
    return next[key] === before[key];
  };
  const keys = Object.keys(next) as (keyof PaneState)[];
  const isSame = keys.filter(keep).length === keys.length;
  // Both come from `observe` or `staleState`, so that only `host` may be a member of one alone.
  return isSame && before.host === next.host ? before : next;
}

/**
 * The state of a pane while nothing new is known: kept, but nobody may act on it. Its star and a given
 * name are settings, in force at once whether or not the multiplexer answers.
 */
export function staleState(state: PaneState, override: PaneOverride | undefined): PaneState {
  const starred = override?.star ?? false;
  const name = override?.name ? cutLabel(override.name) : state.name;
  const isSet = state.starred === starred && state.name === name;
  if (isSet && state.stale && !state.actionable && !state.changed) return state;
  return { ...state, name, starred, stale: true, actionable: false, changed: false };
}
