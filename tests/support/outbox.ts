import { Once } from "../../web/state/server/once.ts";
import { Outbox, type OutboxDeps } from "../../web/state/server/outbox.ts";
import { MemoryStorage } from "./memory-storage.ts";

/** What all senders of one page go through; the record of its server says nothing by itself. */
export function outboxOf(members: Partial<OutboxDeps> = {}): Outbox {
  let keys = 0;
  return new Outbox({
    storage: new MemoryStorage(),
    once: new Once({ incarnation: () => null, uuid: () => `key-${++keys}` }),
    nowMs: () => Date.now(),
    connected: () => true,
    fates: async () => null,
    onFate: () => {},
    ...members,
  });
}
