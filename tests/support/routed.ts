import { Hono } from "hono";
import { AppError } from "../../src/errors.ts";
import { addRoutes, type Handlers, type Routes } from "../../src/slice.ts";

/** An app of these routes alone: a refusal is told with its kind and detail, under status 418. */
export function routed(handlers: Handlers = {}) {
  const app: Routes = new Hono();
  addRoutes(app, { routes: handlers });
  app.onError((error, c) => {
    if (!(error instanceof AppError)) throw error;
    return c.json({ kind: error.kind, detail: error.detail }, 418);
  });
  return app;
}
