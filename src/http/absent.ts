import { Hono } from "hono";
import { AppError } from "../errors.ts";
import type { Routes, Slice } from "../slice.ts";

/** Path -> methods. */
type Endpoints = Readonly<Record<string, readonly string[]>>;

const NO_CREATION_REASON = "The watched multiplexer is only monitored and answered.";

/** In place of creation where the multiplexer is never shaped by this service. */
export const NO_CREATION: Slice = {
  name: "creation",
  routes: refusing(
    {
      "/api/mux/creation": ["GET"],
      "/api/mux/directories": ["GET"],
      "/api/mux/create": ["POST"],
    },
    () => new AppError("unavailable", NO_CREATION_REASON),
  ),
  capabilities: () => ({
    mux_create_v1: { version: 1, supported: false, enabled: false, reason: NO_CREATION_REASON },
  }),
};

/** Routes that exist, so that a wrong method is told the right ones, and refuse all the same. */
function refusing(endpoints: Endpoints, refusal: () => AppError): Routes {
  const routes: Routes = new Hono();
  for (const [path, methods] of Object.entries(endpoints))
    routes.on([...methods], path, () => {
      throw refusal();
    });
  return routes;
}
