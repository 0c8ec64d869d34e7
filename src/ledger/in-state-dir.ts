import { join } from "node:path";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { Ledger } from "./ledger.ts";
import { actStoreInMemory, LEDGER_FILE, openActStore } from "./store/open-store.ts";

/** The ledger of a state directory; with no days to keep, one in memory alone. */
export function ledgerIn(options: {
  stateDir: string;
  keepDays: number;
  keepsAbout: boolean;
  isHere: (id: string) => boolean;
  clock: Clock;
  log: Log;
}): Ledger {
  const { stateDir, keepDays, clock, log } = options;
  const onDisk = () => openActStore({ path: join(stateDir, LEDGER_FILE), log, clock });
  return new Ledger({ ...options, open: keepDays === 0 ? actStoreInMemory : onDisk });
}
