import {
  type AssociationInput,
  byHand,
  type CandidatePane,
  type CandidateSession,
  confirmed,
  isDrawnElsewhere,
  isInFolder,
  isNewer,
  NOTHING,
  type Source,
  type Verdict,
} from "./candidates.ts";
import { isMissingFrom, Shown } from "./shown.ts";

/** A session's first record lies this close around the start of its process. */
export const EARLIEST_SECONDS = 5;
const LATEST_SECONDS = 180;
/** Incarnations that a session is known to have left; one leaves few. */
const MAX_LEFT = 8;

/** Who is proved where, each kind of proof only where no stronger one speaks. */
export class Proofs {
  readonly #input: AssociationInput;
  readonly #verdicts = new Map<string, Verdict>();
  /** Panes whose session is known, by pane id. */
  readonly #owners = new Map<string, string>();
  readonly #shown: Shown;

  constructor(input: AssociationInput) {
    this.#input = input;
    this.#shown = new Shown(input);
    this.#byHand();
    this.#byStatusFile();
    this.#byHeldFile();
    this.#byStart();
    this.#byScreen();
    this.#alone();
  }

  isOwned(pane: CandidatePane): boolean {
    return this.#owners.has(pane.id);
  }

  /** Nothing that holds for all kinds of proof speaks against it. */
  isPossible(session: CandidateSession, pane: CandidatePane): boolean {
    if (isReleased(session, pane) || session.runtime !== pane.runtime) return false;
    return pane.claims.forkedFrom !== session.nativeId && !this.#hasLeft(session, pane);
  }

  /**
   * The incarnations whose program went on from this session to another one: of those that showed
   * it, or that it was born with, since others prove nothing of it later.
   */
  leftOf(session: CandidateSession): readonly string[] {
    const { before } = session;
    const here = this.#verdicts.get(session.id)?.pane?.incarnation ?? null;
    const left = new Set(before.left);
    for (const pane of this.#input.panes) {
      const { incarnation } = pane;
      const owner = this.#owners.get(pane.id) ?? session.id;
      const wasHere = before.source !== "released" && before.incarnation === incarnation;
      const isGone = (wasHere && owner !== session.id) || this.#hasLeft(session, pane);
      if (incarnation === here || !isGone) left.delete(incarnation);
      else if (wasHere || isBornWith(session, pane)) left.add(incarnation);
    }
    return [...left].slice(-MAX_LEFT);
  }

  of(session: CandidateSession): Verdict | null {
    return this.#verdicts.get(session.id) ?? null;
  }

