import type { Slice } from "../slice.ts";
import type { GuardedInput } from "./guarded.ts";
import type { LegacyInput } from "./legacy.ts";
import { INCARNATION } from "./once.ts";
import { inputRoutes } from "./routes.ts";

export function inputSlice(deps: { legacy: LegacyInput; guarded: GuardedInput }): Slice {
  return {
    name: "input",
    routes: inputRoutes(deps),
    capabilities: () => ({
      legacy_guard_v1: { version: 1 },
      legacy_once_v1: { version: 1, incarnation: INCARNATION },
    }),
  };
}
