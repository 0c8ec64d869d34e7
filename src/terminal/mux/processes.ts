import type { TerminalUse } from "../../detect/finding.ts";
import type { PaneProcess } from "../provider.ts";

/** The process that a pane was made for, and what the multiplexer says is in front of it. */
export interface PaneRoot {
  pid: number;
  command: string;
}

/** What a machine tells of the programs in its panes. */
export interface Processes {
  /** The foreground of a pane, its leader first; empty when unknown. */
  processes(pane: PaneRoot, age: "recent" | "now"): Promise<readonly PaneProcess[]>;
  /** What they do with the terminal; null where nobody can tell. */
  terminalUse(pane: PaneRoot): Promise<TerminalUse | null>;
  /** Forgets panes that are no longer listed. */
  keep(roots: readonly Pick<PaneRoot, "pid">[]): void;
}
