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

  /** A pane has been opened: everything begins anew. */
  reset(): void {
    this.isFinding.value = false;
    this.isFollowing.value = true;
    this.hasInput.value = false;
    this.isPromptHidden.value = false;
  }
}
