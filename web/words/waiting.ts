/** Of a list of messages that wait; the composer and the list say it. */
export const notDone = (reason: string): string =>
  reason === "" ? "Not changed" : `Not changed: ${reason}`;
export const UNCERTAIN =
  "Nobody said whether this arrived. Look at the list before you do it again.";
