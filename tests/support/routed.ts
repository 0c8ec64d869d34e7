import { AppError } from "../../src/errors.ts";
import { type Handlers, routesOf } from "../../src/slice.ts";

/** An app of these routes alone: a refusal is told with its kind and detail, under status 418. */
export function routed(handlers: Handlers = {}) {
  const app = routesOf(handlers);
  app.onError((error, c) => {
    if (!(error instanceof AppError)) throw error;
    return c.json({ kind: error.kind, detail: error.detail }, 418);
  });
  return app;
}
