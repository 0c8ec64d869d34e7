export interface Size {
  columns: number;
  rows: number;
}

/** The end of the transcript, with what stands below it, cut to the size of the screen. */
export function fitted(transcript: readonly string[], below: readonly string[], size: Size) {
  const [said, under] = [rowsOf(transcript), rowsOf(below)];
  const room = Math.max(0, size.rows - under.length);
  // `slice(-0)` would be all of it.
  const above = said.slice(Math.max(0, said.length - room));
  return [...above, ...under].map((row) => [...row].slice(0, size.columns).join(""));
}

/** A text of several lines goes on below its mark, as the real ones draw it. */
const rowsOf = (texts: readonly string[]) =>
  texts.flatMap((text) => text.replaceAll("\n", "\n  ").split("\n"));
