import type {
  SeenAct,
  SeenMessage,
  SeenStep,
  SeenTimelineEvent,
} from "../../../src/protocol/tolerant-later.ts";
import { reuse } from "../reuse.ts";
import { happenings, type Happening, type HappeningKind } from "../timeline.ts";

export type StreamPart = "said" | "decisions" | "steps";

/** One line of a chat, in the order of time. */
export type Line = { readonly key: string; readonly at: number } & (
  | { readonly kind: "message"; readonly message: SeenMessage }
  /** What it did between two other lines. */
  | { readonly kind: "steps"; readonly steps: readonly SeenStep[] }
  | { readonly kind: "event"; readonly what: Happening }
  | { readonly kind: "act"; readonly act: SeenAct }
  | { readonly kind: "reviewed" }
);

export interface ChatContent {
  /** Oldest first. */
  readonly messages: readonly SeenMessage[];
  /** There are older, or newer ones than these: nothing else is told of that time either. */
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
  readonly steps: readonly SeenStep[];
  /** Newest first, as they come. */
  readonly events: readonly SeenTimelineEvent[];
  /** Decisions that nobody has answered. */
  readonly open: number;
  readonly acts: readonly SeenAct[];
  readonly reviewedAt: number | null;
}

/** Other acts are messages, or nothing that a reader of the chat asks for. */
const ACTS: ReadonlySet<SeenAct["kind"]> = new Set(["select", "reply", "stop"]);

/** All lines of a stretch; those that were there before and say the same are the very same. */
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

/** A review is told between what it covered and what came after. */
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
    // Named after the line before: more of them may come at either end.
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
  /** Of the first. */
  readonly key: string;
  readonly lines: readonly Line[];
}

/** Lines that are drawn at once, beside the steps between them. */
export const MAX_LINES = 5;
/** A line is as much work as so many characters of it. */
const LINE_LENGTH = 400;

/**
 * Parts lines into blocks. A block that was there before begins where it began, and is the very same
 * one where nothing in it differs: what arrives at either end, or between two lines, redraws nothing else.
 *
 * @param startAt key of a line that begins a block
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
    // They may come later than the line before them, and move no other one then.
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

/** One step, or reads in a row. */
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
