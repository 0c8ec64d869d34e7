/** One option as it is drawn. */
export interface MenuRow {
  /** The digit or letter on the screen, or the position where it shows none. */
  key: string;
  label: string;
  description: string;
  /** Focused: the row has the cursor. */
  selected: boolean;
  /** Ticked or not; null where the row is no toggle. */
  checked: boolean | null;
  /** Index in `screen.lines` of its first line. */
  line: number;
}

/** A row of the same block that is no option by number: "Submit", "Chat about this". */
export interface ExtraRow {
  label: string;
  selected: boolean;
  line: number;
}

/** Rows that the screen shows as a list to choose from. */
export interface Menu {
  rows: readonly MenuRow[];
  extras: readonly ExtraRow[];
  /** Lines of the whole block, `end` exclusive. */
  start: number;
  end: number;
  isNumbered: boolean;
  /** The rows share their lines with a preview box on the right. */
  hasPreview: boolean;
  /** A full-width rule stands between rows: before it, its line. */
  divider: number | null;
  /** The screen shows it from the first option on; rows below may still be out of sight. */
  isWhole: boolean;
}