  // The program shows an empty start or another folder, or did while this session was in its pane,
  // and no word of the session since.
  #hasLeft(session: CandidateSession, pane: CandidatePane): boolean {
    if (session.runtime !== pane.runtime) return false;
    const isLeft = session.before.left.includes(pane.incarnation) || isElsewhere(session, pane);
    return isLeft && !this.#shown.isOn(session, pane);
  }

  #byHand(): void {
    const { panes, sessions } = this.#input;
    for (const session of sessions) {
      const { hand } = session.before;
      if (hand?.kind !== "bound") continue;
      const pane = panes.find(({ incarnation }) => incarnation === hand.incarnation);
      if (!pane || this.isOwned(pane)) continue;
      this.#owners.set(pane.id, session.id);
      this.#verdicts.set(session.id, byHand(pane));
    }
  }

  // The process names its session: a pane that it gives to one not known yet is nobody else's.
  #byStatusFile(): void {
    const { panes, sessions } = this.#input;
    const claims: [CandidateSession, CandidatePane][] = [];
    const named = this.#freePanes(panes).filter(({ claims: { status } }) => status !== null);
    for (const pane of named) {
      const id = pane.claims.status?.sessionId;
      const session = sessions.find(
        ({ runtime, nativeId }) => runtime === pane.runtime && nativeId === id,
      );
      if (!session || this.#verdicts.has(session.id) || isReleased(session, pane)) continue;
      claims.push([session, pane]);
    }
    this.#confirmClaims(claims, "Its process names this session in its status file.");
    for (const pane of this.#freePanes(named))
      this.#owners.set(pane.id, "its process names another");
  }

  #byHeldFile(): void {
    const { panes, sessions } = this.#input;
    const claims: [CandidateSession, CandidatePane][] = [];
    for (const pane of this.#freePanes(panes)) {
      const held = sessions.filter(
        (session) => this.#isFree(session, pane) && pane.claims.held.includes(session.nativeId),
      );
      // A process goes on holding what it has moved on from.
      const onScreen = held.filter(({ id }) =>
        this.#shownOn(pane).some((session) => session.id === id),
      );
      const newest = (onScreen.length > 0 ? onScreen : held).toSorted(byBirth).at(-1);
      if (newest) claims.push([newest, pane]);
    }
    this.#confirmClaims(claims, "Its process holds this session's log open.");
  }

  #byStart(): void {
    const { panes, sessions } = this.#input;
    const claims: [CandidateSession, CandidatePane][] = [];
    for (const pane of this.#freePanes(panes)) {
      const session = sessions.find(
        (each) => each.nativeId === pane.claims.startedWith && this.#isFree(each, pane),
      );
      if (!session) continue;
      const others = this.#shownOn(pane).filter(({ id }) => id !== session.id);
      if (others.some((other) => isNewer(other, session))) continue;
      claims.push([session, pane]);
    }
    this.#confirmClaims(claims, "Its process was started with this session's id.");
  }

  #byScreen(): void {
    const { panes, sessions } = this.#input;
    const reason = "The session's own words stand on this screen and on no other.";
    for (const pane of this.#freePanes(panes)) {
      const [newest] = this.#shownOn(pane).toSorted((a, b) => (isNewer(a, b) ? -1 : 1));
      if (!newest || !this.#isFree(newest, pane)) continue;
      if (this.#shown.panesOf(newest).length === 1)
        this.#confirm(newest, pane, "screen", reason, newest.newestMessage);
    }
    // Words scroll away and dialogs cover them: what was proved holds until something speaks against it.
    for (const session of sessions) {
      const { before } = session;
      if (before.source !== "screen" || this.#verdicts.has(session.id)) continue;
      const pane = panes.find(({ incarnation }) => incarnation === before.incarnation);
      if (!pane || this.#owners.has(pane.id) || !this.#isFree(session, pane)) continue;
      const isAsked = session.newestMessage !== before.newestMessage && pane.isAtRest;
      const isElsewhere = this.#shown.panesOf(session).some(({ id }) => id !== pane.id);
      if (isAsked || isElsewhere || this.#shownOn(pane).length > 0) continue;
      this.#confirm(session, pane, "screen", reason, before.newestMessage);
    }
  }

  #alone(): void {
    const { panes, sessions } = this.#input;
    for (const pane of this.#freePanes(panes)) {
      const isNeighbour = (other: CandidatePane) =>
        other.runtime === pane.runtime && other.folder === pane.folder;
      if (panes.filter(isNeighbour).length !== 1) continue;
      const here = sessions.filter(
        (session) =>
          session.runtime === pane.runtime && session.isInteractive && isInFolder(session, pane),
      );
      const born = here.filter((session) => isBornWith(session, pane));
      const [only] = born;
      if (!only || born.length !== 1 || !this.#isFree(only, pane)) continue;
      // A later one that is nowhere else may be what the program went on to.
      if (here.some((other) => isNewer(other, only) && !this.#verdicts.has(other.id))) continue;
      if (isMissingFrom(only, pane)) continue;
      this.#confirm(
        only,
        pane,
        "alone",
        "The only pane and the only session of their kind in this folder began together.",
      );
    }
  }

  /** Those whose words stand there and that nothing stronger has put elsewhere. */
  #shownOn(pane: CandidatePane): CandidateSession[] {
    return this.#shown.on(pane).filter((session) => !this.#verdicts.has(session.id));
  }

  #freePanes(panes: readonly CandidatePane[]): CandidatePane[] {
    return panes.filter(({ id }) => !this.#owners.has(id));
  }

  #isFree(session: CandidateSession, pane: CandidatePane): boolean {
    if (this.#verdicts.has(session.id)) return false;
    return this.isPossible(session, pane);
  }

  #confirmClaims(claims: readonly [CandidateSession, CandidatePane][], reason: string): void {
    for (const [session, own] of Map.groupBy(claims, ([each]) => each)) {
      const panes = own.map(([, pane]) => pane);
      const [only] = panes;
      if (only && panes.length === 1) this.#confirm(session, only, "process", reason);
      else this.#divide(session, panes, reason);
    }
  }

  #confirm(
    session: CandidateSession,
    pane: CandidatePane,
    source: Source,
    reason: string,
    newestMessage: string | null = null,
  ): void {
    this.#owners.set(pane.id, session.id);
    this.#verdicts.set(session.id, { ...confirmed(pane, source, reason), newestMessage });
  }

  // Two live programs with one session: it is in both, and a message to it could reach either.
  #divide(session: CandidateSession, panes: readonly CandidatePane[], reason: string): void {
    const confidence = 1 / panes.length;
    for (const pane of panes) this.#owners.set(pane.id, session.id);
    this.#verdicts.set(session.id, {
      ...NOTHING,
      association: "ambiguous",
      candidates: panes.map((pane) => ({ pane, confidence, reasons: [reason] })),
    });
  }
}

/** The program shows what it would not while this session is in it. */
function isElsewhere(session: CandidateSession, pane: CandidatePane): boolean {
  if (session.newestMessage === null || session.folder !== pane.folder) return false;
  return pane.conversation.isFresh || isDrawnElsewhere(session, pane);
}

/** A person let this binding go; it is not made again by itself. */
function isReleased(
  { before: { hand } }: CandidateSession,
  { incarnation }: CandidatePane,
): boolean {
  return hand?.kind === "released" && hand.incarnation === incarnation;
}

function isBornWith({ beganAt }: CandidateSession, { starts }: CandidatePane): boolean {
  if (beganAt === null) return false;
  return starts.some(
    (start) => beganAt >= start - EARLIEST_SECONDS && beganAt <= start + LATEST_SECONDS,
  );
}

function byBirth(a: CandidateSession, b: CandidateSession): number {
  return (a.beganAt ?? 0) - (b.beganAt ?? 0);
}
