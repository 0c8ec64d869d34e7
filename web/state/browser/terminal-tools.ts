import { signal } from "@preact/signals";

/** What the reader does with the open terminal, steered from its menu, its header and the keyboard. */
export class TerminalTools {
  readonly isFinding = signal(false);
  readonly isFollowing = signal(true);
  /** The reader has selected text, and nothing moves under it. */
  readonly isPaused = signal(false);
  /** Keys and message where nothing docks under the terminal. */
  readonly hasInput = signal(false);
  readonly isPromptHidden = signal(false);
  /** How many lines from the end the reader was when the terminal was last taken down. */
  linesFromEnd = 0;
  #paneId: string | null = null;

  /** A pane is shown: everything begins anew, unless only the columns have changed around it. */
  open(paneId: string): void {
    if (this.#paneId === paneId) return;
    this.#paneId = paneId;
    this.isFinding.value = false;
    this.isFollowing.value = true;
    this.hasInput.value = false;
    this.isPromptHidden.value = false;
  }

  leave(): void {
    this.#paneId = null;
  }
}
