import type { MessageRole, StepKind } from "../../protocol/agents.ts";

/**
 * What one record of a session's log says, in words that every runtime shares. `at` is the
 * record's own time in epoch seconds, null where the runtime wrote none.
 */
export type LogEvent = { at: number | null } & LogFact;

export type LogFact =
  /** Whose log this is. The first one of a file counts. */
  | {
      kind: "session";
      nativeId: string;
      cwd: string | null;
      startedAt: number | null;
      forkedFrom: string | null;
      /** False where its log says that nobody types into it: print mode, exec. */
      isTyped: boolean;
      /** A sub-agent's log belongs to no session that a person sees. */
      isSubagent: boolean;
    }
  | {
      kind: "message";
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
  | {
      kind: "turn";
      /** `ended`: the process left in order. */
      state: "working" | "idle" | "error" | "ended";
      /** Read off a message: it counts only in logs that have no record of a turn. */
      isGuess: boolean;
    }
  /** A call that waits for its result, or has it. What it does is only worked out for who asks. */
  | {
      kind: "tool";
      id: string;
      open: true;
      steps?: () => readonly CalledStep[];
      isWrapper?: boolean;
    }
  | { kind: "tool"; id: string; open: false; end?: () => CallEnd }
  /** A call that is told once it has ended; it takes the place of the wrapper that ran it. */
  | { kind: "call"; id: string; steps: readonly CalledStep[]; state: CallEnd["state"] }
  | { kind: "question"; id: string; questions: LoggedQuestion[] }
  | { kind: "plan_request"; id: string; plan: string }
  /**
   * Ends a question or a plan request. What was chosen, by the question's text or its own id; null
   * where it was turned down.
   */
  | { kind: "answer"; id: string; answers: Readonly<Record<string, string>> | null }
  /** The whole plan, written anew. */
  | { kind: "plan"; lines: PlanLine[] }
  /** One task of a list that is kept by id; null leaves a member as it is. */
  | { kind: "task"; id: string; title: string | null; status: PlanStatus | "deleted" | null }
  | { kind: "rewind"; to: RewindTarget }
  /** A limit of use has ended the turn, or has it cut short; `until` is its reset, if it says so. */
  | { kind: "limit"; reason: string; until: number | null }
  /** What of the model's context the last reply has filled. */
  | { kind: "usage"; tokens: number; window: number }
  /** A record was too long to be read; what it said is not known. */
  | { kind: "loss" }
  | { kind: "title"; text: string; chosen: boolean };

export type SessionEvent = Extract<LogEvent, { kind: "session" }>;
export type MessageEvent = Extract<LogEvent, { kind: "message" }>;
export type TurnEvent = Extract<LogEvent, { kind: "turn" }>;
export type UsageEvent = Extract<LogEvent, { kind: "usage" }>;

/** The conversation goes on from an earlier place; what came after it is taken back. */
type RewindTarget =
  /** Once the next prompt comes, and for all that an older file brings after that. */
  | { before: "ordinal"; ordinal: number }
  | { before: "prompts"; count: number }
  /** The fork that the last prompt made is a rewind, and not a second process. */
  | { before: "last_fork" };

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

export interface LoggedQuestion {
  /** The runtime's own id of the question, where it has one. */
  id: string | null;
  header: string;
  question: string;
  options: { label: string; description: string }[];
  multiSelect: boolean;
}

export type PlanStatus = "pending" | "in_progress" | "completed" | "blocked";

export interface PlanLine {
  /** Null: known by its words. */
  id: string | null;
  title: string;
  status: PlanStatus;
}
