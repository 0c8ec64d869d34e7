import { findLineUp, lineAt, type View } from "../region.ts";
import { cursorCount, dialogFooter, panelTop, unreadTop } from "./agent-a-screen.ts";

const TABLE_ROW = /^\s*❯? *\d{1,2}\. \S/u;
/** `Modified    Created     # Messages Git Branch`: words with capitals, some set apart. */
const TABLE_HEADING = /^(?=(?:.*\S {3,}(?=\S)){2}) {2,}(?:(?:#|[A-Z][a-z]+)(?: +|$)){3,}$/;

/** The line above the rows of a table at the end, one of which has the cursor. */
export function tableHeading(view: View): number | null {
  let i = view.end - 1;
  let hasFocus = false;
  for (; i > view.start && TABLE_ROW.test(lineAt(view, i)); i--)
    hasFocus ||= lineAt(view, i).includes("❯");
  return hasFocus && TABLE_HEADING.test(lineAt(view, i)) ? i : null;
}

const SEARCH = /^\s*(?:│\s*)?⌕ \S/u;

/**
 * First line of a panel that a person opened and in which a row has the cursor: below a thick rule,
 * or around a search field. It asks nothing.
 */
export function openedTop(view: View): number | null {
  const end = dialogFooter(view) ?? view.end;
  const search = findLineUp(view, end, view.end - view.height, (text) => SEARCH.test(text));
  const top = panelTop(view) ?? (search === null ? undefined : unreadTop(view, search));
  if (top === undefined || cursorCount(view, top) === 0) return null;
  const isAsking = (text: string) => /[?？]$/u.test(text);
  return findLineUp(view, view.end, top, isAsking) === null ? top : null;
}
