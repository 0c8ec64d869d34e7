import type { BindingCandidate } from "../../protocol/agents.ts";
import type { Candidate, CandidatePane, HandBinding, Verdict } from "./candidates.ts";
import { uuidOf } from "../ids.ts";
import type { Binding } from "../known.ts";

const BY_HAND = "hand";
const RELEASED = "released";

/** What a person decided, as far as it is stored with a binding. */
export function handOf({ source, incarnation }: Binding): HandBinding | null {
  if (incarnation === null) return null;
  if (source === BY_HAND) return { incarnation, kind: "bound" };
  return source === RELEASED ? { incarnation, kind: "released" } : null;
}

/** What a pane is called where a person chooses among candidates. */
export type LabelOf = (pane: CandidatePane) => string;

/**
 * The binding that a verdict makes of the one before: the same object when nothing is different.
 * The revision counts changes of association, pane, process and source, and nothing else.
 */
export function nextBinding(
  sessionId: string,
  before: Binding,
  verdict: Verdict,
  labelOf: LabelOf,
): Binding {
  const candidates = verdict.candidates.map((each) => publicCandidate(sessionId, each, labelOf));
  const isReleased = verdict.isReleased && before.source === RELEASED;
  const next: Binding = {
    association: verdict.association,
    paneId: verdict.pane?.id ?? null,
    target: verdict.pane?.target ?? null,
    incarnation: isReleased ? before.incarnation : (verdict.pane?.incarnation ?? null),
    source: isReleased ? RELEASED : verdict.source,
    candidates,
    revision: before.revision,
  };
  if (isChange(before, next)) return { ...next, revision: before.revision + 1 };
  return Bun.deepEquals(before, next) ? before : next;
}

/** A person binds a session to a pane; the same word again changes nothing. */
export function boundBinding(before: Binding, pane: CandidatePane): Binding {
  const next: Binding = {
    association: "confirmed",
    paneId: pane.id,
    target: pane.target,
    incarnation: pane.incarnation,
    source: BY_HAND,
    candidates: [],
    revision: before.revision,
  };
  return isChange(before, next) ? { ...next, revision: before.revision + 1 } : next;
}

/** A person lets a binding go: it is not made again while the same program runs there. */
export function releasedBinding(before: Binding): Binding {
  return {
    ...before,
    association: "unavailable",
    paneId: null,
    target: null,
    source: RELEASED,
    candidates: [],
    revision: before.revision + 1,
  };
}

function isChange(before: Binding, next: Binding): boolean {
  return (
    before.association !== next.association ||
    before.incarnation !== next.incarnation ||
    before.source !== next.source
  );
}

function publicCandidate(
  sessionId: string,
  { pane, confidence, reasons }: Candidate,
  labelOf: LabelOf,
): BindingCandidate {
  return {
    id: uuidOf("candidate", sessionId, pane.id),
    pane_id: pane.id,
    target: pane.target,
    pane_target: pane.target,
    label: labelOf(pane),
    confidence,
    reasons: [...reasons],
  };
}
