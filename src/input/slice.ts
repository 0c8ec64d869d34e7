import type { Slice } from "../slice.ts";
import type { LegacyInput } from "./legacy.ts";
import { inputRoutes } from "./routes.ts";

export function inputSlice(legacy: LegacyInput): Slice {
  return {
    name: "input",
    routes: inputRoutes({ legacy }),
    capabilities: () => ({ legacy_guard_v1: { version: 1 }, legacy_once_v1: { version: 1 } }),
  };
}
