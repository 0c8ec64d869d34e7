import { fold, type SessionState } from "./context.ts";
import type { LogEvent, MessageEvent, SessionEvent } from "./events.ts";
import type { SessionFacts } from "../known.ts";
import type { RuntimeReader } from "./runtimes/reader.ts";
import type { AgentStore } from "../store/store.ts";
import type { LogPosition } from "../store/logs.ts";
import { cleanEvent } from "./text.ts";

/** Records older than this when they are read say nothing of how fast they are read. */
const MAX_LAG_SECONDS = 60;

/** What one record said, and where it stands. */
export interface ReadRecord {
  /** Byte offset of its line. */
  offset: number;
  events: readonly LogEvent[];
}

/** One session, while records of one of its logs are applied. */
interface Desk {
  id: string;
  state: SessionState;
  facts: SessionFacts;
  /** Epoch seconds up to which everything was deleted by a person. */
  forgottenUntil: number;
  /** Something was told that a person has not deleted. */
  isNews: boolean;
  /** As it was before. */
  goal: SessionState["goal"];
}

export interface ProjectionDeps {
  store: AgentStore;
  reader: RuntimeReader;
  /** Epoch seconds: older messages are not imported. */
  retainedFrom: number;
}

/**
 * Applies records of one log, inside the transaction that stores how far it was read. Gives the
 * log with what was learnt of whose it is.
 */
export class Projection {
  readonly #deps: ProjectionDeps;
  #log: LogPosition;
  #desk: Desk | null = null;

  constructor(deps: ProjectionDeps, log: LogPosition) {
    this.#deps = deps;
    this.#log = log;
    if (log.sessionId !== null) this.#desk = this.#open(log.sessionId);
  }

  apply(records: readonly ReadRecord[]): LogPosition {
    for (const { offset, events } of records) {
      for (const event of events)
        if (!this.#log.isAside) this.#apply(cleanEvent(event, this.#deps.store.now), offset);
    }
    this.#close();
    return this.#log;
  }

  #apply(event: LogEvent, offset: number): void {
    if (event.kind === "session") this.#meet(event);
    const desk = this.#desk;
    if (desk === null) return;
    this.#seen(desk, event);
    // What a person has deleted is not told again, whoever brings it.
    const at = event.at ?? desk.facts.lastAt;
    if (desk.forgottenUntil > 0 && (at ?? 0) <= desk.forgottenUntil) return;
    desk.isNews = true;
    if (event.kind === "message" && !this.#hear(desk, event, offset)) return;
    this.#decide(desk, event);
    if (event.kind === "rewind") this.#rewind(desk, event);
    desk.state = fold(desk.state, event);
  }

  /** The first record that names a session makes this its log. */
  #meet(event: SessionEvent): void {
    const { store, reader } = this.#deps;
    if (this.#desk !== null) return;
    if (event.isSubagent) {
      this.#log = { ...this.#log, isAside: true };
      return;
    }
    const isNew = store.sessions.findId(reader.runtime, event.nativeId) === null;
    const id = store.sessions.ensure(reader.runtime, event.nativeId, store.now);
    this.#log = { ...this.#log, sessionId: id };
    store.logs.put(this.#log);
    this.#desk = this.#open(id);
    if (isNew && event.forkedFrom !== null) this.#inheritGoal(this.#desk, event.forkedFrom);
  }

  /** A fork goes on with what its parent was for; the log of the fork may not say it. */
  #inheritGoal(desk: Desk, parentId: string): void {
    const { store, reader } = this.#deps;
    const parent = store.sessions.findId(reader.runtime, parentId);
    if (parent === null) return;
    desk.state = withGoal(desk.state, store.sessions.state(parent).goal);
  }

  #seen(desk: Desk, event: LogEvent): void {
    const { facts } = desk;
    const at = event.at ?? facts.lastAt;
    const path = this.#log.path;
    desk.facts = {
      ...facts,
      firstAt: at === null ? facts.firstAt : Math.min(at, facts.firstAt ?? at),
      lastAt: at === null ? facts.lastAt : Math.max(at, facts.lastAt ?? at),
      logs: facts.logs.includes(path) ? facts.logs : [...facts.logs, path],
      ...(event.kind === "session" && {
        cwd: facts.cwd ?? event.cwd,
        version: event.version ?? facts.version,
        startedAt: earliest(facts.startedAt, event.startedAt),
        forkedFrom: facts.forkedFrom ?? event.forkedFrom,
        isTyped: facts.isTyped && event.isTyped,
      }),
    };
  }

  /** Stores a message; false where it is none of this session's. */
  #hear(desk: Desk, event: MessageEvent, offset: number): boolean {
    const { store, retainedFrom } = this.#deps;
    if (event.isFallback && desk.state.hasMessages) return false;
    if (!event.isFallback && !desk.state.hasMessages) {
      desk.state = { ...desk.state, hasMessages: true };
      store.messages.dropFallbacks(desk.id);
    }
    const at = event.at ?? desk.facts.lastAt ?? store.now;
    if (isTakenBack(desk.state, event, at)) return false;
    // A copy tells what the conversation is about, and is no message of this session.
    if (event.isCopied || this.#isCopy(desk, event)) return true;
    const { text } = event;
    if (text.trim() === "") return false;
    if (at < retainedFrom) {
      store.sessions.setTruncated(desk.id);
      return true;
    }
    const generation = `${this.#log.path}#${this.#log.generation}`;
    const sibling =
      event.parentId === null ? null : store.messages.findSibling(desk.id, event.parentId);
    const seq = store.messages.add(desk.id, { event, text, at, generation, offset }, store.now);
    if (seq !== null && event.role === "user") {
      this.#goOn(desk, event, { at, seq }, sibling);
    }
    return true;
  }

