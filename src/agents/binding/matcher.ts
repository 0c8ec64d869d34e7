import { type BindingSource, type HandBinding, type PaneMatch, NO_MATCH } from "../session.ts";
import {
  type CandidatePane,
  type CandidateSession,
  confirmedMatch,
  isDrawnElsewhere,
  isInFolder,
  isNewer,
  possibleMatch,
  releasedMatch,
} from "./binding.ts";
import { type MessageEdges, isOnScreen } from "./conversation.ts";

/** A session's first record lies this close to the start of its process. */
const EARLIEST_SECONDS = 5;
const LATEST_SECONDS = 180;
/** One message of this length, or two different ones, identify a session. */
const UNIQUE_CHARS = 40;
/** Incarnations that a session has left, the newest ones. */
const MAX_LEFT = 8;
const SAME_FOLDER_CONFIDENCE = 0.6;

interface MatchInput {
  panes: readonly CandidatePane[];
  sessions: readonly CandidateSession[];
}

/**
 * Decides which session is in which pane: by the strongest proof first, a weaker one only where no
 * stronger one holds. A session that nothing proves gets candidates.
 */
export function matchSessions(input: MatchInput): Map<string, PaneMatch> {
  return new Matcher(input).match();
}

class Matcher {
  readonly #panes: readonly CandidatePane[];
  readonly #sessions: readonly CandidateSession[];
  readonly #matches = new Map<string, PaneMatch>();
  /** Panes whose session is known, by pane id. */
  readonly #owners = new Map<string, string>();
  /** Cache of the sessions whose messages stand on a screen, by pane id. */
  readonly #shownSessions = new Map<string, readonly CandidateSession[]>();

  constructor({ panes, sessions }: MatchInput) {
    this.#panes = panes;
    this.#sessions = sessions;
  }

