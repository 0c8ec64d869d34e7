import type { Clock } from "../../lib/clock.ts";
import type { AgentLifecycle } from "../../protocol/agents.ts";
import type { PaneSession } from "../../protocol/explain.ts";
import type { PaneSight } from "../../terminal/transitions.ts";
import type { Binding, KnownSession } from "../session.ts";
import type { AgentStore } from "../store/store.ts";
import {
  type BindingResult,
  BOUND_BY_HAND,
  makeHandBinding,
  type CandidateSession,
  confirmedMatch,
  lifecycleIn,
  nextBinding,
  releaseBinding,
} from "./binding.ts";
import { matchSessions } from "./matcher.ts";
import { type ObservedPane, type ObservedPanes, realFolder } from "./observed-panes.ts";
import { edgesOf } from "./conversation.ts";

/** A session in no pane whose log has been silent for so long is over. */
const QUIET_SECONDS = 600;
/** A program that ends writes its last records around the time that its pane is lost. */
const LAST_RECORDS_SECONDS = 3;

/** Sessions are matched again after this time though nothing changed: their silence grows. */
const MAX_MATCH_AGE_SECONDS = 30;

/** The newest messages of a session that are looked for on screens. */
const MATCHED_MESSAGES = 12;

interface BinderDeps {
  store: AgentStore;
  panes: ObservedPanes;
  clock: Pick<Clock, "monotonic">;
}

/** Decides with each pass over the panes which session is in which pane. */
export class Binder {
  readonly #deps: BinderDeps;
  /** A cache: a session is read again only after the store changed it. */
  readonly #sessions = new Map<string, { session: KnownSession; candidate: CandidateSession }>();
  #changed: Set<string> | "all" = "all";
  #panes: readonly ObservedPane[] = [];
  #matches: ReadonlyMap<string, BindingResult> = new Map();
  #inPanes: ReadonlyMap<string, string> = new Map();
  /** Sessions that lost their pane: when (epoch seconds), which, and whether to another session. */
  readonly #losses = new Map<
    string,
    { at: number; incarnation: string | null; hasMovedOn: boolean }
  >();
  #observedAt = 0;
  /** Monotonic seconds of the last pass and of the last match. */
  #passAt = Number.NEGATIVE_INFINITY;
  #matchedAt = Number.NEGATIVE_INFINITY;
  #lastRecordAt: number | null = null;

  constructor(deps: BinderDeps) {
    this.#deps = deps;
  }

  /** Epoch seconds of the last pass; 0 before the first. */
  get observedAt(): number {
    return this.#observedAt;
  }

  get panes(): readonly ObservedPane[] {
    return this.#panes;
  }

