import { appearanceOf, type Pane } from "../../model/pane.ts";
import { common } from "../../words/common.ts";

/** What a newer server says of a pane in a word that is not known here; such a pane takes nothing. */
export function unknownWord(pane: Pane): string | null {
  if (appearanceOf(pane) === "unknown") return common.unknownStatus(pane.raw_status ?? pane.status);
  return pane.kind === "unknown" ? common.unknownKind(pane.raw_kind ?? pane.kind) : null;
}
