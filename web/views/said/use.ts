import { useEffect, useState } from "preact/hooks";
import { useServer } from "../../state/client.ts";
import type { SaidQuery, SaidSearch } from "../../state/server/agents/said.ts";
import { useWatch, useWorkspace } from "../agents/use.ts";

const MIN_CHARS = 2;
const LOOK_AFTER_MS = 250;

/**
 * A search for these words in all that was said, once the typing rests; null where nothing is searched
 * for. `narrowed` must be the same object while it means the same.
 */
export function useSaid(typed: string | null, narrowed: Omit<SaidQuery, "q">): SaidSearch | null {
  const { config } = useServer();
  const workspace = useWorkspace();
  const [search, setSearch] = useState<{ readonly q: string; readonly said: SaidSearch } | null>(
    null,
  );
  const q = typed?.trim() ?? "";
  const isAsked = workspace !== null && [...q].length >= MIN_CHARS && config.has("search_v1");
  useEffect(() => {
    if (!isAsked) return;
    const timer = setTimeout(
      () => setSearch({ q, said: workspace.said({ q, ...narrowed }) }),
      LOOK_AFTER_MS,
    );
    return () => clearTimeout(timer);
  }, [q, isAsked, workspace, narrowed]);
  const current = isAsked && search?.q === q ? search.said : null;
  useWatch(current);
  // A long search goes on by itself: one that nobody waits for any more does not.
  useEffect(() => () => current?.clear(), [current]);
  return current;
}
