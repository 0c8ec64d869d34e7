export interface ListedSession {
  id: string;
  name: string;
  windows: ReadonlySet<string>;
}

/** Where a new pane goes, by ids of the multiplexer's own: no name of a person is ever a target. */
export type Place =
  | { type: "session"; name: string }
  | { type: "window"; sessionId: string; name: string }
  | { type: "pane"; paneId: string; split: "side_by_side" | "stacked"; sizePercent: number };

/** What exists now, with the names that are taken. */
export interface Existing {
  sessions: ListedSession[];
  panes: Set<string>;
}

export interface NewPane {
  id: string;
  pid: string;
  target: string;
}

/** A look at a pane: the current directory of its process is "" when the host does not tell. */
export interface PaneLook {
  pid: string;
  isDead: boolean;
  directory: string;
}

/**
 * What a multiplexer that can create panes offers for it. Nothing that it prints reaches a reply:
 * it is the cause of the AppErrors that these throw.
 */
export interface CreationPort {
  list(): Promise<Existing>;
  /**
   * Detached: no attached client changes window or focus. An empty `argv` is the default shell.
   * @throws AppError conflict, not_found, unavailable
   */
  create(place: Place, directory: string, argv: readonly string[]): Promise<NewPane>;
  /** Null when the pane, or the whole server, is gone. */
  look(id: string): Promise<PaneLook | null>;
  /**
   * So that a shell stays visible, also after this service has been started again.
   * @returns False when the pane is gone.
   */
  markCreated(pane: NewPane): Promise<boolean>;
  /**
   * Closes a pane if it still has this process, and was created through this service or is `any`.
   * @returns False when it was left alone.
   */
  close(pane: Pick<NewPane, "id" | "pid">, isAny: boolean): Promise<boolean>;
  /** Removes a pane if it still is the one that was created. */
  remove(pane: NewPane): Promise<void>;
}
