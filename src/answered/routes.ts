import type { AnsweredState } from "../protocol/answered.ts";
import type { Ok } from "../protocol/input.ts";
import type { Handlers, Slice } from "../slice.ts";
import type { Answered } from "./answered.ts";

const OK: Ok = { ok: true };

/** What was always answered alike: told, and put away. */
export function answeredSlice(answered: Answered): Slice {
  const routes: Handlers = {
    "GET /api/answered": (c) => c.json<AnsweredState>(answered.state),
    "POST /api/answered/hide": async (c) => {
      await answered.hide(c.req.valid("json").id);
      return c.json(OK);
    },
  };
  return {
    name: "answered",
    routes,
    start: () => answered.open(),
    stop: () => answered.close(),
    capabilities: () => ({ answered_v1: { version: 1 } }),
  };
}
