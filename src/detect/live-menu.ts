import { CURSORS, type Menu } from "./menu.ts";
import { type Box, insideOf, lineAt, perView, readLastBox, type View } from "./region.ts";
import { readNumberedMenu } from "./numbered-menu.ts";
import { isCommandLine } from "./shell-prompt.ts";

const MAX_BELOW = 4;

export interface LiveMenu {
  menu: Menu;
  /** The view of its lines: the inside of its frame where it has one. */
  view: View;
  /** The first line that may belong to it; null where nothing begins it. */
  top: number | null;
}

export const readLiveMenu = perView((view): LiveMenu | null => {
  const box = readLastBox(view);
  return (box && readBoxedMenu(view, box)) ?? readOpenMenu(view, CURSORS.unknown);
});

/** In the box that ends the screen. */
export function readBoxedMenu(view: View, box: Box): LiveMenu | null {
  const inside = insideOf(view, box);
  const lines = { from: box.top + 1, to: box.bottom, cursors: CURSORS.unknown, runsUnder: true };
  const menu = readNumberedMenu(inside, lines);
  return menu && hasFocus(menu) ? { menu, view: inside, top: box.top + 1 } : null;
}

/** On the screen itself. */
export function readOpenMenu(view: View, cursors: string): LiveMenu | null {
  const menu = readNumberedMenu(view, { ...liveEnd(view), cursors });
  return menu && hasFocus(menu) && isLast(view, menu.end) ? { menu, view, top: null } : null;
}

function hasFocus({ rows }: Menu): boolean {
  return rows.some((row) => row.selected);
}

/** Lines in which a dialog may stand, `to` exclusive. */
export function liveEnd(view: View): { from: number; to: number } {
  return { from: Math.max(view.start, view.end - Math.max(view.height, 10)), to: view.end };
}

/** Below a live menu stands at most a short footer. */
export function isLast(view: View, end: number): boolean {
  let count = 0;
  for (let i = end; i < view.end; i++) {
    if (lineAt(view, i) === "") continue;
    if (isCommandLine(lineAt(view, i))) return false;
    count++;
  }
  return count <= MAX_BELOW;
}
