import { Hono } from "hono";
import { jsonBody } from "../lib/valid.ts";
import type { ConfigReply, Info } from "../protocol/config.ts";
import type { Routes } from "../slice.ts";
import type { Settings } from "./settings.ts";

export interface ConfigRoutesDeps {
  settings: Settings;
  /** The read-only `_info`; no secret is in it. */
  info: () => Info;
  /** Called after each change by a request. */
  patched: () => void;
}

export function configRoutes({ settings, info, patched }: ConfigRoutesDeps): Routes {
  const reply = (): ConfigReply => ({ ...settings.live(), _info: info() });
  const app: Routes = new Hono();
  app.get("/api/config", (c) => c.json(reply()));
  app.patch("/api/config", jsonBody, async (c) => {
    await settings.patch(await c.req.json());
    patched();
    return c.json(reply());
  });
  return app;
}
