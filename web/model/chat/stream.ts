import type {
  SeenAct,
  SeenMessage,
  SeenStep,
  SeenTimelineEvent,
} from "../../../src/protocol/tolerant-later.ts";
import { reuse } from "../reuse.ts";
import { happenings, type Happening, type HappeningKind } from "../timeline.ts";

export type StreamPart = "said" | "decisions" | "steps";

export type Line = { readonly key: string; readonly at: number } & (
  | { readonly kind: "message"; readonly message: SeenMessage }
  /** Steps between two other lines. */
  | { readonly kind: "steps"; readonly steps: readonly SeenStep[] }
  | { readonly kind: "event"; readonly what: Happening }
  | { readonly kind: "act"; readonly act: SeenAct }
  | { readonly kind: "reviewed" }
);

export interface ChatContent {
  readonly messages: readonly SeenMessage[];
  /** Older or newer messages exist: lines of that time are left out. */
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
  readonly steps: readonly SeenStep[];
  readonly events: readonly SeenTimelineEvent[];
  /** Number of unanswered decisions. */
  readonly open: number;
  readonly acts: readonly SeenAct[];
  readonly reviewedAt: number | null;
}

/** Other kinds are shown as messages, or not in a chat. */
const ACTS: ReadonlySet<SeenAct["kind"]> = new Set(["select", "reply", "stop"]);

/** All lines in the order of time; an equal line is the same object as before. */
export function streamOf(told: ChatContent, before: readonly Line[]): readonly Line[] {
  const { messages, hasOlder, hasNewer } = told;
  const from = hasOlder ? (messages[0]?.created_at ?? Infinity) : -Infinity;
  const to = hasNewer ? (messages.at(-1)?.created_at ?? -Infinity) : Infinity;
  const isWithin = ({ at }: { readonly at: number }) => at >= from && at <= to;
  const said = messages.map((message): Line => ({
    ...{ kind: "message", key: message.id, at: message.created_at, message },
  }));
  const others = [
    ...happenings(told.events, told.open).map((what): Line => ({
      ...{ kind: "event", key: what.key, at: what.at, what },
    })),
    ...told.acts.flatMap((act): Line[] =>
      ACTS.has(act.kind) ? [{ kind: "act", key: `act ${act.key}`, at: act.at, act }] : [],
    ),
    ...[told.reviewedAt].flatMap((at): Line[] =>
      at === null ? [] : [{ kind: "reviewed", key: "reviewed", at }],
    ),
  ].filter(isWithin);
  const lines = [...said, ...others].toSorted((a, b) => a.at - b.at);
  const whole = withSteps(lines, told.steps.filter(isWithin));
  return reuse(before, withoutOuterReview(whole), ({ key }) => key);
}

/** The review marker stands only between what it covered and what came later. */
function withoutOuterReview(lines: readonly Line[]): readonly Line[] {
  const at = lines.findIndex(({ kind }) => kind === "reviewed");
  return at === 0 || at === lines.length - 1 ? lines.toSpliced(at, 1) : lines;
}

function withSteps(lines: readonly Line[], steps: readonly SeenStep[]): readonly Line[] {
  const whole: Line[] = [];
  let next = 0;
  const take = (until: number, after: string) => {
    const begin = next;
    while (next < steps.length && (steps[next]?.at ?? 0) < until) next += 1;
    const own = steps.slice(begin, next);
    const [first] = own;
    // Keyed by the line before: steps may be added at either end.
    if (first !== undefined)
      whole.push({ kind: "steps", key: `steps ${after}`, at: first.at, steps: own });
  };
  let after = "";
  for (const line of lines) {
    take(line.at, after);
    whole.push(line);
    after = line.key;
  }
  take(Infinity, after);
  return whole;
}

const DECISIONS: ReadonlySet<HappeningKind> = new Set(["waits", "asked", "decided"]);

export function partOf(lines: readonly Line[], part: StreamPart | null): readonly Line[] {
  if (part === null) return lines;
  return lines.filter((line) => {
    if (line.kind === "event") return part === "decisions" && DECISIONS.has(line.what.kind);
    if (line.kind === "act") return part === "decisions";
    return line.kind === "steps" ? part === "steps" : part === "said";
  });
}

export interface Block {
  readonly key: string;
  readonly lines: readonly Line[];
}

/** Lines per block, not counting the steps between them. */
export const MAX_LINES = 5;
/** Characters that cost as much to draw as a line. */
const LINE_LENGTH = 400;

/**
 * Splits lines into blocks. A known block begins where it began, and is the same object where its
 * lines are: arrivals redraw only the block they land in. A block also begins at the line with the
 * key `startAt`.
 */
export function keepBlocks(
  before: readonly Block[],
  lines: readonly Line[],
  startAt: string | null = null,
): readonly Block[] {
  const known = new Map(before.map((block) => [block.key, block]));
  const blocks: Line[][] = [];
  let length = 0;
  for (const line of lines) {
    const last = blocks.at(-1);
    // Steps may arrive after the line before them, and must not move other lines.
    const isBetween = line.kind === "steps" && last?.at(-1)?.kind !== "steps";
    const isFull = length >= MAX_LINES * LINE_LENGTH && !isBetween;
    if (last === undefined || isFull || known.has(line.key) || line.key === startAt) {
      blocks.push([line]);
      length = 0;
    } else last.push(line);
    if (line.kind === "message") length += line.message.content.length;
    if (!isBetween) length += LINE_LENGTH;
  }
  return blocks.map((own) => {
    const key = own[0]?.key ?? "";
    const same = known.get(key);
    const isKept =
      same?.lines.length === own.length && own.every((line, i) => line === same.lines[i]);
    return isKept ? same : { key, lines: own };
  });
}

/** Successful reads in a row are one row. */
export type StepRow = readonly [SeenStep, ...SeenStep[]];

export function groupSteps(steps: readonly SeenStep[]): readonly StepRow[] {
  const isRead = ({ kind, state }: SeenStep) => kind === "read" && state !== "failed";
  const listed: [SeenStep, ...SeenStep[]][] = [];
  for (const step of steps) {
    const last = listed.at(-1);
    if (last !== undefined && isRead(last[0]) && isRead(step)) last.push(step);
    else listed.push([step]);
  }
  return listed;
}
