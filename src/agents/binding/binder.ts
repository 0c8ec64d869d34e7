import type { Clock } from "../../lib/clock.ts";
import { Semaphore } from "../../lib/lock.ts";
import type { AgentLifecycle } from "../../protocol/agents.ts";
import type { PaneSession } from "../../protocol/explain.ts";
import type { PaneSight } from "../../terminal/transitions.ts";
import type { Binding, HandBinding, KnownSession } from "../session.ts";
import type { AgentStore } from "../store/store.ts";
import { type BindingResult, type CandidateSession, lifecycleIn, nextBinding } from "./binding.ts";
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
  /** A match reads folders: what a person binds meanwhile waits for its end. */
  readonly #turns = new Semaphore(1);
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
    return this.#paneIn(this.#matches.get(sessionId));
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

  #paneIn(match: BindingResult | undefined): ObservedPane | null {
    const matched = match?.pane?.incarnation;
    return this.#panes.find(({ incarnation }) => incarnation === matched) ?? null;
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
  observe(sights: readonly PaneSight[], at: number): Promise<void> {
    return this.#turns.run(async () => {
      const panes = await this.#deps.panes.read(sights);
      const hasNews = this.#changed === "all" || this.#changed.size > 0;
      const isQuiet = !hasNews && isSameList(panes, this.#panes);
      this.#panes = panes;
      const now = this.#deps.clock.monotonic();
      if (!isQuiet || now - this.#matchedAt >= MAX_MATCH_AGE_SECONDS) await this.#match(at);
      // The same pass may be observed twice: it is no newer then.
      if (at !== this.#observedAt) this.#passAt = now;
      this.#observedAt = at;
    });
  }

  /**
   * Binds by hand; a session that had the pane before is released. It holds from the reply on.
   * @param check throws where the session has changed meanwhile
   */
  bind(id: string, { id: paneId, incarnation }: ObservedPane, check = () => {}): Promise<void> {
    return this.#turns.run(() => {
      check();
      const others = [...this.#matches].filter(([, { pane }]) => pane?.id === paneId);
      const released = others.map(([other]) => [other, { incarnation, kind: "released" }] as const);
      return this.#match(this.#observedAt, [...released, [id, { incarnation, kind: "bound" }]]);
    });
  }

  /** @param check as of `bind` */
  release(id: string, check = () => {}): Promise<void> {
    return this.#turns.run(async () => {
      check();
      const { association, incarnation = null } = this.#deps.store.sessions.find(id)?.binding ?? {};
      if (association === "confirmed" && incarnation !== null)
        await this.#match(this.#observedAt, [[id, { incarnation, kind: "released" }]]);
    });
  }

  /** @param hands what a person has just said; of one session the last counts */
  async #match(at: number, hands: readonly (readonly [string, HandBinding])[] = []): Promise<void> {
    const { store, clock } = this.#deps;
    this.#matchedAt = clock.monotonic();
    const known = await this.#readSessions();
    const matches = store.write(() => {
      for (const [id, hand] of hands) this.#setHand(id, hand);
      const sessions = [...known.values()].map(({ candidate }) => candidate);
      const found = matchSessions({ panes: this.#panes, sessions });
      for (const [id, { session }] of known) this.#settle(session, found.get(id), at);
      return found;
    });
    this.#matches = matches;
    this.#inPanes = new Map(
      [...matches].flatMap(([id, { pane }]) => (pane ? [[pane.id, id]] : [])),
    );
    const times = [...known.values()].flatMap(({ candidate }) => candidate.lastAt ?? []);
    this.#lastRecordAt = times.length === 0 ? null : Math.max(...times);
  }

  #setHand(id: string, hand: HandBinding): void {
    const known = this.#sessions.get(id);
    if (!known) return;
    // Read again with the next pass, also where this cannot be stored.
    this.touch(id);
    const binding = { ...known.session.binding, hand };
    const session = { ...known.session, binding };
    this.#deps.store.sessions.set(id, { binding });
    this.#sessions.set(id, { session, candidate: { ...known.candidate, before: binding } });
  }

  async #readSessions() {
    const changed = this.#changed;
    this.#changed = new Set();
    const { sessions } = this.#deps.store;
    const known = changed === "all" ? sessions.all() : this.#readChanged(changed);
    for (const session of known)
      this.#sessions.set(session.session.id, {
        session,
        candidate: await this.#candidate(session),
      });
    return this.#sessions;
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
    const pane = this.#paneIn(match);
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
