import type { Slice } from "../slice.ts";
import { configRoutes, type ConfigRoutesDeps } from "./routes.ts";

export function configSlice(deps: ConfigRoutesDeps): Slice {
  return { name: "config", routes: configRoutes(deps) };
}
