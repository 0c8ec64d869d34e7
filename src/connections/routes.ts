import { Hono } from "hono";
import { AppError } from "../errors.ts";
import { validJson } from "../lib/valid.ts";
import { KillRequest, type SessionsReply } from "../protocol/connections.ts";
import type { Ok } from "../protocol/input.ts";
import type { Routes, Slice } from "../slice.ts";
import type { Connections } from "./registry.ts";

export function connectionsSlice(connections: Connections): Slice {
  return { name: "connections", routes: connectionRoutes(connections) };
}

function connectionRoutes(connections: Connections): Routes {
  const app: Routes = new Hono();
  app.get("/api/sessions", (c) => c.json<SessionsReply>({ sessions: connections.list() }));
  app.post("/api/sessions/kill", validJson(KillRequest), (c) => {
    if (!connections.kill(c.req.valid("json").id))
      throw new AppError("not_found", "unknown session");
    return c.json<Ok>({ ok: true });
  });
  return app;
}
