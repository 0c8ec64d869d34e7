import { MessageQueue, type MessageQueueDeps } from "../../src/input/message-queue.ts";
import { createLog } from "../../src/lib/log.ts";
import { FakeClock } from "./clock.ts";
import { MemoryFile } from "./scheduled-sends.ts";
import { memoryLedger } from "./ledger.ts";

export function memoryMessages(
  deps: Partial<MessageQueueDeps> & Pick<MessageQueueDeps, "queue">,
): MessageQueue {
  return new MessageQueue({
    file: new MemoryFile(),
    ledger: memoryLedger(),
    hub: { isGone: () => true },
    changed: () => {},
    sent: () => {},
    clock: new FakeClock(),
    log: createLog(() => {}),
    ...deps,
  });
}
