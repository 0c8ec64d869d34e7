import type { CaseDraft, CaseSaved } from "../protocol/cases.ts";
import type { Handlers, Slice } from "../slice.ts";
import { type ReadingSource, requireReading } from "../terminal/reading.ts";
import { Cases, type CasesDeps } from "./cases.ts";

interface CaseRoutesDeps extends ReadingSource {
  cases: Pick<Cases, "draft" | "save">;
}

export function casesSlice(deps: CasesDeps & Omit<CaseRoutesDeps, "cases">): Slice {
  return {
    name: "cases",
    routes: caseRoutes({ ...deps, cases: new Cases(deps) }),
    capabilities: () => ({ screen_cases_v1: { version: 1 } }),
  };
}

export function caseRoutes({ cases, ...source }: CaseRoutesDeps): Handlers {
  return {
    "POST /api/cases": async (c) => {
      const reading = await requireReading(source, c.req.valid("json").id);
      return c.json<CaseDraft>(cases.draft(reading));
    },
    "POST /api/cases/save": async (c) => c.json<CaseSaved>(await cases.save(c.req.valid("json"))),
  };
}
