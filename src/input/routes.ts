import { type Context, Hono } from "hono";
import type { ContinueReply, Ok } from "../protocol/input.ts";
import type { QueueReply, QueueState } from "../protocol/queue.ts";
import { SID_HEADER } from "../protocol/sid.ts";
import { type RequestFacts, route, type Routes, type Slice } from "../slice.ts";
import { type Client, clientOf } from "./client.ts";
import type { ScheduledSends } from "./continuations.ts";
import type { GuardedInput } from "./guarded.ts";
import type { LegacyInput } from "./legacy.ts";
import type { MessageQueue } from "./message-queue.ts";
import { INCARNATION } from "../ledger/once.ts";
import type { Stops } from "./stop.ts";

const OK: Ok = { ok: true };

/** `/api/key`, `/api/text`, `/api/select`, `/api/broadcast`, `/api/input`, `/api/continue`, `/api/queue`, `/api/stop`. */
interface InputRoutesDeps {
  legacy: LegacyInput;
  guarded: GuardedInput;
  continuations: ScheduledSends;
  messages: MessageQueue;
  stops: Stops;
}

export function inputSlice(deps: InputRoutesDeps): Slice {
  return {
    name: "input",
    routes: inputRoutes(deps),
    async start() {
      await Promise.all([deps.continuations.open(), deps.messages.open()]);
    },
    async stop() {
      await Promise.all([deps.continuations.stop(), deps.messages.stop()]);
    },
    capabilities: () => ({
      legacy_guard_v1: { version: 1 },
      continue_v1: { version: 1 },
      queue_v1: { version: 1 },
      stop_v1: { version: 1 },
      legacy_once_v1: { version: 1, incarnation: INCARNATION },
    }),
  };
}

export function inputRoutes(deps: InputRoutesDeps): Routes {
  const { legacy, guarded, continuations, messages, stops } = deps;
  const routes: Routes = new Hono();
  route(routes, "POST /api/key", async (c) => {
    await legacy.key(c.req.valid("json"), clientBy(c));
    return c.json(OK);
  });
  route(routes, "POST /api/text", async (c) => {
    await legacy.text(c.req.valid("json"), clientBy(c));
    return c.json(OK);
  });
  route(routes, "POST /api/select", async (c) => {
    await legacy.select(c.req.valid("json"), clientBy(c));
    return c.json(OK);
  });
  route(routes, "POST /api/broadcast", async (c) =>
    c.json(await legacy.broadcast(c.req.valid("json"), clientBy(c))),
  );
  route(routes, "POST /api/input", async (c) =>
    c.json(await guarded.act(c.req.valid("json"), clientBy(c))),
  );
  route(routes, "POST /api/continue", async (c) => {
    const continue_then = await continuations.set(c.req.valid("json"), clientBy(c));
    return c.json<ContinueReply>({ ok: true, continue_then });
  });
  route(routes, "GET /api/queue", (c) => c.json<QueueState>({ lists: messages.lists }));
  route(routes, "POST /api/queue", async (c) => {
    const list = await messages.act(c.req.valid("json"), clientBy(c));
    return c.json<QueueReply>({ ok: true, list });
  });
  route(routes, "POST /api/stop", async (c) => {
    await stops.stop(c.req.valid("json"), clientBy(c));
    return c.json(OK);
  });
  return routes;
}

function clientBy(c: Context<{ Bindings: RequestFacts }>): Client {
  return clientOf(c.env, c.req.header(SID_HEADER));
}
