import type { ContinueReply, Ok } from "../protocol/input.ts";
import type { QueueReply, QueueState } from "../protocol/queue.ts";
import { SID_HEADER } from "../protocol/sid.ts";
import type { Handlers, RequestFacts, Slice } from "../slice.ts";
import type { ActionQueue } from "./action-queue.ts";
import { type Client, clientOf } from "./client.ts";
import type { ScheduledSends } from "./scheduled-sends.ts";
import type { GuardedInput } from "./guarded.ts";
import type { LegacyInput } from "./legacy.ts";
import type { MessageQueue } from "./message-queue.ts";
import { INCARNATION } from "../ledger/idempotency-cache.ts";
import { stopAgent } from "./stop.ts";

const OK: Ok = { ok: true };

interface InputRoutesDeps {
  legacy: LegacyInput;
  guarded: GuardedInput;
  continuations: ScheduledSends;
  messages: MessageQueue;
  queue: ActionQueue;
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

export function inputRoutes(deps: InputRoutesDeps): Handlers {
  const { legacy, guarded, continuations, messages, queue } = deps;
  return {
    "POST /api/key": async (c) => {
      await legacy.key(c.req.valid("json"), clientBy(c));
      return c.json(OK);
    },
    "POST /api/text": async (c) => {
      await legacy.text(c.req.valid("json"), clientBy(c));
      return c.json(OK);
    },
    "POST /api/select": async (c) => {
      await legacy.select(c.req.valid("json"), clientBy(c));
      return c.json(OK);
    },
    "POST /api/broadcast": async (c) =>
      c.json(await legacy.broadcast(c.req.valid("json"), clientBy(c))),
    "POST /api/input": async (c) => c.json(await guarded.act(c.req.valid("json"), clientBy(c))),
    "POST /api/continue": async (c) => {
      const continue_then = await continuations.set(c.req.valid("json"), clientBy(c));
      return c.json<ContinueReply>({ ok: true, continue_then });
    },
    "GET /api/queue": (c) => c.json<QueueState>({ lists: messages.lists }),
    "POST /api/queue": async (c) => {
      const list = await messages.act(c.req.valid("json"), clientBy(c));
      return c.json<QueueReply>({ ok: true, list });
    },
    "POST /api/stop": async (c) => {
      await stopAgent(queue, c.req.valid("json"), clientBy(c));
      return c.json(OK);
    },
  };
}

function clientBy(c: {
  env: RequestFacts;
  req: { header(name: string): string | undefined };
}): Client {
  return clientOf(c.env, c.req.header(SID_HEADER));
}
