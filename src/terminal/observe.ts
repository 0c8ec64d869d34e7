import { fingerprints } from "../detect/fingerprint.ts";
import type { Finding, Prompt, Unsettled } from "../detect/finding.ts";
import type { Screen, ScreenLine } from "../detect/screen.ts";
import type { PaneOverride } from "../protocol/config.ts";
import type {
  LegacyGuard,
  MenuOption,
  PaneCapabilities,
  PaneKind,
  PaneState,
  PaneStatus,
} from "../protocol/pane.ts";
import type { ListedPane } from "./provider.ts";

/** A pane that has just printed is working, and one that worked is not idle, for so long. */
export const SETTLE_SECONDS = 2;
/** What may be over in a moment is believed after so long. */
const UNSETTLED_SECONDS: Record<Unsettled, number> = { title: 1, drawing: 0.5 };
const PREVIEW_LINES = 6;
const MAX_ERROR_LINES = 12;

/** What a pass knows of one pane. */
export interface Sighting {
  /** Epoch seconds of the capture that `screen` comes from, or of this look at it. */
  at: number;
  pane: ListedPane;
  /** The same object as before when nothing was captured, or the same text. */
  screen: Screen;
  /** Of this screen; where the patterns gave no answer in time, the one before still holds. */
  finding: Finding;
  captureLines: number;
  override: PaneOverride | null;
  nameOf: (facts: { kind: PaneKind; lines: readonly string[] }) => string;
  interacted: number;
  provider: string;
  capabilities: PaneCapabilities;
  /** False: the pane's last capture failed. */
  isFresh: boolean;
}

/** What is remembered of one pane from pass to pass. */
export interface PaneRecord {
  pane: ListedPane;
  screen: Screen;
  /** What the screen shows now. */
  finding: Finding;
  /** The prompt that is published: under an overlay, the one from before it. */
  prompt: Prompt | null;
  /** The styled lines behind `state.lines`. */
  lines: readonly ScreenLine[];
  /** Epoch seconds of the last change of text after the first capture; 0 when none. */
  changedAt: number;
  /** Epoch seconds when a sign of work was last seen; 0 when never. */
  workingAt: number;
  /** Epoch seconds since when the screen has shown what may be over in a moment; 0 when it does not. */
  unsettledAt: number;
  /** Epoch seconds when the pane last had another size; 0 when never. */
  resizedAt: number;
  /** What the screen shows is not believed yet. */
  isUnsettled: boolean;
  state: PaneState;
}

/**
 * What a pane is now, from what it shows and what it was. Time only enters as `sighting.at`. When
 * nothing that is published differs, the state is the same object as before.
 */
export function observe(sighting: Sighting, before: PaneRecord | null): PaneRecord {
  const { at, pane, screen, finding } = sighting;
  const text = readText(sighting, before);
  const isResized = before !== null && !isSameSize(before.pane, pane);
  const resizedAt = isResized ? at : (before?.resizedAt ?? 0);
  const isRedrawn = resizedAt > 0 && at - resizedAt < UNSETTLED_SECONDS.drawing;
  // Text that finds other places in a pane of another size is no work.
  const hasPrinted = text.isChanged && before !== null && !isRedrawn;
  const changedAt = hasPrinted ? at : (before?.changedAt ?? 0);
  const workingAt = finding.status === "working" ? at : (before?.workingAt ?? 0);
  const unsettledAt = finding.unsettled ? before?.unsettledAt || at : 0;
  // Of a pane that was never seen before there is nothing to hold.
  const unsettled = before && unsettledBy(finding, { at, unsettledAt, isRedrawn });
  const judgement = judge({ at, finding, before, changedAt, workingAt, unsettled });
  const prompt = publishedPrompt(finding, before, unsettled);
  const guard = before && before.prompt === prompt ? before.state.legacy_guard : null;
  const facts = { ...judgement, prompt, text, guard: guard ?? fingerprints(prompt) };
  return {
    pane,
    screen,
    finding,
    prompt,
    lines: text.lines,
    changedAt,
    workingAt,
    unsettledAt,
    resizedAt,
    isUnsettled: unsettled !== null,
    state: stateOf(sighting, before, facts),
  };
}

function isSameSize(a: ListedPane, b: ListedPane): boolean {
  return a.width === b.width && a.height === b.height;
}

