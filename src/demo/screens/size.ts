export interface Size {
  columns: number;
  rows: number;
}

/** The end of the transcript, with what stands below it, cut to the size of the screen. */
export function fitted(transcript: readonly string[], below: readonly string[], size: Size) {
  const room = Math.max(0, size.rows - below.length);
  // `slice(-0)` would be all of it.
  const above = transcript.slice(Math.max(0, transcript.length - room));
  return [...above, ...below].map((row) => [...row].slice(0, size.columns).join(""));
}
