import type { Slice } from "../slice.ts";
import { openCreation, type OpenCreationDeps } from "./open.ts";
import { creationRoutes } from "./routes.ts";

export async function creationSlice(deps: OpenCreationDeps): Promise<Slice> {
  const creation = await openCreation(deps);
  return {
    name: "creation",
    routes: creationRoutes({ creation }),
    capabilities: () => ({ mux_create_v1: creation.capability() }),
  };
}
