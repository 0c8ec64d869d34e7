import { signatureOf } from "../guard.ts";
import { canSelect, canWrite, isGuarded, waits, type MenuOption, type Pane } from "../pane.ts";
import type { Entry } from "./entry.ts";

/** What one card asks on its screen. */
export interface Question {
  /** The same while the card stays, also when the agent in its pane becomes known. */
  readonly id: string;
  /** Where one answer is stopped, later ones of its group are. */
  readonly group: string;
  readonly entry: Entry;
  readonly prompt: Pane;
}

/** One option to choose. */
export interface Choosable {
  readonly key: string;
  readonly label: string;
  readonly description: string;
  /** Asks for words of the person's own. */
  readonly freeform: boolean;
  readonly isSuggested: boolean;
  /** What the server says of it alone. */
  readonly own: Pick<MenuOption, "risk" | "declines">;
}

/** A chosen answer, and the question as it was on the screen when it was chosen. */
export interface Choice {
  readonly seen: Question;
  readonly option: Choosable;
  /** The person's own words. */
  readonly text: string | null;
}

export type Choices = Readonly<Record<string, Choice>>;

export function questionOf(entry: Entry, pane: Pane | null): Question | null {
  if (pane === null || !waits(pane)) return null;
  return { id: pane.id, group: entry.agentId ?? pane.id, entry, prompt: pane };
}

export const choosables = ({ prompt }: Question): readonly Choosable[] =>
  prompt.menu.map((own) => ({
    ...{ key: own.key, label: own.label, description: own.description, own },
    // A guarded pane asks for words on its next screen.
    freeform: own.freeform && !isGuarded(prompt),
    isSuggested: own.suggested === true,
  }));

/** Whether one of the options of a prompt is its whole answer. */
export const isChoosable = (pane: Pane): boolean =>
  pane.menu.length > 0 &&
  pane.menu.every((option) => option.checked === null && canSelect(pane, option));

export const menuOptionOf = (pane: Pane, key: string): MenuOption | null =>
  pane.menu.find((option) => option.key === key) ?? null;

/**
 * Whether a prompt is the very one that was seen: what a person reads, what the server compares, and
 * since when it is asked. The same words asked anew are another question.
 */
export const isSamePrompt = (seen: Pane, now: Pane): boolean =>
  signatureOf(seen) === signatureOf(now) &&
  seen.prompt_since === now.prompt_since &&
  comparedOf(seen) === comparedOf(now);

/** What the server compares; the cursor of a terminal moves freely. */
const comparedOf = ({ action_guard, legacy_guard }: Pane): string =>
  JSON.stringify([
    action_guard,
    legacy_guard?.prompt_fingerprint,
    legacy_guard?.options_fingerprint,
  ]);

/** Why a choice no longer stands. */
export type Lost = "changed" | "gone";

/** What is asked now on the card of a choice. */
export const successorOf = ({ seen }: Choice, now: readonly Question[]): Question | null =>
  now.find(({ id }) => id === seen.id) ?? null;

/** Null while what is asked is what was seen. */
export function lossOf({ seen, text }: Choice, now: Question | null): Lost | null {
  if (now === null) return "gone";
  const isTaken = text === null || canWrite(now.prompt);
  return isTaken && isSamePrompt(seen.prompt, now.prompt) ? null : "changed";
}

/** What became of one collected answer. */
export type Outcome = "sent" | "changed" | "gone" | "uncertain" | "refused" | "skipped";

/** After these nothing more goes to the same agent: what comes next was meant for after it. */
const STOPS_ITS_GROUP: ReadonlySet<Outcome | null> = new Set([
  "changed",
  "gone",
  "uncertain",
  "refused",
  "skipped",
]);

export interface Step extends Choice {
  /** Null: not yet, or left out because a person stopped. */
  readonly outcome: Outcome | null;
  /** Epoch seconds of its outcome. */
  readonly at: number;
}

export const isStopped = (steps: readonly Step[], { seen }: Step): boolean =>
  steps.some((one) => one.seen.group === seen.group && STOPS_ITS_GROUP.has(one.outcome));

/** The next one to send, in the order of the list; null when the run is over. */
export const nextToSend = (steps: readonly Step[]): Step | null =>
  steps.find((step) => step.outcome === null && !isStopped(steps, step)) ?? null;

export interface Counts {
  readonly sent: number;
  /** What nobody began counts as not sent, once it is over. */
  readonly unsent: number;
  readonly unclear: number;
  readonly left: number;
}

export function countsOf(steps: readonly Step[], isOver: boolean): Counts {
  const of = (outcome: Outcome | null) => steps.filter((step) => step.outcome === outcome).length;
  const [sent, unclear, open] = [of("sent"), of("uncertain"), of(null)];
  const left = isOver ? 0 : open;
  return { sent, unclear, left, unsent: steps.length - sent - unclear - left };
}
