import { aboutOf, lastSaid } from "../detect/about.ts";
import type { Prompt } from "../detect/finding.ts";
import { detectLimit, isContinuing, parseReset } from "../detect/limit.ts";
import { contextPercent, WAITING_QUESTION } from "../detect/native.ts";
import { normalise, type Screen, type ScreenLine } from "../detect/region.ts";
import { commandRisk, optionRisk } from "../detect/risk.ts";
import { declines, isSuggested } from "../protocol/labels.ts";
import type {
  Cut,
  LegacyGuard,
  MenuOption,
  PaneState,
  PaneStatus,
  Parked,
  Risk,
} from "../protocol/pane.ts";
import type { Moment } from "../lib/clock.ts";
import type { ListedPane } from "./provider.ts";
import type { GuardedPrompt } from "./action-guard.ts";
import type { Observed, ObserveInput, Work } from "./record.ts";
import { followWork, NO_WORK, type StatusDecision } from "./status.ts";

const MAX_ERROR_LINES = 12;
/** Programs set it to whatever they like. */
const MAX_TITLE_CHARS = 512;
const SAID_ROWS = 80;
/** The notes of a program below its notice, and its hints, stand there. */
const MAX_NOTE_LINES = 60;

/** The text of a pane, as it is published. */
export interface PaneText {
  lines: readonly ScreenLine[];
  published: string[];
  preview: string[];
  isChanged: boolean;
}

/** What was decided of a screen, for its state. */
interface StateFacts extends StatusDecision {
  prompt: Prompt | null;
  text: PaneText;
  guard: LegacyGuard | null;
  guarded: GuardedPrompt | null;
}

/** The state that is published. When nothing of it differs, it is the same object as before. */
export function stateOf(
  s: ObserveInput,
  record: Observed | null,
  facts: StateFacts,
): { state: PaneState; work: Work } {
  const before = record?.state ?? null;
  const { pane, override, finding } = s;
  const { status, rule, prompt, text, guard, guarded } = facts;
  const status_since = before?.status === status ? before.status_since : s.at;
  const told = prompt && publishedPrompt(prompt, { ...s, ...pane });
  const evidence = reuse(before?.evidence, told?.evidence ?? evidenceOf(s, record, facts));
  const question = told?.question ?? (isBlocked(pane, status) ? WAITING_QUESTION : null);
  const about = aboutOf({ status, question, evidence, agent: finding.agent });
  const next: PaneState = {
    id: pane.id,
    target: pane.target,
    name: s.nameOf({ kind: finding.kind, lines: text.published }),
    kind: finding.kind,
    status,
    title: pane.title.slice(0, MAX_TITLE_CHARS),
    question,
    menu: reuse(before?.menu, menuOf(told, prompt === finding.prompt ? guarded : null)),
    preview: text.preview,
    lines: text.published,
    updated: text.isChanged ? s.at : (before?.updated ?? s.at),
    changed: text.isChanged,
    window: pane.window,
    starred: override?.star ?? false,
    interacted: s.interacted,
    provider: s.provider,
    ...(s.host === undefined ? {} : { host: s.host }),
    hierarchy: reuse(before?.hierarchy, pane.hierarchy),
    capabilities: reuse(before?.capabilities, pane.capabilities),
    native_agent: reuse(before?.native_agent ?? undefined, pane.native),
    action_guard: reuse(before?.action_guard ?? undefined, guarded?.guard ?? null),
    actionable: s.isFresh && s.mayAct,
    stale: !s.isFresh,
    agent: reuse(before?.agent ?? undefined, finding.agent),
    command: pane.command,
    cwd: pane.cwd,
    status_since,
    prompt_since: promptSince({ ...facts, isAsking: isBlocked(pane, status) }, record, s.at),
    evidence,
    about: reuse(before?.about ?? undefined, about),
    cut: reuse(before?.cut ?? undefined, told?.cut ?? null),
    risk: reuse(before?.risk ?? undefined, told?.risk ?? null),
    legacy_guard: reuse(before?.legacy_guard ?? undefined, guard),
    finished_at: null,
    context_percent: contextOf(s, record),
    ...s.deliveries,
    agent_id: s.agentId,
    parked: parkedBy({ status, status_since, evidence, agent: finding.agent }, before, s.screen),
    reason: rule,
  };
  const work = followWork(record?.work ?? NO_WORK, next, { ...s, at: s.monotonic });
  next.finished_at = finishedAt(work, record, s);
  return { work, state: before && isSameState(before, next) ? before : next };
}

/** In epoch seconds, told once: a clock that is set moves it no more. */
function finishedAt({ finishedAt: at }: Work, record: Observed | null, now: Moment): number | null {
  if (at === null) return null;
  const told = record?.work.finishedAt === at ? record.state.finished_at : null;
  return told ?? now.at - (now.monotonic - at);
}

/** Without a prompt: of work and errors the lines that tell it; what an idle agent said last. */
function evidenceOf(
  { finding, screen }: ObserveInput,
  record: Observed | null,
  { status }: StateFacts,
): string[] {
  const before = record?.state ?? null;
  const isResting = status === "idle" && finding.agent !== null;
  if (status !== "error" && status !== "working" && !isResting) return [];
  if (finding.keepsPrevious) return before?.evidence ?? [];
  if (isResting) {
    if (record?.screen === screen && before?.status === status) return before.evidence;
    const said = lastSaid(screen.lines.slice(-SAID_ROWS).map(({ text }) => text));
    return said === null ? [] : [said];
  }
  if (finding.status !== status || finding.line === null) return [];
  const count = status === "error" ? MAX_ERROR_LINES : 1;
  const lines = screen.lines.slice(finding.line, finding.line + count).map(({ text }) => text);
  const end = lines.findIndex((line) => /^[\s│┃║]*$/.test(line));
  return end < 0 ? lines : lines.slice(0, end);
}

