import type { Slice } from "../slice.ts";
import { Cases, type CasesDeps } from "./cases.ts";
import { caseRoutes, type CaseRoutesDeps } from "./routes.ts";

export type CasesSliceDeps = CasesDeps & Omit<CaseRoutesDeps, "cases">;

export function casesSlice({ folder, clock, ...deps }: CasesSliceDeps): Slice {
  return {
    name: "cases",
    routes: caseRoutes({ ...deps, cases: new Cases({ folder, clock }) }),
    capabilities: () => ({ screen_cases_v1: { version: 1 } }),
  };
}
