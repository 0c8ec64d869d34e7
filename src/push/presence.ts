import type { PresenceFrame } from "../protocol/frames.ts";

export class Presence {
  readonly #notes = new Map<string, PresenceFrame>();
  readonly #left: (device: string) => void;

  /** `left` is told of each device whose last page has gone out of sight. */
  constructor(left: (device: string) => void) {
    this.#left = left;
  }

  /** Null: the socket has ended, by a word of the page or by its silence. */
  note(socket: string, note: PresenceFrame | null): void {
    const before = this.#notes.get(socket);
    if (note) this.#notes.set(socket, note);
    else this.#notes.delete(socket);
    if (before?.visible && !this.#visible(before.device).length) this.#left(before.device);
  }

  /** Whether a page of this device is in sight and shows that pane, or the queue. */
  isPresent(device: string, paneId: string): boolean {
    return this.#visible(device).some(({ pane }) => pane === undefined || pane === paneId);
  }

  #visible(device: string): PresenceFrame[] {
    return [...this.#notes.values()].filter((note) => note.device === device && note.visible);
  }
}
