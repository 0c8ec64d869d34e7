import { MessageQueue, type MessageQueueDeps } from "../../src/input/message-queue.ts";
import { ScheduledSends, type ScheduledSendsDeps } from "../../src/input/scheduled-sends.ts";
import { Ledger, type LedgerDeps } from "../../src/ledger/ledger.ts";
import { actStoreInMemory } from "../../src/ledger/store/open-store.ts";
import { createLog } from "../../src/lib/log.ts";
import { FakeClock } from "./clock.ts";

/** A file that a test can look into, and break. */
export class MemoryFile {
  content: unknown = null;
  fault: Error | null = null;

  async read(): Promise<unknown> {
    return structuredClone(this.content);
  }

  async write(value: unknown): Promise<void> {
    if (this.fault) throw this.fault;
    this.content = structuredClone(value);
  }

  async quarantine(): Promise<void> {}
}

export function memoryScheduledSends(
  deps: Partial<ScheduledSendsDeps> & Pick<ScheduledSendsDeps, "queue">,
): ScheduledSends {
  return new ScheduledSends({
    file: new MemoryFile(),
    changed: () => {},
    random: () => 0.5,
    clock: new FakeClock(),
    log: createLog(() => {}),
    ...deps,
  });
}

/** A ledger that ends with its test. */
export function memoryLedger(deps: Partial<LedgerDeps> = {}): Ledger {
  return new Ledger({
    ...{ open: actStoreInMemory, keepDays: 90, keepsAbout: true, isLocalPane: () => true },
    ...{ requireLock: async () => {}, clock: new FakeClock(), log: createLog(() => {}) },
    ...deps,
  });
}

export function memoryMessages(
  deps: Partial<MessageQueueDeps> & Pick<MessageQueueDeps, "queue">,
): MessageQueue {
  return new MessageQueue({
    file: new MemoryFile(),
    ledger: memoryLedger(),
    hub: { isGone: () => true },
    changed: () => {},
    clock: new FakeClock(),
    log: createLog(() => {}),
    ...deps,
  });
}
