import { aboutOf, appearanceOf, type Pane } from "../../model/pane.ts";

/** The one line that says most about a pane. */
export function briefOf(pane: Pane): string {
  if (appearanceOf(pane) === "offline") return "Configured, not running";
  return aboutOf(pane);
}
