import type { Queued } from "../../src/protocol/pane.ts";

/** Why nothing leaves now. */
const HELD: Readonly<Record<NonNullable<Queued["held"]>, string>> = {
  asks: "It asks something first",
  error: "An error stands on its screen",
  parked: "Its limit is not over",
  typed: "Something is typed into its input line",
  unclear: "Its input line cannot be read",
  unknown: "The first may have arrived. Look at its terminal.",
};

export const waiting = {
  label: "Messages that wait",
  working: "Working",
  stop: "Stop",
  stopAgain: "Stop again",
  stopping: "Stopping",
  stopped: "Stopped",
  still: "Still working",
  notStopped: (reason: string) => (reason === "" ? "Not stopped" : `Not stopped: ${reason}`),
  /** By where its agent stands. */
  title: (isParked: boolean) => (isParked ? "Sends after that" : "Sends when it is free"),
  held: (held: string) => (held in HELD ? HELD[held as keyof typeof HELD] : null),
  lostTitle: (count: number) =>
    count === 1 ? "1 message was not sent" : `${count} messages were not sent`,
  lost: (lost: string) =>
    lost === "gone" ? "its pane is gone" : "another program runs in its pane now",
  lostFrom: (name: string, lost: string) => `${name}: ${waiting.lost(lost)}`,
  copy: "Copy",
  discard: "Discard",
  move: (place: number, count: number) => `Move, ${place} of ${count}`,
  more: "Edit, delete, send now",
  fold: "Fold",
  edit: "Edit",
  remove: "Delete",
  sendNow: "Send now",
  save: "Save",
  cancel: "Cancel",
  text: "Message",
  sending: "Sending",
  maybe: "May have arrived",
  old: "Not updated",
  addIt: "Add to what it sends when it is free",
  added: "Sends when it is free",
  overtaken: "It left before it was changed, or was taken away. Your words are here.",
  notDone: (reason: string) => (reason === "" ? "Not changed" : `Not changed: ${reason}`),
  uncertain: "Nobody said whether this arrived. Look at the list before you do it again.",
};
