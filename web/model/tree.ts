import { isPlaceholder, waits, type Pane } from "./pane.ts";

export interface Group {
  readonly key: string;
  /** Empty for panes without a session: configured targets that are absent. */
  readonly label: string;
  readonly ids: readonly string[];
  readonly waiting: number;
}

/** Panes by workspace where there are any, else by session, in the order of their first pane. */
export function groupPanes(panes: readonly Pane[]): readonly Group[] {
  const groups = new Map<string, { label: string; ids: string[]; waiting: number }>();
  for (const pane of panes) {
    const at = (kind: string) => pane.hierarchy.find((node) => node.kind === kind);
    const place = at("workspace") ?? at("session");
    const key = place?.id ?? (isPlaceholder(pane.id) ? "cfg:" : "");
    const group = groups.get(key) ?? { label: place?.label ?? "", ids: [], waiting: 0 };
    groups.set(key, group);
    group.ids.push(pane.id);
    if (waits(pane)) group.waiting++;
  }
  return [...groups].map(([key, group]) => ({ key, ...group }));
}
