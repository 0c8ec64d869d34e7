import type { Slice } from "../slice.ts";
import type { Connections } from "./registry.ts";
import { connectionRoutes } from "./routes.ts";

export function connectionsSlice(connections: Connections): Slice {
  return { name: "connections", routes: connectionRoutes({ connections }) };
}
