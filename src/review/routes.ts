import { Hono, type MiddlewareHandler } from "hono";
import { jsonWithEtag } from "../lib/packed.ts";
import type { EndpointName } from "../protocol/endpoints.ts";
import type { ReviewedAll, Reviewed, ReviewSettings } from "../protocol/review.ts";
import { type EndpointHandler, route, type Routes } from "../slice.ts";
import type { Reviewer } from "./review.ts";

interface ReviewRoutesDeps {
  /** @throws AppError 503 while the workspace is off */
  require(): Reviewer;
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
  const serve = <K extends EndpointName>(name: K, handler: EndpointHandler<K>) =>
    route(app, name, handler, running);

  serve("GET /api/review", async (c) => {
    if (c.req.valid("query").counts !== undefined)
      return jsonWithEtag(c.req.raw, require().summary());
    const review = require().read();
    return jsonWithEtag(c.req.raw, review, { ...review, generated_at: 0 });
  });
  serve("PUT /api/review/all", (c) =>
    c.json<ReviewedAll>(require().acknowledgeAll(c.req.valid("json").snapshots)),
  );
  serve("PATCH /api/review/settings", (c) =>
    c.json<ReviewSettings>(require().changeSettings(c.req.valid("json"))),
  );
  serve("PUT /api/agents/:id/review", (c) =>
    c.json<Reviewed>(require().acknowledge(c.req.param("id"), c.req.valid("json").snapshot_id)),
  );
  return app;
}
