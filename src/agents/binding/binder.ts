import { AppError } from "../../errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { Semaphore } from "../../lib/lock.ts";
import type { BindingRequest } from "../../protocol/agent-replies.ts";
import type { AgentLifecycle, AgentSession, ChatMessage } from "../../protocol/agents.ts";
import type { PaneSession } from "../../protocol/explain.ts";
import { sameList } from "../../terminal/hub.ts";
import type { PaneSight } from "../../terminal/transitions.ts";
import { agentConflict, requireBinding, requireSession, unknownResource } from "../queries.ts";
import type { Binding, HandBinding, KnownSession, PaneMatch } from "../session.ts";
import type { AgentStore } from "../store/store.ts";
import { type CandidateSession, isDrawnElsewhere, lifecycleIn, nextBinding } from "./binding.ts";
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

type CachedSession = CandidateSession & Pick<KnownSession, "session" | "logLifecycle">;

/** What a person says of sessions; of one session the last counts. */
type Hands = readonly (readonly [sessionId: string, HandBinding])[];

/** Decides with each pass over the panes which session is in which pane. */
export class Binder {
  readonly #deps: BinderDeps;
  /** A match reads folders: what a person binds meanwhile waits for its end. */
  readonly #turns = new Semaphore(1);
  /** A cache: a session is read again only after the store changed it. */
  readonly #sessions = new Map<string, CachedSession>();
  /** Sessions to be read again; null before the first match: all. */
  #changed: Set<string> | null = null;
  #panes: readonly ObservedPane[] = [];
  #matches: ReadonlyMap<string, PaneMatch> = new Map();
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
    this.#changed?.add(sessionId);
  }

  /** Null where the session is in no pane for certain. */
  paneOf(sessionId: string): ObservedPane | null {
    return this.#paneIn(this.#matches.get(sessionId));
  }

  /** The sessions that are certain to be in their panes. */
  bound(): { agentId: string; pane: ObservedPane }[] {
    return this.#panes.flatMap((pane) => {
      const agentId = this.sessionIn(pane.id);
      return agentId === null ? [] : { agentId, pane };
    });
  }

  /** Null where none is in the pane for certain. A lookup: every pass asks for every pane. */
  sessionIn(paneId: string): string | null {
    return this.#inPanes.get(paneId) ?? null;
  }

  #paneIn(match: PaneMatch | undefined): ObservedPane | null {
    const isIn = ({ id, incarnation }: ObservedPane) =>
      id === match?.paneId && incarnation === match.incarnation;
    return this.#panes.find(isIn) ?? null;
  }

  explain(paneId: string): PaneSession[] {
    return [...this.#matches].flatMap(([agent_id, { association, candidates }]) => {
      const candidate = candidates.find(({ pane_id }) => pane_id === paneId);
      return candidate ? { agent_id, association, reasons: candidate.reasons } : [];
    });
  }

  findPane(paneId: string): ObservedPane | null {
    return this.#panes.find(({ id, target }) => id === paneId || target === paneId) ?? null;
  }

  /** Matches all sessions with all panes. `sights` are those of a pass that succeeded. */
  observe(sights: readonly PaneSight[], at: number): Promise<void> {
    return this.#turns.run(async () => {
      const panes = sameList(this.#panes, await this.#deps.panes.read(sights));
      const isQuiet = this.#changed?.size === 0 && panes === this.#panes;
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
   * @throws AppError 404 for a session or pane that is not known; 409 under another revision, and
   * where the session cannot be in the pane
   */
  bind(id: string, { pane_id, expected_binding_revision }: BindingRequest): Promise<AgentSession> {
    return this.#byHand(id, expected_binding_revision, (cached) => {
      const { session } = cached;
      const pane = this.findPane(pane_id);
      if (!pane) throw new AppError("not_found", `pane ${pane_id.slice(0, 160)} is not observed`);
      if (cached.runtime !== pane.runtime)
        throw agentConflict("another runtime's program runs in this pane", session);
      if (!isPossible(cached, pane))
        throw agentConflict("the pane works in another folder", session);
      const { incarnation } = pane;
      const other = this.sessionIn(pane.id);
      return [
        ...(other === null ? [] : [[other, { incarnation, kind: "released" }] as const]),
        [id, { incarnation, kind: "bound" }],
      ];
    });
  }

  /** @throws AppError 404 for a session that is not known; 409 under another revision */
  release(id: string, revision: number): Promise<AgentSession> {
    return this.#byHand(id, revision, ({ before: { association, incarnation } }) => {
      if (association !== "confirmed" || incarnation === null) return [];
      return [[id, { incarnation, kind: "released" }]];
    });
  }

  #byHand(
    id: string,
    revision: number,
    handsOf: (cached: CachedSession) => Hands,
  ): Promise<AgentSession> {
    return this.#turns.run(async () => {
      const cached = (await this.#readSessions()).get(id);
      if (!cached) throw unknownResource(id);
      requireBinding(cached.session, revision);
      const hands = handsOf(cached);
      if (hands.length > 0) await this.#match(this.#observedAt, hands);
      return requireSession(this.#deps.store, id);
    });
  }

  async #match(at: number, hands: Hands = []): Promise<void> {
    const { store, clock } = this.#deps;
    this.#matchedAt = clock.monotonic();
    const cached = await this.#readSessions();
    const matches = store.write(() => {
      for (const [id, hand] of hands) this.#setHand(id, hand);
      const found = matchSessions({ panes: this.#panes, sessions: [...cached.values()] });
      // Before the first pass nothing is known of the panes of other sessions.
      for (const [id, session] of cached)
        if (at > 0 || hands.some(([said]) => said === id)) this.#settle(session, found.get(id), at);
      return found;
    });
    this.#matches = matches;
    this.#inPanes = new Map(
      [...matches].flatMap(([id, { paneId }]) => (paneId === null ? [] : [[paneId, id]])),
    );
  }

  #setHand(id: string, hand: HandBinding): void {
    const cached = this.#sessions.get(id);
    if (!cached) return;
    // Read again with the next pass, also where this cannot be stored.
    this.touch(id);
    const binding = { ...cached.before, hand };
    this.#deps.store.sessions.set(id, { binding });
    this.#sessions.set(id, { ...cached, before: binding });
  }

  /** Reads anew what has changed; a session that cannot be read is tried again the next time. */
  async #readSessions(): Promise<ReadonlyMap<string, CachedSession>> {
    const { sessions, messages } = this.#deps.store;
    const changed = (this.#changed ??= new Set(sessions.ids()));
    for (const id of [...changed]) {
      const known = sessions.find(id);
      const latest = messages.latest(id, MATCHED_MESSAGES);
      // What changes from here on is read the next time.
      changed.delete(id);
      if (!known) this.#sessions.delete(id);
      else this.#sessions.set(id, await candidateOf(known, latest));
    }
    return this.#sessions;
  }

  #settle(cached: CachedSession, match: PaneMatch | undefined, at: number): void {
    if (!match) return;
    const { store } = this.#deps;
    const { id, before, session } = cached;
    const next = nextBinding(before, match);
    if (next !== before) {
      store.sessions.set(id, { binding: next });
      this.touch(id);
    }
    this.#noteLoss(id, before, next, at);
    const lifecycle = this.#lifecycleOf(cached, match, at);
    const isOver = lifecycle === "offline" || lifecycle === "completed";
    if (isOver && session.pending_decisions_count > 0) store.decisions.supersede(id, store.now);
    const [wasThere, isThere] = [before, next].map((each) => each.association === "confirmed");
    if (wasThere === isThere && session.lifecycle === lifecycle) return;
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

  #lifecycleOf(cached: CachedSession, match: PaneMatch, at: number): AgentLifecycle {
    const { logLifecycle, session } = cached;
    const pane = this.#paneIn(match);
    if (pane) return lifecycleIn(pane, logLifecycle);
    // The log decides, until its program is gone.
    if (match.association !== "unavailable") return logLifecycle;
    const loss = this.#losses.get(session.id);
    if (loss?.hasMovedOn) return "offline";
    const lastAt = cached.lastAt ?? session.created_at;
    const isLogNewer = loss !== undefined && lastAt > loss.at + LAST_RECORDS_SECONDS;
    // A program that a person released or stopped may be silent for long without being over.
    const isHere =
      match.source === "released" || this.#deps.panes.isRunning(loss?.incarnation ?? null);
    const isOver = !isHere && (loss !== undefined || at - lastAt > QUIET_SECONDS);
    return isOver && !isLogNewer && logLifecycle !== "completed" ? "offline" : logLifecycle;
  }
}

async function candidateOf(
  { session, facts, binding, logLifecycle }: KnownSession,
  latest: readonly ChatMessage[],
): Promise<CachedSession> {
  return {
    session,
    logLifecycle,
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

/** The process works in the session's folder, or the screen names it: a worktree of its own. */
function isPossible(session: CandidateSession, pane: ObservedPane): boolean {
  if (session.folder === null || session.folder === pane.folder) return true;
  return pane.conversation.folder !== null && !isDrawnElsewhere(session, pane);
}
