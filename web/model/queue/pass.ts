import { SECTIONS, type Entry, type Section } from "./entry.ts";

/** One card of a pass, below the heading that it had when the pass began. */
export interface Stop {
  readonly key: string;
  readonly section: Section;
}

/** Going through the cards one by one; the order is that of the moment in which it began. */
export interface Pass {
  readonly order: readonly Stop[];
  /** The place on the screen; the end comes behind the last. */
  readonly at: number;
}

export type EntryOf = (key: string) => Entry | null;

/** Answered, reviewed or over: it has left the heading below which it stood, and moved to no higher one. */
export function isGone({ key, section }: Stop, entryOf: EntryOf): boolean {
  const entry = entryOf(key);
  return entry === null || SECTIONS.indexOf(entry.section) > SECTIONS.indexOf(section);
}

/** One on or back, past cards that are gone. */
export function move(pass: Pass, step: 1 | -1, entryOf: EntryOf): Pass {
  const { order } = pass;
  const isOver = (at: number) => {
    const stop = order[at];
    return stop !== undefined && isGone(stop, entryOf);
  };
  let at = pass.at + step;
  while (isOver(at)) at += step;
  // Before the first that is left there is nothing: stay.
  return at < 0 || at > order.length ? pass : { ...pass, at };
}

/** Its place among those of its heading, from 1, and how many they are. */
export function placeOf({ order, at }: Pass): { section: Section; n: number; of: number } | null {
  const stop = order[at];
  if (stop === undefined) return null;
  const inSection = order.filter(({ section }) => section === stop.section);
  return { section: stop.section, n: inSection.indexOf(stop) + 1, of: inSection.length };
}

/** What is left at the end. */
export const leftOver = ({ order }: Pass, entryOf: EntryOf): readonly Stop[] =>
  order.filter((stop) => !isGone(stop, entryOf));
