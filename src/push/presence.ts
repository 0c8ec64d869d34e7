import type { PresenceFrame } from "../protocol/frames.ts";

/** Which devices look at panewatch right now, by their sockets. */
export class Presence {
  readonly #notes = new Map<string, PresenceFrame>();

  /** Null: the socket has closed. */
  note(socket: string, note: PresenceFrame | null): void {
    if (note) this.#notes.set(socket, note);
    else this.#notes.delete(socket);
  }

  /** Whether a page of this device is in sight and shows that pane, or the queue. */
  isPresent(device: string, paneId: string): boolean {
    return [...this.#notes.values()].some(
      (note) =>
        note.device === device && note.visible && (note.pane === undefined || note.pane === paneId),
    );
  }
}
