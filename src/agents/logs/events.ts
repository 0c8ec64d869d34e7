import type { MessageRole, StepKind } from "../../protocol/agents.ts";

/** A fact from one log record; `at`: its epoch seconds, null where the runtime wrote no time. */
export type LogEvent = { at: number | null } & LogFact;

/** The same for all runtimes. */
export type LogFact =
  /** The session of the log; the first one in a file counts. */
  | {
      kind: "session";
      nativeId: string;
      cwd: string | null;
      startedAt: number | null;
      forkedFrom: string | null;
      /** False where nobody types into it: print mode, exec. */
      isTyped: boolean;
      /** The log of a sub-agent is no session that a person sees. */
      isSubagent: boolean;
    }
  | {
      kind: "message";
      role: MessageRole;
      text: string;
      /** The runtime's id of the record; null where it gives none. */
      nativeId: string | null;
      /** Record type: two records of one message differ in it, two equal messages do not. */
      source: string;
      /** Counts only in logs without messages of a better source. */
      isFallback: boolean;
      /** Id of the record before a prompt, where the log is a tree. */
      parentId: string | null;
      /** Number within the session across files, where the runtime counts. */
      ordinal: number | null;
      /** Whether the runtime marks rewinds, so that a fork alone is none. */
      marksRewinds: boolean;
      /** Copied from the session that this one was forked from. */
      isCopied: boolean;
    }
  | {
      kind: "turn";
      /** `ended`: the process exited in order. */
      state: "working" | "idle" | "error" | "ended";
      /** Derived from a message: it counts only in logs without records of turns. */
      isGuess: boolean;
    }
  /** A call, and later its result. `steps` and `end` are computed only when steps are requested. */
  | {
      kind: "tool";
      id: string;
      open: true;
      steps?: () => readonly CalledStep[];
      isWrapper?: boolean;
    }
  | { kind: "tool"; id: string; open: false; end?: () => CallEnd }
  /** A call logged once it has ended; it takes the place of the wrapper that ran it. */
  | { kind: "call"; id: string; steps: readonly CalledStep[]; state: CallEnd["state"] }
  | { kind: "question"; id: string; questions: LoggedQuestion[] }
  | { kind: "plan_request"; id: string; plan: string }
  /** Ends a question or plan request. Question text or id -> choice; null where it was declined. */
  | { kind: "answer"; id: string; answers: Readonly<Record<string, string>> | null }
  /** Replaces the whole plan. */
  | { kind: "plan"; lines: PlanLine[] }
  /** Changes one task of a plan; null leaves a member as it is. */
  | { kind: "task"; id: string; title: string | null; status: PlanStatus | "deleted" | null }
  | { kind: "rewind"; to: RewindTarget }
  /** A usage limit has ended the turn, or cuts it short; `until`: its reset, where known. */
  | { kind: "limit"; reason: string; until: number | null }
  /** Tokens of the model's context window that the last reply has filled. */
  | { kind: "usage"; tokens: number; window: number }
  /** A record was too long to be read. */
  | { kind: "loss" }
  | { kind: "title"; text: string; chosen: boolean };

export type SessionEvent = Extract<LogEvent, { kind: "session" }>;
export type MessageEvent = Extract<LogEvent, { kind: "message" }>;
export type TurnEvent = Extract<LogEvent, { kind: "turn" }>;
export type UsageEvent = Extract<LogEvent, { kind: "usage" }>;

/** The conversation goes on from an earlier place; the messages after it are dropped. */
type RewindTarget =
  /** Takes effect with the next prompt, also for messages that an older file brings later. */
  | { before: "ordinal"; ordinal: number }
  | { before: "prompts"; count: number }
  /** The fork at the last prompt is a rewind, and not a second process. */
  | { before: "last_fork" };

/** What a tool is to do, as far as one record tells. */
export interface CalledStep {
  kind: StepKind;
  title: string;
  /** The title is a path, to be shown relative to the session's folder. */
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
  /** The runtime's id; null where it gives none. */
  id: string | null;
  header: string;
  question: string;
  options: { label: string; description: string }[];
  multiSelect: boolean;
}

export type PlanStatus = "pending" | "in_progress" | "completed" | "blocked";

export interface PlanLine {
  /** Null: identified by its title. */
  id: string | null;
  title: string;
  status: PlanStatus;
}
