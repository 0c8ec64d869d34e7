import type { ContinueReply } from "../protocol/input.ts";
import type { QueueReply, QueueState } from "../protocol/queue.ts";
import type { Handlers, Slice } from "../slice.ts";
import type { ActionQueue } from "./action-queue.ts";
import { clientOf } from "./client.ts";
import type { ScheduledSends } from "./scheduled-sends.ts";
import type { GuardedInput } from "./guarded.ts";
import type { LegacyInput } from "./legacy.ts";
import type { MessageQueue } from "./message-queue.ts";
import { INCARNATION } from "../ledger/idempotency-cache.ts";
import { stopAgent } from "./stop.ts";

interface InputRoutesDeps {
  legacy: LegacyInput;
  guarded: GuardedInput;
  scheduledSends: ScheduledSends;
  messages: MessageQueue;
  queue: ActionQueue;
}

export function inputSlice(deps: InputRoutesDeps): Slice {
  const { legacy, guarded, scheduledSends, messages, queue } = deps;
  const routes: Handlers = {
    "POST /api/key": (c) => legacy.key(c.req.valid("json"), clientOf(c)),
    "POST /api/text": (c) => legacy.text(c.req.valid("json"), clientOf(c)),
    "POST /api/select": (c) => legacy.select(c.req.valid("json"), clientOf(c)),
    "POST /api/broadcast": (c) => legacy.broadcast(c.req.valid("json"), clientOf(c)),
    "POST /api/input": (c) => guarded.act(c.req.valid("json"), clientOf(c)),
    "POST /api/continue": async (c): Promise<ContinueReply> => {
      const continue_then = await scheduledSends.set(c.req.valid("json"), clientOf(c));
      return { ok: true, continue_then };
    },
    "GET /api/queue": async (): Promise<QueueState> => {
      await messages.opened();
      return { lists: messages.lists };
    },
    "POST /api/queue": async (c): Promise<QueueReply> => {
      const list = await messages.act(c.req.valid("json"), clientOf(c));
      return { ok: true, list };
    },
    "POST /api/stop": (c) => stopAgent(queue, c.req.valid("json"), clientOf(c)),
  };
  return {
    name: "input",
    routes,
    async start() {
      await Promise.all([scheduledSends.open(), messages.open()]);
    },
    async stop() {
      await Promise.all([scheduledSends.stop(), messages.stop()]);
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