  match(): Map<string, PaneMatch> {
    this.#confirm("hand", "A person bound it to this pane.", (pane) =>
      this.#sessions.find(({ before: { hand } }) => isByHand(hand, "bound", pane)),
    );
    const named = "Its process names this session in its status file.";
    this.#confirm("process", named, (pane) =>
      this.#sessions.find(
        (session) =>
          session.runtime === pane.runtime &&
          session.nativeId === pane.claims.status?.sessionId &&
          !this.#matches.has(session.id) &&
          !isByHand(session.before.hand, "released", pane),
      ),
    );
    // A process may name a session that is not known yet: its pane is no other session's.
    for (const { id, claims } of this.#freePanes())
      if (claims.status) this.#owners.set(id, "its process names another");
    const held = "Its process holds this session's log open.";
    this.#confirm("process", held, (pane) => this.#byHeldFile(pane));
    const started = "Its process was started with this session's id.";
    this.#confirm("process", started, (pane) => this.#byStart(pane));
    const shown = "The session's own words stand on this screen and on no other.";
    this.#confirm("screen", shown, (pane) => this.#byScreen(pane));
    this.#confirm("screen", shown, (pane) => this.#byEarlierScreen(pane));
    const alone = "The only pane and the only session of their kind in this folder began together.";
    this.#confirm("alone", alone, (pane) => this.#alone(pane));
    for (const session of this.#sessions) this.#release(session);
    this.#addCandidates();
    return new Map(
      this.#sessions.map((session) => {
        const match = this.#matches.get(session.id) ?? NO_MATCH;
        return [session.id, { ...match, left: this.#left(session) }];
      }),
    );
  }

  #byHeldFile(pane: CandidatePane): CandidateSession | undefined {
    const held = this.#sessions.filter(
      (session) => pane.claims.held.includes(session.nativeId) && this.#isFree(session, pane),
    );
    // A process that moved on to another session keeps the log of the earlier one open.
    const shown = held.filter((session) => this.#shownOn(pane).includes(session));
    return (shown.length > 0 ? shown : held).toSorted(byBirth).at(-1);
  }

  #byStart(pane: CandidatePane): CandidateSession | undefined {
    const session = this.#sessions.find(
      (each) => each.nativeId === pane.claims.startedWith && this.#isFree(each, pane),
    );
    if (session && this.#shownOn(pane).some((other) => isNewer(other, session))) return undefined;
    return session;
  }

  #byScreen(pane: CandidatePane): CandidateSession | undefined {
    const newest = newestOf(this.#shownOn(pane));
    if (!newest || !this.#isFree(newest, pane)) return undefined;
    return this.#isShownBeside(newest, pane) ? undefined : newest;
  }

  // Messages scroll away and dialogs cover them: a proof holds until something speaks against it.
  #byEarlierScreen(pane: CandidatePane): CandidateSession | undefined {
    return this.#sessions.find((session) => {
      const { source, incarnation, newestMessage } = session.before;
      if (source !== "screen" || incarnation !== pane.incarnation) return false;
      const isMissing = session.newestMessage !== newestMessage && pane.isAtRest;
      const isRefuted = this.#shownOn(pane).length > 0 || this.#isShownBeside(session, pane);
      return this.#isFree(session, pane) && !isMissing && !isRefuted;
    });
  }

  #alone(pane: CandidatePane): CandidateSession | undefined {
    const neighbours = this.#panes.filter(
      ({ runtime, folder }) => runtime === pane.runtime && folder === pane.folder,
    );
    const here = this.#sessions.filter(
      (session) =>
        session.runtime === pane.runtime && session.isInteractive && isInFolder(session, pane),
    );
    const [only, ...more] = here.filter((session) => isBornWith(session, pane));
    if (neighbours.length > 1 || !only || more.length > 0) return undefined;
    // The program may have gone on to a newer session that is in no other pane.
    const isSurpassed = here.some((other) => isNewer(other, only) && !this.#matches.has(other.id));
    const isProved = this.#isFree(only, pane) && !isSurpassed && !isMissingFrom(only, pane);
    return isProved ? only : undefined;
  }

  #confirm(
    source: BindingSource,
    reason: string,
    find: (pane: CandidatePane) => CandidateSession | undefined,
  ): void {
    for (const [session, panes] of Map.groupBy(this.#freePanes(), find)) {
      const [only, ...more] = panes;
      if (!session || !only) continue;
      for (const { id } of panes) this.#owners.set(id, session.id);
      // Two live programs have one session: a message to it could reach either.
      const match =
        more.length === 0 ? confirmedMatch(only, source, reason) : possibleMatch(panes, 1, reason);
      const newest = this.#isOn(session, only)
        ? session.newestMessage
        : session.before.newestMessage;
      const newestMessage = source === "screen" ? newest : null;
      this.#matches.set(session.id, { ...match, newestMessage });
    }
  }

  #release({ id, before: { hand } }: CandidateSession): void {
    const pane = this.#panes.find((each) => isByHand(hand, "released", each));
    if (pane && !this.#matches.has(id)) this.#matches.set(id, releasedMatch(pane));
  }

  #addCandidates(): void {
    const open = this.#sessions.filter(({ id }) => !this.#matches.has(id));
    const possible = open.map((session) => [session, this.#possiblePanes(session)] as const);
    const newest = new Map(
      this.#freePanes().map((pane) => {
        const here = possible.filter(([, panes]) => panes.includes(pane));
        return [pane, newestOf(here.map(([session]) => session))?.lastAt];
      }),
    );
    const reason = "The same program in the same folder.";
    for (const [{ id, lastAt }, panes] of possible) {
      const [only] = panes;
      // The only pane shows the newest of the sessions that it may show.
      const isSurpassed = only && panes.length === 1 && newest.get(only) !== lastAt;
      this.#matches.set(
        id,
        possibleMatch(isSurpassed ? [] : panes, SAME_FOLDER_CONFIDENCE, reason),
      );
    }
  }

  /** None where all panes began after the session's last record. */
  #possiblePanes(session: CandidateSession): CandidatePane[] {
    if (!session.isInteractive) return [];
    const possible = this.#freePanes().filter(
      (pane) => isInFolder(session, pane) && this.#isPossible(session, pane),
    );
    return possible.every((pane) => isOlderThan(session, pane)) ? [] : possible;
  }

  /**
   * The incarnations whose program went on from this session to another one. Only those that showed
   * it, or that it was born with: others prove nothing later.
   */
  #left(session: CandidateSession): readonly string[] {
    const { before } = session;
    const here = this.#matches.get(session.id);
    const left = new Set(before.left);
    for (const pane of this.#panes) {
      const { incarnation } = pane;
      const owner = this.#owners.get(pane.id) ?? session.id;
      const isReleased = isByHand(before.hand, "released", pane);
      const wasHere = !isReleased && before.incarnation === incarnation;
      const isGone = (wasHere && owner !== session.id) || this.#hasLeft(session, pane);
      if (here?.paneId === pane.id || !isGone) left.delete(incarnation);
      else if (wasHere || isBornWith(session, pane)) left.add(incarnation);
    }
    return [...left].slice(-MAX_LEFT);
  }

  // The program shows or showed an empty start or another folder, and no message since.
  #hasLeft(session: CandidateSession, pane: CandidatePane): boolean {
    if (session.runtime !== pane.runtime) return false;
    const isLeft = session.before.left.includes(pane.incarnation) || isElsewhere(session, pane);
    return isLeft && !this.#isOn(session, pane);
  }

  #isPossible(session: CandidateSession, pane: CandidatePane): boolean {
    if (isByHand(session.before.hand, "released", pane)) return false;
    if (session.runtime !== pane.runtime) return false;
    return pane.claims.forkedFrom !== session.nativeId && !this.#hasLeft(session, pane);
  }

  #isFree(session: CandidateSession, pane: CandidatePane): boolean {
    return !this.#matches.has(session.id) && this.#isPossible(session, pane);
  }

  #freePanes(): CandidatePane[] {
    return this.#panes.filter(({ id }) => !this.#owners.has(id));
  }

  /** Without those that a stronger proof has put elsewhere. */
  #shownOn(pane: CandidatePane): CandidateSession[] {
    const known = this.#shownSessions.get(pane.id);
    const shown = known ?? this.#sessions.filter((session) => this.#isOn(session, pane));
    this.#shownSessions.set(pane.id, shown);
    return shown.filter(({ id }) => !this.#matches.has(id));
  }

  #isShownBeside(session: CandidateSession, pane: CandidatePane): boolean {
    return this.#panes.some((other) => other.id !== pane.id && this.#isOn(session, other));
  }

  #isOn(session: CandidateSession, pane: CandidatePane): boolean {
    if (session.runtime !== pane.runtime || !session.isInteractive) return false;
    if (!isInFolder(session, pane)) return false;
    const texts = new Set<string>();
    for (const message of session.messages.toReversed()) {
      if (!isOnScreen(pane.conversation, message) || this.#isCommon(message, session)) continue;
      if (message.chars >= UNIQUE_CHARS) return true;
      texts.add(message.head.slice(message.head.indexOf(" ")));
      if (texts.size > 1) return true;
    }
    return false;
  }

  /** A message of several sessions that stands on several screens proves nothing for either. */
  #isCommon(message: MessageEdges, { id, runtime }: CandidateSession): boolean {
    const panes = this.#panes.filter(
      (pane) => pane.runtime === runtime && isOnScreen(pane.conversation, message),
    );
    if (panes.length < 2) return false;
    const isSame = ({ head, tail }: MessageEdges) => head === message.head && tail === message.tail;
    return this.#sessions.some(
      (other) => other.id !== id && other.runtime === runtime && other.messages.some(isSame),
    );
  }
}

