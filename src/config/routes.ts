import { Hono } from "hono";
import { AppError } from "../errors.ts";
import { jsonBody } from "../lib/valid.ts";
import type { ConfigReply, Info } from "../protocol/config.ts";
import type { RequestFacts, Routes, Slice } from "../slice.ts";
import type { Settings } from "./settings.ts";

export interface ConfigRoutesDeps {
  settings: Settings;
  /** The read-only `_info`; no secret is in it. */
  info: () => Info;
  /** Called after each change by a request; the reply waits for what it has to bring about. */
  patched: () => void | Promise<void>;
  /** False: the agent workspace cannot run here, and its switch stays off. */
  hasWorkspace: boolean;
}

export function configSlice(deps: ConfigRoutesDeps): Slice {
  return { name: "config", routes: configRoutes(deps) };
}

export function configRoutes(deps: ConfigRoutesDeps): Routes {
  const { settings, info, patched, hasWorkspace } = deps;
  const reply = ({ grant }: RequestFacts): ConfigReply => {
    const live = settings.live();
    const isOn = hasWorkspace && live.experimental_agent_workspace_enabled;
    return {
      ...live,
      experimental_agent_workspace_enabled: isOn,
      _info: { ...info(), ...(grant ? { access: grant.access } : {}) },
    };
  };
  const app: Routes = new Hono();
  app.get("/api/config", (c) => c.json(reply(c.env)));
  app.patch("/api/config", jsonBody, async (c) => {
    const body = c.req.valid("json");
    if (!hasWorkspace && asksForWorkspace(body))
      throw new AppError("invalid", "the agent workspace works with provider mux only");
    await settings.patch(body);
    await patched();
    return c.json(reply(c.env));
  });
  return app;
}

function asksForWorkspace(body: unknown): boolean {
  if (typeof body !== "object" || body === null) return false;
  return (
    "experimental_agent_workspace_enabled" in body &&
    body.experimental_agent_workspace_enabled === true
  );
}
