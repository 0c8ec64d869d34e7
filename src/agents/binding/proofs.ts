import {
  type AssociationInput,
  byHand,
  type Candidate,
  type CandidatePane,
  type CandidateSession,
  isInFolder,
  isNewer,
  NOTHING,
  type Source,
  type Verdict,
} from "./candidates.ts";
import { type ShownMessage, standsOn } from "./screen-words.ts";

/** A session's first record lies this close around the start of its process. */
export const EARLIEST_SECONDS = 5;
const LATEST_SECONDS = 180;
/** One message of this length, or two different ones, are words of one session alone. */
const TELLING_CHARS = 40;

/** Who is proved where, each kind of proof only where no stronger one speaks. */
export class Proofs {
  readonly #input: AssociationInput;
  readonly #verdicts = new Map<string, Verdict>();
  /** Panes whose session is known, by pane id. */
  readonly #owners = new Map<string, string>();
  readonly #shown: Shown;

  constructor(input: AssociationInput) {
    this.#input = input;
    this.#shown = new Shown(input.panes, input.sessions);
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

  /** A person let this binding go; it is not made again by itself. */
  isReleased(session: CandidateSession, pane: CandidatePane): boolean {
    const hand = this.#input.hands.get(session.id);
    return hand?.kind === "released" && hand.incarnation === pane.incarnation;
  }

  /** Nothing that holds for all kinds of proof speaks against it. */
  isPossible(session: CandidateSession, pane: CandidatePane): boolean {
    if (this.isReleased(session, pane)) return false;
    if (session.runtime !== pane.runtime || pane.claims.forkedFrom === session.nativeId)
      return false;
    return !this.#hasLeft(session, pane);
  }

  /** The incarnation that this session has left, if any. */
  leftOf(session: CandidateSession): string | null {
    const { panes, before } = this.#input;
    const held = before.get(session.id);
    const isGiven = (pane: CandidatePane) =>
      pane.incarnation === held?.pane?.incarnation && this.#owners.has(pane.id);
    const left = panes.find((pane) => isGiven(pane) || this.#hasLeft(session, pane));
    return left?.incarnation ?? null;
  }

  // The program shows a session in which nothing was said yet: none of those in which something was.
  #hasLeft(session: CandidateSession, pane: CandidatePane): boolean {
    if (session.newestMessage === null || session.runtime !== pane.runtime) return false;
    if (this.#shown.on(pane).includes(session)) return false;
    if (pane.conversation.isFresh) return isInFolder(session, pane);
    return this.#input.before.get(session.id)?.left === pane.incarnation;
  }

  of(session: CandidateSession): Verdict | null {
    return this.#verdicts.get(session.id) ?? null;
  }

  #byHand(): void {
    const { panes, sessions, hands } = this.#input;
    for (const session of sessions) {
      const hand = hands.get(session.id);
      if (hand?.kind !== "bound") continue;
      const pane = panes.find(({ incarnation }) => incarnation === hand.incarnation);
      if (!pane) continue;
      this.#owners.set(pane.id, session.id);
      this.#verdicts.set(session.id, byHand(pane));
    }
  }

  // The process names its session: a pane that it gives to one not known yet is nobody else's.
  #byStatusFile(): void {
    const { panes, sessions } = this.#input;
    const named = Map.groupBy(
      panes.filter(({ claims }) => claims.status !== null),
      ({ runtime, claims }) => `${runtime} ${claims.status?.sessionId}`,
    );
    for (const [key, owners] of named) {
      const session = sessions.find(({ runtime, nativeId }) => `${runtime} ${nativeId}` === key);
      if (session && this.#verdicts.has(session.id)) continue;
      const free = owners.filter(({ id }) => !this.#owners.has(id));
      const reason = "Its process names this session in its status file.";
      const [only] = free;
      if (session && only && free.length === 1) this.#confirm(session, only, "process", [reason]);
      else if (session && free.length > 1) this.#divide(session, free, reason);
      for (const pane of free) if (!this.#owners.has(pane.id)) this.#owners.set(pane.id, key);
    }
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
    const { panes, sessions, before } = this.#input;
    const reason = "The session's own words stand on this screen and on no other.";
    for (const pane of this.#freePanes(panes)) {
      const [newest] = this.#shownOn(pane).toSorted((a, b) => (isNewer(a, b) ? -1 : 1));
      if (!newest || !this.#isFree(newest, pane)) continue;
      if (this.#shown.panesOf(newest).length === 1) this.#confirm(newest, pane, "screen", [reason]);
    }
    // Words scroll away and dialogs cover them: what was proved holds until something speaks against it.
    for (const session of sessions) {
      const held = before.get(session.id);
      if (held?.source !== "screen" || this.#verdicts.has(session.id)) continue;
      const pane = panes.find(({ incarnation }) => incarnation === held.pane?.incarnation);
      if (!pane || this.#owners.has(pane.id) || !this.#isFree(session, pane)) continue;
      const isAsked = session.newestMessage !== held.newestMessage && pane.isAtRest;
      const isElsewhere = this.#shown.panesOf(session).some(({ id }) => id !== pane.id);
      if (isAsked || isElsewhere || this.#shownOn(pane).length > 0) continue;
      this.#confirm(session, pane, "screen", [reason], held.newestMessage);
    }
  }

  #alone(): void {
    const { panes, sessions } = this.#input;
    for (const pane of this.#freePanes(panes)) {
      const isNeighbour = (other: CandidatePane) =>
        other.runtime === pane.runtime && other.folder === pane.folder;
      if (panes.filter(isNeighbour).length !== 1) continue;
      const born = sessions.filter(
        (session) =>
          session.isInteractive && isInFolder(session, pane) && isBornWith(session, pane),
      );
      const [only] = born;
      if (!only || born.length !== 1 || !this.#isFree(only, pane)) continue;
      this.#confirm(only, pane, "alone", [
        "The only pane and the only session of their kind in this folder began together.",
      ]);
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
      if (only && panes.length === 1) this.#confirm(session, only, "process", [reason]);
      else this.#divide(session, panes, reason);
    }
  }

  #confirm(
    session: CandidateSession,
    pane: CandidatePane,
    source: Source,
    reasons: string[],
    newestMessage: string | null = session.newestMessage,
  ): void {
    this.#owners.set(pane.id, session.id);
    const association = "confirmed";
    const candidates: Candidate[] = [];
    this.#verdicts.set(session.id, {
      ...{ association, pane, source, reasons, candidates, newestMessage },
      left: null,
      isReleased: false,
    });
  }

  // Two live programs with one session: true of both, and no answer to which of them.
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

/** Which sessions' words stand on which screens. */
class Shown {
  readonly #on = new Map<string, CandidateSession[]>();
  readonly #panes = new Map<string, CandidatePane[]>();

  constructor(panes: readonly CandidatePane[], sessions: readonly CandidateSession[]) {
    for (const pane of panes)
      for (const session of sessions) {
        if (session.runtime !== pane.runtime || !session.isInteractive) continue;
        if (!isInFolder(session, pane) || !isTelling(session.messages, pane)) continue;
        this.#on.set(pane.id, [...this.on(pane), session]);
        this.#panes.set(session.id, [...this.panesOf(session), pane]);
      }
  }

  on(pane: CandidatePane): readonly CandidateSession[] {
    return this.#on.get(pane.id) ?? [];
  }

  panesOf(session: CandidateSession): readonly CandidatePane[] {
    return this.#panes.get(session.id) ?? [];
  }
}

function isTelling(messages: readonly ShownMessage[], pane: CandidatePane): boolean {
  const texts = new Set<string>();
  for (const message of messages.toReversed()) {
    if (!standsOn(pane.conversation, message)) continue;
    if (message.chars >= TELLING_CHARS) return true;
    texts.add(message.letters);
    if (texts.size > 1) return true;
  }
  return false;
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
