import {
  type AssociationInput,
  type CandidatePane,
  type CandidateSession,
  isInFolder,
  isNewer,
  NOTHING,
  type Verdict,
} from "./candidates.ts";
import { EARLIEST_SECONDS, Proofs } from "./proofs.ts";

const SAME_FOLDER_CONFIDENCE = 0.6;

/**
 * Which session is in which pane, by the signals of the runtimes, strongest first; what proves
 * nothing only makes candidates.
 */
export function associate(input: AssociationInput): Map<string, Verdict> {
  const proofs = new Proofs(input);
  const verdicts = new Map<string, Verdict>();
  const open = new Map<CandidateSession, CandidatePane[]>();
  for (const session of input.sessions) {
    const verdict = proofs.of(session) ?? releasedOf(session, input.panes);
    if (verdict) verdicts.set(session.id, { ...verdict, left: proofs.leftOf(session) });
    else open.set(session, possibleFor(session, input.panes, proofs));
  }
  const newest = newestByPane(open);
  for (const [session, possible] of open) {
    const [only] = possible;
    const isSurpassed =
      only !== undefined && possible.length === 1 && newest.get(only) !== session.lastAt;
    const verdict = verdictOf(isSurpassed ? [] : possible);
    verdicts.set(session.id, { ...verdict, left: proofs.leftOf(session) });
  }
  return verdicts;
}

/** Where a person let it go: the one candidate, while that program runs there. */
function releasedOf(
  { before: { hand } }: CandidateSession,
  panes: readonly CandidatePane[],
): Verdict | null {
  if (hand?.kind !== "released") return null;
  const pane = panes.find(({ incarnation }) => incarnation === hand.incarnation);
  if (!pane) return null;
  const candidates = [{ pane, confidence: 0, reasons: ["A person let it go."] }];
  return { ...NOTHING, source: "released", candidates };
}

function possibleFor(
  session: CandidateSession,
  panes: readonly CandidatePane[],
  proofs: Proofs,
): CandidatePane[] {
  if (!session.isInteractive) return [];
  const possible = panes.filter(
    (pane) =>
      !proofs.isOwned(pane) && isInFolder(session, pane) && proofs.isPossible(session, pane),
  );
  return possible.every((pane) => isOlderThan(session, pane)) ? [] : possible;
}

/** When the newest session of those that a pane may show was written last. */
function newestByPane(
  open: ReadonlyMap<CandidateSession, readonly CandidatePane[]>,
): ReadonlyMap<CandidatePane, number | null> {
  const newest = new Map<CandidatePane, CandidateSession>();
  for (const [session, possible] of open)
    for (const pane of possible) {
      const known = newest.get(pane);
      if (!known || isNewer(session, known)) newest.set(pane, session);
    }
  return new Map([...newest].map(([pane, { lastAt }]) => [pane, lastAt]));
}

function verdictOf(panes: readonly CandidatePane[]): Verdict {
  if (panes.length === 0) return NOTHING;
  const confidence = SAME_FOLDER_CONFIDENCE / panes.length;
  const reasons = ["The same program in the same folder."];
  const candidates = panes.map((pane) => ({ pane, confidence, reasons }));
  return { ...NOTHING, association: panes.length === 1 ? "probable" : "ambiguous", candidates };
}

function isOlderThan({ lastAt }: CandidateSession, { starts }: CandidatePane): boolean {
  const start = Math.max(...starts);
  return starts.length > 0 && (lastAt === null || lastAt < start - EARLIEST_SECONDS);
}
