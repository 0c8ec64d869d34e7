import { packedJson } from "../lib/json-with-etag.ts";
import type { Card } from "../protocol/cards.ts";
import type { Explanation, PaneSession } from "../protocol/explain.ts";
import type { Handlers, Slice } from "../slice.ts";
import type { EncodedState, StateEncoder } from "./encode.ts";
import { explain } from "./explain.ts";
import { type ReadingSource, requireReading, noSuchPane } from "./reading.ts";

export interface TerminalRoutesDeps extends ReadingSource {
  hub: ReadingSource["hub"] & {
    readonly current: EncodedState;
  };
  encoder: StateEncoder;
  cards: { readonly current: readonly Card[] };
  star(target: string, starred: boolean): Promise<void>;
  sessionsIn(paneId: string): PaneSession[];
  markSeen(id: string): void;
}

export function terminalSlice(deps: TerminalRoutesDeps): Slice {
  const { hub, encoder, cards } = deps;
  const routes: Handlers = {
    "GET /api/state": (c) => {
      const hasCards = c.req.valid("query").cards === "1";
      const text = hasCards
        ? encoder.encodeWith(cards.current, hub.current)
        : encoder.encode(hub.current);
      return packedJson(c.req.raw.headers, text);
    },
    "POST /api/star": (c) => {
      const { target, starred } = c.req.valid("json");
      return deps.star(target, starred);
    },
    "POST /api/seen": (c) => {
      const { id } = c.req.valid("json");
      const pane = hub.resolve(id);
      if (!pane) throw noSuchPane(id);
      deps.markSeen(pane.id);
    },
    "POST /api/explain": async (c): Promise<Explanation> => {
      const found = await requireReading(deps, c.req.valid("json").id);
      return { ...explain(found), sessions: deps.sessionsIn(found.state.id) };
    },
  };
  return {
    name: "terminal",
    routes,
    capabilities: () => ({
      pane_facts_v1: { version: 1 },
      explain_v1: { version: 1 },
      pane_done_v1: { version: 1 },
      parked_v1: { version: 1 },
      context_v1: { version: 1 },
    }),
  };
}
