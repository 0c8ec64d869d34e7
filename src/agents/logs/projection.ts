import { foldEvent, type SessionState } from "./context.ts";
import type { LogEvent, MessageEvent, SessionEvent } from "./events.ts";
import type { SessionFacts } from "../session.ts";
import type { RuntimeReader } from "./runtimes/reader.ts";
import type { AgentStore } from "../store/store.ts";
import type { LogPosition } from "../store/logs.ts";
import { cleanEvent } from "./text.ts";

/** Records older than this when they are read tell nothing of the reader's lag. */
const MAX_LAG_SECONDS = 60;

export interface LogRecord {
  offset: number;
  events: readonly LogEvent[];
}

interface CurrentSession {
  id: string;
  state: SessionState;
  facts: SessionFacts;
  /** Epoch seconds up to which everything was deleted by a person. */
  forgottenUntil: number;
  /** At least one event is newer than what a person has deleted. */
  isNews: boolean;
  goal: SessionState["goal"];
}

interface ProjectionDeps {
  store: AgentStore;
  reader: RuntimeReader;
  /** Epoch seconds: older messages are not imported. */
  retainedFrom: number;
}

/** Applies records of one log, inside the transaction that stores how far it was read. */
export class Projection {
  readonly #deps: ProjectionDeps;
  #log: LogPosition;
  #current: CurrentSession | null = null;

  constructor(deps: ProjectionDeps, log: LogPosition) {
    this.#deps = deps;
    this.#log = log;
    if (log.sessionId !== null) this.#current = this.#open(log.sessionId);
  }

  /**
   * @param isEnd the log was read to its end: its session is published
   * @returns the log, with its session once a record has told it
   */
  apply(records: readonly LogRecord[], isEnd: boolean): LogPosition {
    for (const { offset, events } of records) {
      for (const event of events)
        if (!this.#log.isAside) this.#apply(cleanEvent(event, this.#deps.store.now), offset);
    }
    this.#close(isEnd);
    return this.#log;
  }

  #apply(event: LogEvent, offset: number): void {
    // Only steps need it: other records tell that the call is open, and that it has ended.
    if (event.kind === "call") return;
    if (event.kind === "session") this.#beginSession(event);
    const current = this.#current;
    if (current === null) return;
    this.#noteFacts(current, event);
    // A person has deleted the session's history up to there.
    const at = event.at ?? current.facts.lastAt;
    if (current.forgottenUntil > 0 && (at ?? 0) <= current.forgottenUntil) return;
    current.isNews = true;
    if (event.kind === "message" && !this.#storeMessage(current, event, offset)) return;
    this.#updateDecisions(current, event);
    if (event.kind === "rewind") this.#rewind(current, event);
    current.state = foldEvent(current.state, event);
  }

  #beginSession(event: SessionEvent): void {
    const { store, reader } = this.#deps;
    if (this.#current !== null) return;
    if (event.isSubagent) {
      this.#log = { ...this.#log, isAside: true };
      return;
    }
    const isNew = store.sessions.findId(reader.runtime, event.nativeId) === null;
    const id = store.sessions.ensure(reader.runtime, event.nativeId, store.now);
    this.#log = { ...this.#log, sessionId: id };
    store.logs.put(this.#log);
    const current = this.#open(id);
    this.#current = current;
    if (!isNew || event.forkedFrom === null) return;
    // The log of a fork may lack the goal, which it shares with its parent.
    const parent = store.sessions.findId(reader.runtime, event.forkedFrom);
    if (parent !== null) current.state = withGoal(current.state, store.sessions.state(parent).goal);
  }

  #noteFacts(current: CurrentSession, event: LogEvent): void {
    const { facts } = current;
    const at = event.at ?? facts.lastAt;
    current.facts = {
      ...facts,
      firstAt: at === null ? facts.firstAt : Math.min(at, facts.firstAt ?? at),
      lastAt: at === null ? facts.lastAt : Math.max(at, facts.lastAt ?? at),
      ...(event.kind === "session" && {
        cwd: facts.cwd ?? event.cwd,
        startedAt: earliest(facts.startedAt, event.startedAt),
        forkedFrom: facts.forkedFrom ?? event.forkedFrom,
        isTyped: facts.isTyped && event.isTyped,
      }),
    };
  }

  /** False where it is no message of this session. */
  #storeMessage(current: CurrentSession, event: MessageEvent, offset: number): boolean {
    const { store, retainedFrom } = this.#deps;
    if (event.isFallback && current.state.hasMessages) return false;
    if (!event.isFallback && !current.state.hasMessages) {
      current.state = { ...current.state, hasMessages: true };
      store.messages.dropFallbacks(current.id);
    }
    const at = event.at ?? current.facts.lastAt ?? store.now;
    if (isTakenBack(current.state, event, at)) return false;
    // A copied message counts for the context, and is stored with the session that it came from.
    if (event.isCopied || this.#isCopy(current, event)) return true;
    const { text } = event;
    if (text.trim() === "") return false;
    if (at < retainedFrom) {
      store.sessions.setTruncated(current.id);
      return true;
    }
    const generation = `${this.#log.path}#${this.#log.generation}`;
    const sibling =
      event.parentId === null ? null : store.messages.findSibling(current.id, event.parentId);
    const seq = store.messages.add(current.id, { event, text, at, generation, offset }, store.now);
    if (seq !== null && event.role === "user")
      this.#afterPrompt(current, event, { at, seq }, sibling);
    return true;
  }

  /** Of two sessions with the same record, the one with the older log owns it. */
  #isCopy(current: CurrentSession, event: MessageEvent): boolean {
    const { store, reader } = this.#deps;
    if (!reader.keepsIdsInCopies || event.nativeId === null) return false;
    const other = store.messages.findElsewhere(current.id, event.nativeId);
    if (other === null) return false;
    if (store.logs.born(other) <= store.logs.born(current.id)) return true;
    store.messages.dropNative(other, event.nativeId);
    return false;
  }

