import { aboutOf, appearanceOf, type Pane } from "../../model/pane.ts";
import { all as words } from "../../words/lists.ts";

/** The one line that says most about a pane. */
export function briefOf(pane: Pane): string {
  if (appearanceOf(pane) === "offline") return words.configured;
  return aboutOf(pane);
}