  /** The same record in two sessions: the one whose log was made first has said it. */
  #isCopy(desk: Desk, event: MessageEvent): boolean {
    const { store, reader } = this.#deps;
    if (!reader.keepsIdsInCopies || event.nativeId === null) return false;
    const other = store.messages.findElsewhere(desk.id, event.nativeId);
    if (other === null) return false;
    if (store.logs.born(other) <= store.logs.born(desk.id)) return true;
    store.messages.dropNative(other, event.nativeId);
    return false;
  }

  /** A new prompt: what was rewound is gone from here on. */
  #goOn(
    desk: Desk,
    event: MessageEvent,
    { at, seq }: { at: number; seq: number },
    sibling: { seq: number; at: number } | null,
  ): void {
    const { store } = this.#deps;
    const { ordinals } = desk.state.forks;
    const fork = sibling && { at: sibling.at, from: sibling.seq, to: seq };
    const isBack = ordinals?.isDue === true && at >= ordinals.at;
    if (isBack) store.messages.dropOrdinals(desk.id, ordinals);
    if (fork && !event.marksRewinds) store.messages.dropPlaces(desk.id, fork);
    desk.state = {
      ...desk.state,
      forks: {
        candidate: fork && event.marksRewinds ? fork : null,
        ordinals: isBack ? { ...ordinals, isDue: false } : ordinals,
      },
    };
  }

  #rewind(desk: Desk, { at, to }: Extract<LogEvent, { kind: "rewind" }>): void {
    const { store } = this.#deps;
    const { forks } = desk.state;
    if (to.before === "ordinal") {
      const ordinals = { from: to.ordinal, at: at ?? desk.facts.lastAt ?? store.now, isDue: true };
      desk.state = { ...desk.state, forks: { ...forks, ordinals } };
      return;
    }
    if (to.before === "prompts") {
      const prompt = to.count > 0 ? store.messages.findPrompt(desk.id, to.count) : null;
      const all = { from: prompt?.seq ?? 0, to: Number.MAX_SAFE_INTEGER };
      if (prompt) store.messages.dropPlaces(desk.id, { at: prompt.at, ...all });
      return;
    }
    if (forks.candidate) store.messages.dropPlaces(desk.id, forks.candidate);
    desk.state = { ...desk.state, forks: { ...forks, candidate: null } };
  }

  #decide(desk: Desk, event: LogEvent): void {
    const { store } = this.#deps;
    const at = event.at ?? desk.facts.lastAt ?? store.now;
    if (event.kind === "question") {
      const count = event.questions.length;
      event.questions.forEach((question, index) =>
        store.decisions.ask(desk.id, event.id, { kind: "question", question, index, count }, at),
      );
    }
    if (event.kind === "plan_request") {
      store.decisions.ask(desk.id, event.id, { kind: "plan_approval", plan: event.plan }, at);
    }
    if (event.kind === "answer" && desk.state.open[event.id] === true) {
      store.decisions.resolve(desk.id, event.id, event.answers, store.now);
    }
  }

  #open(id: string): Desk {
    const { sessions, expiry } = this.#deps.store;
    const state = sessions.state(id);
    return {
      id,
      state,
      goal: state.goal,
      facts: sessions.facts(id),
      forgottenUntil: Math.max(sessions.forgottenUntil(id), expiry.clearedUntil()),
      isNews: false,
    };
  }

  #close(): void {
    const desk = this.#desk;
    if (desk === null) return;
    const { store } = this.#deps;
    // A write that does not reach the file's end publishes nothing: the one that does tells of both.
    const isNews = desk.isNews || this.#log.isBehind;
    this.#log = { ...this.#log, isBehind: isNews };
    const lag = store.now - (desk.facts.lastAt ?? 0);
    const isLive = lag >= 0 && lag < MAX_LAG_SECONDS;
    if (desk.state.goal !== desk.goal) passOnGoal(store, desk.id, desk.state.goal);
    store.sessions.observe(desk.id, {
      state: desk.state,
      facts: desk.facts,
      isNews,
      lag: isLive ? Math.round(lag * 1000) / 1000 : null,
    });
  }
}

/** Forks may have been read before what they come from. */
function passOnGoal(store: AgentStore, id: string, goal: SessionState["goal"]): void {
  for (const fork of store.sessions.forksOf(id)) {
    const state = store.sessions.state(fork);
    const next = withGoal(state, goal);
    if (next === state) continue;
    store.sessions.setState(fork, next);
    passOnGoal(store, fork, goal);
  }
}

/** What it was all for is what was said first. */
function withGoal(state: SessionState, goal: SessionState["goal"]): SessionState {
  if (goal === null || (state.goal !== null && state.goal.at <= goal.at)) return state;
  return { ...state, goal };
}

/** Said before the session went back to an earlier place, and behind it. */
function isTakenBack({ forks }: SessionState, { ordinal }: MessageEvent, at: number): boolean {
  const cut = forks.ordinals;
  if (cut === null || cut.isDue || ordinal === null) return false;
  return ordinal >= cut.from && at < cut.at;
}

function earliest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
