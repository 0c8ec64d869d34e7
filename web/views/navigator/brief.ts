import { appearanceOf, lastLine, waits, type Pane } from "../../model/pane.ts";
import { all as words } from "../../words/lists.ts";

/** The one line that says most about a pane. */
export function briefOf(pane: Pane): string {
  if (appearanceOf(pane) === "offline") return words.configured;
  return waits(pane) && pane.question !== null ? pane.question : lastLine(pane);
}
