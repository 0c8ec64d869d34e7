import { Hono } from "hono";
import { validJson } from "../lib/valid.ts";
import { type AnsweredState, HideAnsweredRequest } from "../protocol/answered.ts";
import type { Ok } from "../protocol/input.ts";
import type { Routes, Slice } from "../slice.ts";
import type { Answered } from "./answered.ts";

const OK: Ok = { ok: true };

/** What was always answered alike: told, and put away. */
export function answeredSlice(answered: Answered): Slice {
  const routes: Routes = new Hono();
  routes.get("/api/answered", (c) => c.json<AnsweredState>(answered.state));
  routes.post("/api/answered/hide", validJson(HideAnsweredRequest), async (c) => {
    await answered.hide(c.req.valid("json").id);
    return c.json(OK);
  });
  return {
    name: "answered",
    routes,
    start: () => answered.open(),
    stop: () => answered.close(),
    capabilities: () => ({ answered_v1: { version: 1 } }),
  };
}