/** Why what the screen shows is not believed yet, or null when it is. */
function unsettledBy(
  { unsettled }: Finding,
  { at, unsettledAt, isRedrawn }: { at: number; unsettledAt: number; isRedrawn: boolean },
): Unsettled | null {
  // Until its program draws again, a pane of another size shows what there was, moved or cut off.
  if (isRedrawn) return "drawing";
  if (unsettled === null || at - unsettledAt >= UNSETTLED_SECONDS[unsettled]) return null;
  return unsettled;
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

function readText({ screen, captureLines }: Sighting, before: PaneRecord | null): Text {
  const lines = lastLines(screen, captureLines);
  const old = before?.state;
  if (old && before.screen === screen && before.lines.length === lines.length)
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

interface StatusFacts {
  at: number;
  finding: Finding;
  before: PaneRecord | null;
  changedAt: number;
  workingAt: number;
  unsettled: Unsettled | null;
}

/** Statuses that time decides (docs/detection.md). */
const UNSETTLED_RULES: Record<Unsettled, string> = {
  title: "settle.title",
  drawing: "settle.drawing",
};
const CHANGED_RULE = "settle.changed";
const HELD_RULE = "settle.held";

interface Judgement {
  status: PaneStatus;
  rule: string;
}

function judge({ at, finding, before, changedAt, workingAt, unsettled }: StatusFacts): Judgement {
  const { rule } = finding;
  if (finding.keepsPrevious && before) return { status: before.state.status, rule };
  if (unsettled && before) {
    const { status } = before.state;
    // An input line stands in the dialog's place: it has gone.
    const isOver = unsettled === "title" && status === "needs_input";
    return { status: isOver ? "working" : status, rule: UNSETTLED_RULES[unsettled] };
  }
  if (finding.status !== "idle" || finding.idleIsCertain) return { status: finding.status, rule };
  const isRecent = (time: number) => time > 0 && at - time < SETTLE_SECONDS;
  // A shell echoes what is typed into it: that is not work.
  if (finding.kind !== "shell" && isRecent(changedAt))
    return { status: "working", rule: CHANGED_RULE };
  // Between two frames of its spinner an agent shows no sign of work: hold it until it is settled.
  if (before?.state.status === "working" && isRecent(workingAt))
    return { status: "working", rule: HELD_RULE };
  return { status: "idle", rule };
}

interface StateFacts extends Judgement {
  prompt: Prompt | null;
  text: Text;
  guard: LegacyGuard;
}

function stateOf(s: Sighting, record: PaneRecord | null, facts: StateFacts): PaneState {
  const before = record?.state ?? null;
  const { pane, override, finding } = s;
  const { status, rule, prompt, text, guard } = facts;
  const next: PaneState = {
    id: pane.id,
    target: pane.target,
    name: s.nameOf({ kind: finding.kind, lines: text.published }),
    kind: finding.kind,
    status,
    title: pane.title,
    question: prompt?.question ?? null,
    menu: reuse(before?.menu, (prompt?.options ?? []).map(menuOption)),
    preview: text.preview,
    lines: text.published,
    updated: text.isChanged ? s.at : (before?.updated ?? s.at),
    changed: text.isChanged,
    window: pane.window,
    starred: override?.star ?? false,
    interacted: s.interacted,
    provider: s.provider,
    hierarchy: reuse(before?.hierarchy, pane.hierarchy),
    capabilities: s.capabilities,
    native_agent: null,
    action_guard: null,
    actionable: s.isFresh,
    stale: !s.isFresh,
    agent: reuse(before?.agent ?? undefined, finding.agent),
    command: pane.command,
    cwd: pane.cwd,
    status_since: before?.status === status ? before.status_since : s.at,
    prompt_since: promptSince(prompt, record, s.at),
    evidence: reuse(before?.evidence, evidenceOf(s, before, facts)),
    legacy_guard: reuse(before?.legacy_guard ?? undefined, guard),
    reason: rule,
  };
  return before && isSameState(before, next) ? before : next;
}

/** The lines that a prompt is about; of work and errors, those that tell it. */
function evidenceOf(
  { finding, screen }: Sighting,
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

function promptSince(prompt: Prompt | null, before: PaneRecord | null, at: number): number | null {
  if (!prompt) return null;
  const old = before?.prompt;
  const isSame = old && (old === prompt || textOf(old) === textOf(prompt));
  return (isSame ? before.state.prompt_since : null) ?? at;
}

/** Its lines break elsewhere in a pane of another width. */
function textOf({ question, evidence }: Prompt): string {
  return [question, ...evidence].join("").replace(/\s+/g, "");
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
