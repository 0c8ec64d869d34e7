import { Hono } from "hono";
import { AppError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { validJson } from "../lib/valid.ts";
import { ExplainRequest, type Explanation, type Ok, StarRequest } from "../protocol/input.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { StateEncoder } from "./encode.ts";
import { explain, type Explained } from "./explain.ts";
import type { LineAges } from "./line-ages.ts";

export interface TerminalRoutesDeps {
  hub: { readonly current: { panes: readonly PaneState[] } };
  encoder: StateEncoder;
  /** Captures one pane now; null when there is no such live pane. */
  inspect(id: string): Promise<Explained | null>;
  lineAges: LineAges;
  star(target: string, starred: boolean): Promise<void>;
  clock: Clock;
}

export function terminalRoutes(deps: TerminalRoutesDeps): Hono {
  const { hub, encoder, lineAges, clock } = deps;
  const app = new Hono();
  app.get("/api/state", (c) =>
    c.body(encoder.encode(hub.current), 200, { "content-type": "application/json" }),
  );
  app.post("/api/star", validJson(StarRequest), async (c) => {
    const { target, starred } = c.req.valid("json");
    await deps.star(target, starred);
    return c.json<Ok>({ ok: true });
  });
  app.post("/api/explain", validJson(ExplainRequest), async (c) => {
    const { id } = c.req.valid("json");
    const found = await deps.inspect(id);
    if (!found) throw new AppError("not_found", `no pane ${id}`, { reason: "unknown_pane" });
    const ageOf = (line: string) => {
      const seen = lineAges.firstSeen(found.state.id, line);
      return seen === null ? null : Math.max(0, clock.now() - seen);
    };
    return c.json<Explanation>(explain(found, ageOf));
  });
  return app;
}
