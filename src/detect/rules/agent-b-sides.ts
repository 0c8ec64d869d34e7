import { lineAt, type View } from "../region.ts";
import { columnsOf } from "../text.ts";
import { findAgentBDialog } from "./agent-b-dialog.ts";
import { cutView } from "./agent-b-modal.ts";

const DIVIDER = "│";
const MIN_COLUMNS = 20;

/**
 * Since 0.171 a side conversation may stand beside the main one. The side with a dialog is the one to
 * read, since the dialog takes the keys wherever the focus was; without one it is the main side, the left.
 */
export function readAgentBSide(view: View): View {
  const column = dividerColumn(view);
  if (column === null) return view;
  const sides = [cutView(view, [0, column]), cutView(view, [column + 1, view.width])] as const;
  return sides.find((each) => findAgentBDialog(each, () => true) !== null) ?? sides[0];
}

/** The column that has a bar in every row of the screen. */
function dividerColumn(view: View): number | null {
  const top = view.end - view.height;
  if (top < view.start || !lineAt(view, top).includes(DIVIDER)) return null;
  const [first = new Set<number>(), ...others] = view.screen.lines
    .slice(top, view.end)
    .map(({ text }) => barColumns(text));
  const isApart = (column: number) =>
    column >= MIN_COLUMNS &&
    column < view.width - MIN_COLUMNS &&
    others.every((o) => o.has(column));
  return [...first].find(isApart) ?? null;
}

function barColumns(text: string): Set<number> {
  const at = [...text.matchAll(/│/gu)].map(({ index }) => columnsOf(text.slice(0, index)));
  return new Set(at);
}
