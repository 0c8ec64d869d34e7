/** One run of equal attributes in a line; offsets are UTF-16 code units of `text`. */
export interface Run {
  start: number;
  length: number;
  style: Style;
}

/** Attributes of a run; an absent member is the terminal's default. */
export interface Style {
  bold?: true;
  dim?: true;
  italic?: true;
  underline?: true;
  inverse?: true;
  strike?: true;
  /** Palette index 0-255, or `#rrggbb`. */
  fg?: number | string;
  bg?: number | string;
}

export interface ScreenLine {
  /** Plain text, right-trimmed. */
  text: string;
  /** Runs with a style other than the default, in order; the part behind `text` is cut off. */
  runs: readonly Run[];
  /** What stood behind `text` and is not kept; absent: nothing. */
  rest?: { characters: number; digest: string };
}

/** A capture parsed once. */
export interface Screen {
  /** History and screen; what the terminal wrapped is joined, and blank lines at the end are cut. */
  lines: ScreenLine[];
  /** Blank rows that were cut at the end; absent where nobody counted them. */
  blankRows?: number;
}
