import type { Pane } from "../../model/pane.ts";
import { useServer } from "../../state/client.ts";
import { useDerived, usePane } from "../parts/derived.ts";

/** The pane to answer after this one; drawn again only when it is another one, or changes itself. */
export function useNextWaiting(id: string | null): Pane | null {
  const server = useServer();
  const next = useDerived(() => server.nextWaiting(id)?.id ?? "", [id]);
  return usePane(next).value;
}
