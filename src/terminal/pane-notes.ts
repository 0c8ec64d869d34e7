import type { PaneState } from "../protocol/pane.ts";
import type { ListedPane } from "./provider.ts";

/** What other parts of the service publish with a pane: what is sent to it, and its agent session. */
export type PaneNotes = Pick<PaneState, "continue_then" | "queued" | "act" | "agent_id">;

export const NO_NOTES: PaneNotes = { continue_then: null, queued: null, act: null, agent_id: null };

type NoteSource = (pane: ListedPane) => Partial<PaneNotes>;

/** Made before the parts, each of which adds what it knows. */
export class NoteSources {
  readonly #sources: NoteSource[] = [];

  add(source: NoteSource): void {
    this.#sources.push(source);
  }

  of(pane: ListedPane): PaneNotes {
    const notes = { ...NO_NOTES };
    for (const source of this.#sources) Object.assign(notes, source(pane));
    return notes;
  }
}
