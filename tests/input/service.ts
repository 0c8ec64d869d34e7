import { join } from "node:path";
import { OWN_PATTERNS } from "../../src/config/default-patterns.ts";
import { PatternMatcher } from "../../src/detect/pattern-matcher.ts";
import { PATTERN_WORKER } from "../support/pattern-worker.ts";
import { LegacyInput } from "../../src/input/legacy.ts";
import { ActionQueue } from "../../src/input/action-queue.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { Hub } from "../../src/terminal/hub.ts";
import type { TerminalProvider } from "../../src/terminal/provider.ts";
import { Poller } from "../../src/terminal/poller.ts";
import { openMux } from "../support/mux.ts";
import type { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";
import { memoryLedger } from "../support/ledger.ts";

const DEFAULT_PATTERNS = ["\\[y/N\\]", "Overwrite\\?"];

export interface InputOptions {
  /** Absent: the tmux as one of this machine. */
  provider?: TerminalProvider;
  pollInterval?: number;
}

/** Everything between a real tmux and the routes, as `app.ts` connects it. */
export async function startInput(tmux: PrivateTmux, options: InputOptions = {}) {
  const log = createLog(() => {});
  const { provider = await openMux(tmux), pollInterval = 0.2 } = options;
  const hub = new Hub({ log });
  const matcher = new PatternMatcher({
    clock: systemClock,
    worker: PATTERN_WORKER,
    trusted: OWN_PATTERNS,
    warn: () => {},
  });
  const poller = new Poller({
    provider,
    hub,
    clock: systemClock,
    log,
    matcher,
    settings: () => ({
      poll_interval: pollInterval,
      capture_lines: 200,
      auto_discover: true,
      include_shells: true,
      overrides: [],
      generic_prompt_patterns: DEFAULT_PATTERNS,
      error_patterns: [],
    }),
    nameOf: (pane) => pane.id,
  });
  const ledger = memoryLedger({ clock: systemClock });
  const queue = new ActionQueue({
    ledger,
    machines: { of: () => ({ provider, poller }) },
    hub,
    log,
    pause: Bun.sleep,
    nowMs: () => performance.now(),
  });
  const legacy = new LegacyInput({ provider, hub, queue, log });
  poller.start();
  await poller.firstPass;
  return {
    legacy,
    pass: () => poller.pass(),
    /** The first published state of a pane for which this holds. */
    published: (id: string, holds: (state: PaneState) => boolean) =>
      until(() => hub.current.panes.find((pane) => pane.id === id && holds(pane))),
    async stop() {
      await poller.stop();
      matcher.stop();
    },
  };
}

/** Command line of a sample program of the demo. */
export function sample(name: string): string[] {
  return [process.execPath, join(import.meta.dir, "..", "demo", "entry.ts"), "demo-pane", name];
}
