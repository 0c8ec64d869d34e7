import { Ledger, type LedgerDeps } from "../../src/ledger/ledger.ts";
import { actStoreInMemory } from "../../src/ledger/store/open-store.ts";
import { createLog } from "../../src/lib/log.ts";
import { FakeClock } from "./clock.ts";

/** A ledger that ends with its test. */
export function memoryLedger(deps: Partial<LedgerDeps> = {}): Ledger {
  return new Ledger({
    ...{ open: actStoreInMemory, keepDays: 90, keepsAbout: true, isLocalPane: () => true },
    ...{ requireLock: async () => {}, clock: new FakeClock(), log: createLog(() => {}) },
    ...deps,
  });
}
