import { isPlaceholder, waits, type Pane } from "./pane.ts";

export interface Group {
  /** Identity of the session node; stable while it lives. */
  readonly key: string;
  /** Empty for panes without a session: configured targets that are absent. */
  readonly label: string;
  readonly panes: readonly Pane[];
  readonly waiting: number;
}

/** Panes by session, in the order of their first pane. */
export function groupPanes(panes: readonly Pane[]): readonly Group[] {
  const groups = new Map<string, { label: string; panes: Pane[] }>();
  for (const pane of panes) {
    const session = pane.hierarchy.find((node) => node.kind === "session");
    const key = session?.id ?? (isPlaceholder(pane.id) ? "cfg:" : "");
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { label: session?.label ?? "", panes: [pane] });
    else group.panes.push(pane);
  }
  return [...groups].map(([key, group]) => ({
    key,
    ...group,
    waiting: group.panes.filter(waits).length,
  }));
}
