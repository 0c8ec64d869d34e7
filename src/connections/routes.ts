import { Hono } from "hono";
import { AppError } from "../errors.ts";
import type { SessionsReply } from "../protocol/connections.ts";
import type { Ok } from "../protocol/input.ts";
import { route, type Routes, type Slice } from "../slice.ts";
import type { Connections } from "./connections.ts";

export function connectionsSlice(connections: Connections): Slice {
  return { name: "connections", routes: connectionRoutes(connections) };
}

function connectionRoutes(connections: Connections): Routes {
  const app: Routes = new Hono();
  route(app, "GET /api/sessions", (c) => c.json<SessionsReply>({ sessions: connections.list() }));
  route(app, "POST /api/sessions/kill", (c) => {
    if (!connections.kill(c.req.valid("json").id))
      throw new AppError("not_found", "unknown session");
    return c.json<Ok>({ ok: true });
  });
  return app;
}
