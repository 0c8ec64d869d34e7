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
  for (const session of input.sessions) {
    const proof = proofs.of(session);
    if (proof) verdicts.set(session.id, proof);
  }
  const open = input.sessions.filter(({ id }) => !verdicts.has(id));
  for (const [id, verdict] of candidatesFor(open, input.panes, proofs)) verdicts.set(id, verdict);
  return verdicts;
}

/** What no proof has settled: candidates, or nothing at all. */
function candidatesFor(
  sessions: readonly CandidateSession[],
  panes: readonly CandidatePane[],
  proofs: Proofs,
): Map<string, Verdict> {
  const open = new Map<CandidateSession, CandidatePane[]>();
  for (const session of sessions) {
    const possible = panes.filter(
      (pane) =>
        !proofs.isOwned(pane) &&
        session.isInteractive &&
        isInFolder(session, pane) &&
        proofs.isPossible(session, pane),
    );
    const isOld = possible.every((pane) => isOlderThan(session, pane));
    open.set(session, isOld ? [] : possible);
  }
  const verdicts = new Map<string, Verdict>();
  for (const [session, possible] of open) {
    const released = panes.find((pane) => proofs.isReleased(session, pane));
    if (released) {
      const candidates = [{ pane: released, confidence: 0, reasons: ["A person let it go."] }];
      verdicts.set(session.id, { ...NOTHING, candidates, isReleased: true });
      continue;
    }
    const left = proofs.leftOf(session);
    const [only] = possible;
    const isSurpassed =
      only !== undefined &&
      possible.length === 1 &&
      open.entries().some(([other, theirs]) => theirs.includes(only) && isNewer(other, session));
    const candidates = isSurpassed ? [] : possible;
    verdicts.set(session.id, { ...verdictOf(candidates), left });
  }
  return verdicts;
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
