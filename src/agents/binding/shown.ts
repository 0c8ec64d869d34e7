import {
  type AssociationInput,
  type CandidatePane,
  type CandidateSession,
  isInFolder,
} from "./candidates.ts";
import { type ShownMessage, standsOn } from "./screen-words.ts";

/** One message of this length, or two different ones, are words of one session alone. */
const TELLING_CHARS = 40;

/** Which sessions' words stand on which screens: looked for where it is asked. */
export class Shown {
  readonly #input: AssociationInput;
  readonly #on = new Map<string, readonly CandidateSession[]>();

  constructor(input: AssociationInput) {
    this.#input = input;
  }

  on(pane: CandidatePane): readonly CandidateSession[] {
    const known = this.#on.get(pane.id);
    if (known) return known;
    const found = this.#input.sessions.filter((session) => this.isOn(session, pane));
    this.#on.set(pane.id, found);
    return found;
  }

  panesOf(session: CandidateSession): readonly CandidatePane[] {
    return this.#input.panes.filter((pane) => this.isOn(session, pane));
  }

  isOn(session: CandidateSession, pane: CandidatePane): boolean {
    if (session.runtime !== pane.runtime || !session.isInteractive) return false;
    return isInFolder(session, pane) && this.#isTelling(session, pane);
  }

  #isTelling(session: CandidateSession, pane: CandidatePane): boolean {
    const texts = new Set<string>();
    for (const message of session.messages.toReversed()) {
      if (!standsOn(pane.conversation, message) || this.#isCommon(message, session)) continue;
      if (message.chars >= TELLING_CHARS) return true;
      texts.add(message.head.slice(message.head.indexOf(" ")));
      if (texts.size > 1) return true;
    }
    return false;
  }

  /** Words of several sessions that stand on several screens tell nothing of either. */
  #isCommon(message: ShownMessage, { id, runtime }: CandidateSession): boolean {
    const { panes, sessions } = this.#input;
    const standing = panes.filter(
      (pane) => pane.runtime === runtime && standsOn(pane.conversation, message),
    );
    if (standing.length < 2) return false;
    const isSame = ({ head, tail }: ShownMessage) => head === message.head && tail === message.tail;
    return sessions.some(
      (other) => other.id !== id && other.runtime === runtime && other.messages.some(isSame),
    );
  }
}

/** The screen shows all since its program's start, and not one message of a session that has some. */
export function isMissingFrom({ messages }: CandidateSession, pane: CandidatePane): boolean {
  const { conversation, isAtRest } = pane;
  if (!conversation.hasStart || !isAtRest || messages.length === 0) return false;
  return !messages.some((message) => standsOn(conversation, message));
}