  /** A rewind takes effect with the prompt after it. */
  #afterPrompt(
    current: CurrentSession,
    event: MessageEvent,
    { at, seq }: { at: number; seq: number },
    sibling: { seq: number; at: number } | null,
  ): void {
    const { store } = this.#deps;
    const { ordinals } = current.state.forks;
    const fork = sibling && { at: sibling.at, from: sibling.seq, to: seq };
    const isRewound = ordinals?.isDue === true && at >= ordinals.at;
    if (isRewound) store.messages.dropOrdinals(current.id, ordinals);
    if (fork && !event.marksRewinds) store.messages.dropPlaces(current.id, fork);
    current.state = {
      ...current.state,
      forks: {
        candidate: fork && event.marksRewinds ? fork : null,
        ordinals: isRewound ? { ...ordinals, isDue: false } : ordinals,
      },
    };
  }

  #rewind(current: CurrentSession, { at, to }: Extract<LogEvent, { kind: "rewind" }>): void {
    const { store } = this.#deps;
    const { forks } = current.state;
    if (to.before === "ordinal") {
      const ordinals = {
        from: to.ordinal,
        at: at ?? current.facts.lastAt ?? store.now,
        isDue: true,
      };
      current.state = { ...current.state, forks: { ...forks, ordinals } };
      return;
    }
    if (to.before === "prompts") {
      const prompt = to.count > 0 ? store.messages.findPrompt(current.id, to.count) : null;
      const all = { from: prompt?.seq ?? 0, to: Number.MAX_SAFE_INTEGER };
      if (prompt) store.messages.dropPlaces(current.id, { at: prompt.at, ...all });
      return;
    }
    if (forks.candidate) store.messages.dropPlaces(current.id, forks.candidate);
    current.state = { ...current.state, forks: { ...forks, candidate: null } };
  }

  #updateDecisions(current: CurrentSession, event: LogEvent): void {
    const { store } = this.#deps;
    const at = event.at ?? current.facts.lastAt ?? store.now;
    if (event.kind === "question") {
      const count = event.questions.length;
      event.questions.forEach((question, index) =>
        store.decisions.ask(current.id, event.id, { kind: "question", question, index, count }, at),
      );
    }
    if (event.kind === "plan_request") {
      store.decisions.ask(current.id, event.id, { kind: "plan_approval", plan: event.plan }, at);
    }
    if (event.kind === "answer" && current.state.open[event.id] === true) {
      store.decisions.resolve(current.id, event.id, event.answers, store.now);
    }
  }

  #open(id: string): CurrentSession {
    const { sessions, expiry } = this.#deps.store;
    const state = sessions.state(id);
    return {
      id,
      state,
      goal: state.goal,
      facts: sessions.facts(id),
      forgottenUntil: expiry.forgottenUntil(id),
      isNews: false,
    };
  }

  #close(isEnd: boolean): void {
    const current = this.#current;
    const wasBehind = this.#log.isBehind;
    const isNews = wasBehind || (current?.isNews ?? false);
    // Published only with the write that reaches the file's end.
    this.#log = { ...this.#log, isBehind: isNews && !isEnd };
    if (current === null) return;
    const { store } = this.#deps;
    const isOther = wasBehind || current.state.goal !== current.goal;
    if (isEnd && isOther) passOnGoal(store, current.id, current.state.goal);
    const lag = store.now - (current.facts.lastAt ?? 0);
    const isLive = lag >= 0 && lag < MAX_LAG_SECONDS;
    const { state, facts } = current;
    const measured = isLive ? { lag: Math.round(lag * 1000) / 1000 } : {};
    store.sessions.set(current.id, { state, facts, ...measured }, isNews);
  }
}

/** Forks may have been read before their parent. */
function passOnGoal(store: AgentStore, id: string, goal: SessionState["goal"]): void {
  for (const fork of store.sessions.forksOf(id)) {
    const state = store.sessions.state(fork);
    const next = withGoal(state, goal);
    if (next === state) continue;
    store.sessions.set(fork, { state: next });
    passOnGoal(store, fork, goal);
  }
}

/** The earlier goal wins. */
function withGoal(state: SessionState, goal: SessionState["goal"]): SessionState {
  if (goal === null || (state.goal !== null && state.goal.at <= goal.at)) return state;
  return { ...state, goal };
}

/** Said after the place to which the session went back, before it did. */
function isTakenBack({ forks }: SessionState, { ordinal }: MessageEvent, at: number): boolean {
  const cut = forks.ordinals;
  if (cut === null || cut.isDue || ordinal === null) return false;
  return ordinal >= cut.from && at < cut.at;
}

function earliest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
