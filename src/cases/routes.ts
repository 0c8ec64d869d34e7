import { Hono } from "hono";
import { AppError } from "../errors.ts";
import { validJson } from "../lib/valid.ts";
import { type CaseDraft, CaseRequest, type CaseSaved, CaseSaveRequest } from "../protocol/cases.ts";
import type { Routes, Slice } from "../slice.ts";
import type { Reading } from "../terminal/reading.ts";
import { Cases, type CasesDeps } from "./cases.ts";

export interface CaseRoutesDeps {
  cases: Pick<Cases, "draft" | "save">;
  hub: { resolve(idOrTarget: string): { id: string } | null };
  /** One pane as it is now; null when it is gone. Throws when the multiplexer fails. */
  read(id: string): Promise<Reading | null>;
}

export function casesSlice(deps: CasesDeps & Omit<CaseRoutesDeps, "cases">): Slice {
  return {
    name: "cases",
    routes: caseRoutes({ ...deps, cases: new Cases(deps) }),
    capabilities: () => ({ screen_cases_v1: { version: 1 } }),
  };
}

export function caseRoutes({ cases, hub, read }: CaseRoutesDeps): Routes {
  const app: Routes = new Hono();
  app.post("/api/cases", validJson(CaseRequest), async (c) => {
    const { id } = c.req.valid("json");
    const pane = hub.resolve(id);
    const reading = pane && (await read(pane.id).catch(unavailable));
    if (!reading) throw new AppError("not_found", `no pane ${id}`, { reason: "unknown_pane" });
    return c.json<CaseDraft>(cases.draft(reading));
  });
  app.post("/api/cases/save", validJson(CaseSaveRequest), async (c) =>
    c.json<CaseSaved>(await cases.save(c.req.valid("json"))),
  );
  return app;
}

function unavailable(cause: unknown): never {
  throw new AppError("unavailable", "the multiplexer does not answer", undefined, { cause });
}
