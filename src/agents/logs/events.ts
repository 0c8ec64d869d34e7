import type { MessageRole, StepKind } from "../../protocol/agents.ts";

/**
 * What one record of a session's log says, in words that every runtime shares. `at` is the
 * record's own time in epoch seconds, null where the runtime wrote none.
 */
export type LogEvent =
  | SessionEvent
  | MessageEvent
  | TurnEvent
  | ToolEvent
  | CallEvent
  | QuestionEvent
  | PlanRequestEvent
  | AnswerEvent
  | PlanEvent
  | TaskEvent
  | RewindEvent
  | LimitEvent
  | UsageEvent
  /** A record was too long to be read; what it said is not known. */
  | { kind: "loss"; at: number | null }
  | { kind: "title"; at: number | null; text: string; chosen: boolean };

/** Whose log this is. The first one of a file counts. */
export interface SessionEvent {
  kind: "session";
  at: number | null;
  nativeId: string;
  cwd: string | null;
  startedAt: number | null;
  forkedFrom: string | null;
  /** False where its log says that nobody types into it: print mode, exec. */
  isTyped: boolean;
  /** A sub-agent's log belongs to no session that a person sees. */
  isSubagent: boolean;
  version: string | null;
}

export interface MessageEvent {
  kind: "message";
  at: number | null;
  role: MessageRole;
  text: string;
  /** The runtime's own id of the record; null where it gives none. */
  nativeId: string | null;
  /** Record type: twins of one message differ in it, two equal lines of one type do not. */
  source: string;
  /** A source that only counts in logs which have no better one. */
  isFallback: boolean;
  /** Id of the record before it, of a prompt in a log that is a tree. */
  parentId: string | null;
  /** Place in the session that goes on across files, where the runtime counts. */
  ordinal: number | null;
  /** Whether its runtime marks a rewind, so that a fork alone is none. */
  marksRewinds: boolean;
  /** Copied from the session that it was forked from: known, and not said here. */
  isCopied: boolean;
}

/** `ended`: the process left in order. */
export interface TurnEvent {
  kind: "turn";
  at: number | null;
  state: "working" | "idle" | "error" | "ended";
  /** Read off a message: it counts only in logs that have no record of a turn. */
  isGuess: boolean;
}

/** Something that a tool is to do, as far as one record tells. */
export interface CalledStep {
  kind: StepKind;
  title: string;
  /** An absolute path is told below the session's folder. */
  isPath?: boolean;
  added?: number | null;
  removed?: number | null;
}

export interface CallEnd {
  state: "done" | "failed" | "denied";
  added?: number;
  removed?: number;
}

/** A call that waits for its result, or has it. What it does is only worked out for who asks. */
type ToolEvent = { kind: "tool"; at: number | null; id: string } & (
  | { open: true; steps?: () => readonly CalledStep[]; isWrapper?: boolean }
  | { open: false; end?: () => CallEnd }
);

/** A call that is told once it has ended; it takes the place of the wrapper that ran it. */
export interface CallEvent {
  kind: "call";
  at: number | null;
  id: string;
  steps: readonly CalledStep[];
  state: CallEnd["state"];
}

interface AskedOption {
  label: string;
  description: string;
}

export interface AskedQuestion {
  /** The runtime's own id of the question, where it has one. */
  id: string | null;
  header: string;
  question: string;
  options: AskedOption[];
  multiSelect: boolean;
}

interface QuestionEvent {
  kind: "question";
  at: number | null;
  id: string;
  questions: AskedQuestion[];
}

interface PlanRequestEvent {
  kind: "plan_request";
  at: number | null;
  id: string;
  plan: string;
}

/** Ends a question or a plan request. */
interface AnswerEvent {
  kind: "answer";
  at: number | null;
  id: string;
  /** What was chosen, by the question's text or its own id; null where it was turned down. */
  answers: Readonly<Record<string, string>> | null;
}

export type PlanStatus = "pending" | "in_progress" | "completed" | "blocked";

export interface PlanLine {
  /** Null: known by its words. */
  id: string | null;
  title: string;
  status: PlanStatus;
}

/** The whole plan, written anew. */
interface PlanEvent {
  kind: "plan";
  at: number | null;
  lines: PlanLine[];
}

/** One task of a list that is kept by id. */
interface TaskEvent {
  kind: "task";
  at: number | null;
  id: string;
  /** Null leaves it. */
  title: string | null;
  status: PlanStatus | "deleted" | null;
}

/** A limit of use has ended the turn, or has it cut short. */
export interface LimitEvent {
  kind: "limit";
  at: number | null;
  reason: string;
  /** Epoch seconds of its reset; null where the record does not say. */
  until: number | null;
}

/** What of the model's context the last reply has filled. */
export interface UsageEvent {
  kind: "usage";
  at: number | null;
  tokens: number;
  window: number;
}

/** The conversation goes on from an earlier place; what came after it is taken back. */
interface RewindEvent {
  kind: "rewind";
  at: number | null;
  to:
    /** Once the next prompt comes, and for all that an older file brings after that. */
    | { before: "ordinal"; ordinal: number }
    | { before: "prompts"; count: number }
    /** The fork that the last prompt made is a rewind, and not a second process. */
    | { before: "last_fork" };
}
