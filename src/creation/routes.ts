import { Hono } from "hono";
import { AppError } from "../errors.ts";
import { jsonBody } from "../lib/valid.ts";
import { CreateRequest } from "../protocol/creation.ts";
import type { Routes } from "../slice.ts";
import type { Creation } from "./creation.ts";
import { isValidName } from "./plan.ts";

export interface CreationRoutesDeps {
  creation: Creation;
}

export function creationRoutes({ creation }: CreationRoutesDeps): Routes {
  const app: Routes = new Hono();
  app.get("/api/mux/creation", async (c) => c.json(await creation.state()));
  app.get("/api/mux/directories", async (c) => {
    const path = c.req.query("path");
    creation.requireEnabled();
    if (path === undefined) throw new AppError("invalid", "path is missing");
    return c.json(await creation.browse(path));
  });
  app.post("/api/mux/create", jsonBody, async (c) => {
    creation.requireEnabled();
    return c.json(await creation.create(parseRequest(c.req.valid("json"))), 201);
  });
  return app;
}

/** Refused with 400 and a fixed sentence, not with a schema's issues. */
export function parseRequest(body: unknown): CreateRequest {
  const parsed = CreateRequest.safeParse(body);
  if (!parsed.success || !hasValidNames(parsed.data))
    throw new AppError("invalid", "the creation request is not valid");
  return parsed.data;
}

function hasValidNames(request: CreateRequest): boolean {
  if (request.type === "pane") return /^%\d{1,10}$/.test(request.parent_pane_id);
  if (request.name !== null && !isValidName(request.name)) return false;
  return request.type === "session" || isSessionName(request.parent_session);
}

// The multiplexer allows nearly anything in a session's name, but not these.
function isSessionName(name: string): boolean {
  return name.length > 0 && name.length <= 1000 && !/[\p{Cc}:.]/u.test(name);
}
