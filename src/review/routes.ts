import { jsonWithEtag } from "../lib/json-with-etag.ts";
import type { ReviewedAll, Reviewed, ReviewSettings } from "../protocol/review.ts";
import type { Handlers } from "../slice.ts";
import type { Reviewer } from "./review.ts";

/** `/api/review`, its settings, and the marks of `/api/agents/:id/review`. */
export function reviewRoutes(require: () => Reviewer): Handlers {
  return {
    "GET /api/review": async (c) => {
      if (c.req.valid("query").counts !== undefined)
        return jsonWithEtag(c.req.raw, require().summary());
      const review = require().read();
      return jsonWithEtag(c.req.raw, review, { ...review, generated_at: 0 });
    },
    "PUT /api/review/all": (c) =>
      c.json<ReviewedAll>(require().acknowledgeAll(c.req.valid("json").snapshots)),
    "PATCH /api/review/settings": (c) =>
      c.json<ReviewSettings>(require().changeSettings(c.req.valid("json"))),
    "PUT /api/agents/:id/review": (c) =>
      c.json<Reviewed>(require().acknowledge(c.req.param("id"), c.req.valid("json").snapshot_id)),
  };
}