function isElsewhere(session: CandidateSession, pane: CandidatePane): boolean {
  if (session.newestMessage === null || session.folder !== pane.folder) return false;
  return pane.conversation.isFresh || isDrawnElsewhere(session, pane);
}

/** The screen shows all since its program's start, and no message of the session. */
function isMissingFrom({ messages }: CandidateSession, pane: CandidatePane): boolean {
  const { conversation, isAtRest } = pane;
  if (!conversation.hasStart || !isAtRest || messages.length === 0) return false;
  return !messages.some((message) => isOnScreen(conversation, message));
}

function isByHand(
  hand: HandBinding | null,
  kind: HandBinding["kind"],
  { incarnation }: CandidatePane,
): boolean {
  return hand?.kind === kind && hand.incarnation === incarnation;
}

function isBornWith({ beganAt }: CandidateSession, { startedAt }: CandidatePane): boolean {
  if (beganAt === null || startedAt === null) return false;
  return beganAt >= startedAt - EARLIEST_SECONDS && beganAt <= startedAt + LATEST_SECONDS;
}

function isOlderThan({ lastAt }: CandidateSession, { startedAt }: CandidatePane): boolean {
  return startedAt !== null && (lastAt === null || lastAt < startedAt - EARLIEST_SECONDS);
}

function newestOf(sessions: readonly CandidateSession[]): CandidateSession | undefined {
  return sessions.reduce<CandidateSession | undefined>(
    (newest, each) => (newest && !isNewer(each, newest) ? newest : each),
    undefined,
  );
}

function byBirth(a: CandidateSession, b: CandidateSession): number {
  return (a.beganAt ?? 0) - (b.beganAt ?? 0);
}