function contextOf({ finding, screen }: ObserveInput, record: Observed | null): number | null {
  if (record?.screen === screen && record.state.agent?.id === finding.agent?.id)
    return record.state.context_percent;
  return contextPercent(finding.agent?.id ?? null, screen.lines);
}

/** Times without a date are meant from when the error was seen first, and stay what they are. */
function parkedBy(
  now: Pick<PaneState, "agent" | "evidence" | "status" | "status_since">,
  before: PaneState | null,
  { lines }: ObserveInput["screen"],
): Parked | null {
  if (now.status !== "error" || now.agent === null) return null;
  const isSame = before?.evidence === now.evidence && before.status_since === now.status_since;
  if (isSame && before.parked === null) return null;
  const texts = lines.slice(-MAX_NOTE_LINES).map(({ text }) => text);
  const continues = isContinuing(texts, now.evidence[0] ?? "");
  if (isSame && before.parked?.continues === continues) return before.parked;
  const limit = detectLimit(now.evidence);
  if (limit === null) return null;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const until = parseReset(limit.text, { at: now.status_since, zone });
  return reuse(before?.parked ?? undefined, { reason: limit.name, until, continues });
}

/** The provider says that the agent waits. */
function isBlocked({ native }: ListedPane, status: PaneStatus): boolean {
  return status === "needs_input" && native?.present === true && native.status === "blocked";
}

function promptSince(
  { prompt, isAsking }: { prompt: Prompt | null; isAsking: boolean },
  before: Observed | null,
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

/** A menu from before an overlay has no ids: nothing of it can be chosen now. */
function menuOf(told: PublishedPrompt | null, guarded: GuardedPrompt | null): MenuOption[] {
  return (told?.options ?? []).map((option, index) => {
    const id = guarded?.optionIds[index];
    return id === undefined ? option : { id, ...option };
  });
}

// Equal parts keep their object, so that who compares snapshots need not look inside.
export function reuse<T>(before: T | undefined, next: T): T {
  if (before === undefined || before === next) return next;
  return JSON.stringify(before) === JSON.stringify(next) ? before : next;
}

function isSameState(a: PaneState, b: PaneState): boolean {
  // Both come from `stateOf`, or from `staleState`: they have the same members, but for `host`.
  return (
    a.host === b.host && (Object.keys(b) as (keyof PaneState)[]).every((key) => a[key] === b[key])
  );
}

/** The state of a pane while nothing new is known: kept, but nobody may act on it. */
export function staleState(state: PaneState): PaneState {
  if (state.stale && !state.actionable && !state.changed) return state;
  return { ...state, stale: true, actionable: false, changed: false };
}

export const MAX_EVIDENCE_LINES = 200;
const MAX_EVIDENCE_LINE_CHARS = 1_000;
const MAX_QUESTION_CHARS = 2_000;
const MAX_LABEL_CHARS = 400;
const MAX_DESCRIPTION_CHARS = 1_000;
const MORE = "…";

/** What a person is shown of a prompt, and told of the rest. */
interface PublishedPrompt {
  question: string;
  evidence: string[];
  options: MenuOption[];
  cut: Cut | null;
  risk: Risk | null;
}

interface CaptureFacts {
  screen: Screen;
  width: number;
  alternate: boolean;
  /** Rows of history and screen that were asked for. */
  captureLines: number;
}

/** Bounded texts for the wire. What is dangerous is looked for in the whole, before it is cut. */
export function publishedPrompt(prompt: Prompt, facts: CaptureFacts): PublishedPrompt {
  const { question, evidence, beyond } = prompt;
  let characters = beyond?.characters ?? 0;
  const short = (text: string, most: number) => {
    characters += Math.max(0, text.length - most);
    return text.length <= most ? text : `${text.slice(0, most)}${MORE}`;
  };
  // The end of a question says what answers it.
  const over = Math.max(0, question.length - MAX_QUESTION_CHARS);
  characters += over;
  const lines = Math.max(0, evidence.length - MAX_EVIDENCE_LINES);
  const shown = evidence.slice(lines).map((line) => short(line, MAX_EVIDENCE_LINE_CHARS));
  const options = prompt.options.map((option): MenuOption => {
    const { key, label, description, selected, freeform, checked } = option;
    const takesText = freeform && option.answerWithText !== null;
    const ownRisk = optionRisk(label, description);
    return {
      key,
      label: short(label, MAX_LABEL_CHARS),
      description: short(description, MAX_DESCRIPTION_CHARS),
      ...{ selected, freeform: takesText, checked },
      ...(ownRisk && { risk: ownRisk }),
      ...(declines(label) && { declines: true }),
      ...(isSuggested(label) && { suggested: true }),
    };
  });
  const isCut = lines + characters > 0 || goesOnAbove(evidence, facts);
  return {
    question: over === 0 ? question : `${MORE}${question.slice(over)}`,
    evidence: shown,
    options,
    cut: isCut ? { lines, characters } : null,
    risk: commandRisk([...evidence, question, ...(beyond?.texts ?? [])]),
  };
}

/** It begins with the first line of a capture that holds all rows that were asked for. */
function goesOnAbove([top]: readonly string[], facts: CaptureFacts): boolean {
  const { screen, width, alternate, captureLines } = facts;
  const first = screen.lines.find(({ text }) => text !== "");
  if (alternate || top === undefined || !first || normalise(first.text) !== top) return false;
  let rows = screen.blankRows ?? 0;
  for (const { text } of screen.lines)
    rows += Math.max(1, Math.ceil(Bun.stringWidth(text) / width));
  return rows >= captureLines;
}
