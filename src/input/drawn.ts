import { isTextAlone, lettersOf, STAND_IN } from "../detect/composer.ts";
import type { PaneReading } from "../terminal/reading.ts";

/** Its last letters: a field shows at least the end of what was typed into it. */
const TAIL_LETTERS = 12;

/**
 * What a program has drawn since it was sent a text: the text, in its own words or by a stand-in; some
 * change where it is expected; or nothing, and then it may not have read the text yet.
 */
export type Drawn = "text" | "change" | "nothing";

/** @param before the reading that was accepted for the text */
export function drawnOf(text: string, before: PaneReading, now: PaneReading): Drawn {
  // An input line is read more exactly than the screen around it.
  const { composer } = now;
  if (composer?.holds === "nothing") return "nothing";
  if (composer?.holds === "draft" && isTextAlone(composer.text, text)) return "text";
  const [was, is] = [before, now].map(liveLetters) as [string, string];
  const tail = lettersOf(text).slice(-TAIL_LETTERS);
  if (tail !== "" && countOf(is, tail) > countOf(was, tail)) return "text";
  if (standInsOf(now) > standInsOf(before)) return "text";
  // Where it replaces an equal text, nothing changes.
  const focused = now.prompt?.options.find(({ selected }) => selected);
  if (focused && isTextAlone(focused.label, text)) return "text";
  return was === is ? "nothing" : "change";
}

const liveRows = ({ screen, finding }: PaneReading): string =>
  screen.lines
    .slice(finding.region.start)
    .map((line) => line.text)
    .join("\n");

// Without blanks and lines: a field wraps at its edges.
const liveLetters = (reading: PaneReading): string => lettersOf(liveRows(reading));

const standInsOf = (reading: PaneReading): number => liveRows(reading).match(STAND_IN)?.length ?? 0;

const countOf = (letters: string, wanted: string): number => letters.split(wanted).length - 1;
