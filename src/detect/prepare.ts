import { lazy } from "../lib/lazy.ts";
import { foldBlankRows, foldPlace, type Folded } from "./blank-rows.ts";
import { freeRows, placeOf, type Place } from "./cursor-place.ts";
import type { DetectInput } from "./finding.ts";
import { statusRow } from "./programs.ts";
import { readView, type View } from "./region.ts";

/** An input made ready for rules. */
export interface Prepared {
  folded: Folded;
  view: View;
  place: () => Place;
}

const PREPARED = new WeakMap<DetectInput, Prepared>();

/** The same object for the same input: what rules have read of its view is kept with it. */
export function prepare(o: DetectInput): Prepared {
  const known = PREPARED.get(o);
  if (known) return known;
  const folded = foldBlankRows(o);
  const place = lazy(() => foldPlace(placeOf(o), folded));
  const top = hasCleared(o) ? place().top : 0;
  const bottom = statusRow(folded.input) ?? undefined;
  const prepared = { folded, place, view: readView(folded.input.screen, o, { top, bottom }) };
  PREPARED.set(o, prepared);
  return prepared;
}

/**
 * Lines above the screen, with rows free below the text: nothing was scrolled away to make room, so
 * they were cleared, and each redraw may move one more copy of a dialog there.
 */
function hasCleared(o: DetectInput): boolean {
  const { lines } = o.screen;
  const free = freeRows(o);
  if (free === 0) return false;
  return lines.length + free > o.height || lines.some(({ text }) => text.length > o.width);
}
