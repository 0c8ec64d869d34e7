import { appearanceOf, type Pane } from "../../model/pane.ts";

/** What a newer server says of a pane in a word that is not known here; such a pane takes nothing. */
export function unknownWord(pane: Pane): string | null {
  if (appearanceOf(pane) === "unknown")
    return `Status “${pane.raw_status ?? pane.status}” is unknown to this version. Read only.`;
  return pane.kind === "unknown"
    ? `Kind “${pane.raw_kind ?? pane.kind}” is unknown to this version. Read only.`
    : null;
}
