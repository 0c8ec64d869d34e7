import { Hono, type MiddlewareHandler } from "hono";
import { packed } from "../lib/packed.ts";
import { validJson, validQuery } from "../lib/valid.ts";
import {
  ReviewAllRequest,
  type ReviewedAll,
  ReviewQuery,
  type Reviewed,
  ReviewRequest,
  type ReviewSettings,
  ReviewSettingsPatch,
} from "../protocol/review.ts";
import type { Routes } from "../slice.ts";
import type { Review } from "./review.ts";

export interface ReviewRoutesDeps {
  /** @throws AppError 503 while the workspace is off */
  require(): Review;
  /** What a request ran into. */
  noteFailure(error: unknown): void;
}

/** `/api/review`, its settings, and the marks of `/api/agents/:id/review`. */
export function reviewRoutes({ require, noteFailure }: ReviewRoutesDeps): Routes {
  const app: Routes = new Hono();
  // Before schemas are looked at: what is off has no opinion on a request.
  const running: MiddlewareHandler = async (c, next) => {
    require();
    await next();
    noteFailure(c.error);
  };
  app.get("/api/review", running, validQuery(ReviewQuery), async (c) => {
    if (c.req.valid("query").counts !== undefined) return packed(c.req.raw, require().summary());
    const review = require().read();
    return packed(c.req.raw, review, { ...review, generated_at: 0 });
  });
  app.put("/api/review/all", running, validJson(ReviewAllRequest), (c) =>
    c.json<ReviewedAll>(require().acknowledgeAll(c.req.valid("json").snapshots)),
  );
  app.patch("/api/review/settings", running, validJson(ReviewSettingsPatch), (c) =>
    c.json<ReviewSettings>(require().changeSettings(c.req.valid("json"))),
  );
  app.put("/api/agents/:id/review", running, validJson(ReviewRequest), (c) =>
    c.json<Reviewed>(require().acknowledge(c.req.param("id"), c.req.valid("json").snapshot_id)),
  );
  return app;
}