  /** Native ids of the sessions that processes of the panes name. */
  live(): Set<string> {
    const named = this.#panes.flatMap(({ claims }) => [
      ...[claims.status?.sessionId, claims.startedWith].filter((id) => typeof id === "string"),
      ...claims.held,
    ]);
    return new Set(named);
  }

  /** Seconds since the last pass. */
  get passAge(): number {
    return this.#deps.clock.monotonic() - this.#passAt;
  }

  /** Has the session read again with the next pass. */
  touch(sessionId: string): void {
    if (this.#changed !== "all") this.#changed.add(sessionId);
  }

  /** Null where the session is in no pane for certain. */
  paneOf(sessionId: string): ObservedPane | null {
    const matched = this.#matches.get(sessionId)?.pane?.incarnation;
    return this.#panes.find(({ incarnation }) => incarnation === matched) ?? null;
  }

  boundSessions(): string[] {
    return [...this.#matches].flatMap(([id, { pane }]) => (pane ? id : []));
  }

  /** Epoch seconds of the newest record of any log; null before the first match. */
  get lastRecordAt(): number | null {
    return this.#lastRecordAt;
  }

  /** Null where none is in the pane for certain. A lookup: every pass asks for every pane. */
  sessionIn(paneId: string): string | null {
    return this.#inPanes.get(paneId) ?? null;
  }

  #setMatches(matches: ReadonlyMap<string, BindingResult>): void {
    this.#matches = matches;
    this.#inPanes = new Map(
      [...matches].flatMap(([id, { pane }]) => (pane ? [[pane.id, id]] : [])),
    );
  }

  explain(paneId: string): PaneSession[] {
    return [...this.#matches].flatMap(([agent_id, { association, pane, reasons, candidates }]) => {
      if (pane?.id === paneId) return { agent_id, association, reasons: [...reasons] };
      const candidate = candidates.find((each) => each.pane.id === paneId);
      return candidate ? { agent_id, association, reasons: [...candidate.reasons] } : [];
    });
  }

  findPane(paneId: string): ObservedPane | null {
    return this.#panes.find(({ id, target }) => id === paneId || target === paneId) ?? null;
  }

  /** Matches all sessions with all panes. `sights` are those of a pass that succeeded. */
  async observe(sights: readonly PaneSight[], at: number): Promise<void> {
    const { store } = this.#deps;
    const panes = await this.#deps.panes.read(sights);
    const hasNews = this.#changed === "all" || this.#changed.size > 0;
    const isQuiet = !hasNews && isSameList(panes, this.#panes);
    this.#panes = panes;
    const now = this.#deps.clock.monotonic();
    if (isQuiet && now - this.#matchedAt < MAX_MATCH_AGE_SECONDS) {
      this.#notePass(at, now);
      return;
    }
    this.#matchedAt = now;
    const known = await this.#readSessions();
    const sessions = [...known.values()].map(({ candidate }) => candidate);
    const matches = matchSessions({ panes: this.#panes, sessions });
    this.#setMatches(matches);
    store.write(() => {
      for (const [id, { session }] of known) this.#settle(session, matches.get(id), at);
    });
    this.#notePass(at, now);
    const times = sessions.flatMap(({ lastAt }) => lastAt ?? []);
    this.#lastRecordAt = times.length === 0 ? null : Math.max(...times);
  }

  #notePass(at: number, now: number): void {
    // The same pass may be observed twice: it is no newer then.
    if (at !== this.#observedAt) this.#passAt = now;
    this.#observedAt = at;
  }

  /**
   * Binds by hand; a session that had the pane before is released. It holds at once: until the next
   * pass messages would go to the earlier pane.
   */
  bind(session: KnownSession, pane: ObservedPane): void {
    const { store } = this.#deps;
    const { id } = session.session;
    store.write(() => {
      for (const [other, match] of this.#matches)
        if (other !== id && match.pane?.id === pane.id) this.#release(other);
      store.sessions.set(id, {
        binding: makeHandBinding(id, session.binding, pane),
        lifecycle: lifecycleIn(pane, session.logLifecycle),
      });
    });
    this.#setMatches(
      new Map([...this.#matches, [id, confirmedMatch(pane, "hand", BOUND_BY_HAND)]]),
    );
    this.touch(id);
  }

  release(sessionId: string): void {
    this.#deps.store.write(() => this.#release(sessionId));
  }

  #release(sessionId: string): void {
    const { store } = this.#deps;
    const known = store.sessions.find(sessionId);
    if (!known || known.binding.association !== "confirmed") return;
    store.sessions.set(sessionId, {
      binding: releaseBinding(sessionId, known.binding, this.paneOf(sessionId)),
      lifecycle: null,
    });
    this.#setMatches(new Map([...this.#matches].filter(([id]) => id !== sessionId)));
    this.touch(sessionId);
  }

  async #readSessions() {
    for (;;) {
      const matches = this.#matches;
      const changed = this.#changed;
      this.#changed = new Set();
      const { sessions } = this.#deps.store;
      const known = changed === "all" ? sessions.all() : this.#readChanged(changed);
      for (const session of known)
        this.#sessions.set(session.session.id, {
          session,
          candidate: await this.#candidate(session),
        });
      // Else a person bound or released a session meanwhile.
      if (matches === this.#matches) return this.#sessions;
    }
  }

  #readChanged(ids: ReadonlySet<string>): KnownSession[] {
    return [...ids].flatMap((id) => {
      const session = this.#deps.store.sessions.find(id);
      if (!session) this.#sessions.delete(id);
      return session ?? [];
    });
  }

  async #candidate({ session, facts, binding }: KnownSession): Promise<CandidateSession> {
    const latest = this.#deps.store.messages.latest(session.id, MATCHED_MESSAGES);
    return {
      id: session.id,
      runtime: session.runtime,
      nativeId: session.native_session_id,
      cwd: facts.cwd,
      folder: facts.cwd === null ? null : await realFolder(facts.cwd),
      beganAt: facts.startedAt ?? facts.firstAt,
      lastAt: facts.lastAt,
      isInteractive: facts.isTyped,
      messages: latest.toReversed().map(({ role, content }) => edgesOf(role, content)),
      newestMessage: latest[0]?.id ?? null,
      before: binding,
    };
  }

  #settle(known: KnownSession, match: BindingResult | undefined, at: number): void {
    if (!match) return;
    const { store } = this.#deps;
    const { id } = known.session;
    const before = known.binding;
    const next = nextBinding(id, before, match);
    if (next !== before) {
      store.sessions.set(id, { binding: next });
      this.touch(id);
    }
    this.#noteLoss(id, before, next, at);
    const lifecycle = this.#lifecycleOf(known, match, at);
    const isOver = lifecycle === "offline" || lifecycle === "completed";
    if (isOver && known.session.pending_decisions_count > 0)
      store.decisions.supersede(id, store.now);
    const [wasThere, isThere] = [before, next].map((each) => each.association === "confirmed");
    if (wasThere === isThere && known.session.lifecycle === lifecycle) return;
    store.sessions.set(id, { lifecycle });
    this.touch(id);
  }

  #noteLoss(id: string, before: Binding, next: Binding, at: number): void {
    const { store } = this.#deps;
    const known = this.#losses.get(id);
    if (next.association === "confirmed") {
      // Another process does not ask what the earlier one did.
      if (known && known.incarnation !== next.incarnation) store.decisions.supersede(id, store.now);
      this.#losses.delete(id);
      return;
    }
    const hasMovedOn = this.#panes.some(({ incarnation }) => next.left.includes(incarnation));
    const isNews = hasMovedOn && !known?.hasMovedOn;
    if (isNews) store.decisions.supersede(id, store.now);
    if (isNews || before.association === "confirmed")
      this.#losses.set(id, {
        at: known?.at ?? at,
        incarnation: before.incarnation,
        hasMovedOn: hasMovedOn || (known?.hasMovedOn ?? false),
      });
  }

  #lifecycleOf(known: KnownSession, match: BindingResult, at: number): AgentLifecycle {
    const { facts, logLifecycle, session } = known;
    const pane = this.paneOf(session.id);
    if (pane) return lifecycleIn(pane, logLifecycle);
    // The log decides, until its program is gone.
    if (match.association !== "unavailable") return logLifecycle;
    const loss = this.#losses.get(session.id);
    if (loss?.hasMovedOn) return "offline";
    const lastAt = facts.lastAt ?? session.created_at;
    const isLogNewer = loss !== undefined && lastAt > loss.at + LAST_RECORDS_SECONDS;
    // A program that a person released or stopped may be silent for long without being over.
    const isHere =
      match.source === "released" || this.#deps.panes.isRunning(loss?.incarnation ?? null);
    const isOver = !isHere && (loss !== undefined || at - lastAt > QUIET_SECONDS);
    return isOver && !isLogNewer && logLifecycle !== "completed" ? "offline" : logLifecycle;
  }
}

function isSameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
