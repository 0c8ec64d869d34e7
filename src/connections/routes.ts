import { AppError } from "../errors.ts";
import type { SessionsReply } from "../protocol/connections.ts";
import type { Ok } from "../protocol/input.ts";
import type { Handlers, Slice } from "../slice.ts";
import type { Connections } from "./connections.ts";

export function connectionsSlice(connections: Connections): Slice {
  return { name: "connections", routes: connectionRoutes(connections) };
}

function connectionRoutes(connections: Connections): Handlers {
  return {
    "GET /api/sessions": (c) => c.json<SessionsReply>({ sessions: connections.list() }),
    "POST /api/sessions/kill": (c) => {
      if (!connections.kill(c.req.valid("json").id))
        throw new AppError("not_found", "unknown session");
      return c.json<Ok>({ ok: true });
    },
  };
}
