import { ActionQueue } from "../../src/input/action-queue.ts";
import { GuardedInput } from "../../src/input/guarded.ts";
import { LegacyInput } from "../../src/input/legacy.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { PollerDeps } from "../../src/terminal/poller.ts";
import type { TerminalProvider } from "../../src/terminal/provider.ts";
import { memoryLedger } from "./in-memory.ts";
import { pollerOver } from "./poller.ts";

interface Pauses {
  pause: (ms: number) => Promise<void>;
  /** Monotonic milliseconds, by which an answered prompt may be answered again. */
  nowMs: () => number;
}

const REAL: Pauses = { pause: Bun.sleep, nowMs: () => performance.now() };

/** A provider with poller and input as `app.ts` connects them, after the first pass. */
export async function watching(
  provider: TerminalProvider,
  deps: Partial<PollerDeps> = {},
  pauses = REAL,
) {
  const { hub, poller, log } = pollerOver(provider, deps);
  const ledger = memoryLedger({ clock: deps.clock ?? systemClock });
  const machines = { of: () => ({ provider, poller }) };
  const queue = new ActionQueue({ ledger, machines, hub, log, ...pauses });
  const legacy = new LegacyInput({ provider, queue, log });
  const guarded = new GuardedInput({ provider, hub, queue, health: () => poller.health() });
  poller.start();
  await poller.firstPass;
  return { provider, hub, poller, queue, legacy, guarded };
}
