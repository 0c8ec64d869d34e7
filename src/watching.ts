import type { AppOptions } from "./app.ts";
import { homedir, hostname } from "node:os";
import { OWN_PATTERNS } from "./config/default-patterns.ts";
import { PatternMatcher } from "./detect/pattern-matcher.ts";
import { GuardedInput } from "./input/guarded.ts";
import { LegacyInput } from "./input/legacy.ts";
import { ActionQueue } from "./input/action-queue.ts";
import { openAiNamer } from "./naming/ai.ts";
import { Namer } from "./naming/namer.ts";
import { Hub } from "./terminal/hub.ts";
import { Poller } from "./terminal/poller.ts";
import type { ListedPane } from "./terminal/provider.ts";

export type Watching = Awaited<ReturnType<typeof createWatching>>;

/** The way from the multiplexer to the hub, and the actions back to it. */
export async function createWatching(options: AppOptions) {
  const { settings, instanceId, stateDir, patternWorker, log, clock } = options;
  const config = settings.current;
  const { provider, mux } = options.multiplexer(instanceId);
  const hub = new Hub({ log });
  const matcher = new PatternMatcher({
    worker: patternWorker,
    trusted: OWN_PATTERNS,
    warn: log.warn,
  });
  const argumentsOf = async (pane: ListedPane) =>
    (await provider.processes(pane, "recent")).map(({ args }) => args);
  const namer = new Namer({
    mode: () => settings.current.naming_mode,
    prefixes: config["auto_naming.prefix_apps"],
    maxChars: config["auto_naming.max_len"],
    home: homedir(),
    hostname: hostname(),
    clock,
    ai: await openAiNamer({ config, stateDir, env: process.env, clock, log }),
  });
  const poller = new Poller({
    provider,
    hub,
    clock,
    log,
    matcher,
    settings: () => settings.live(),
    nameOf: (pane, look) => namer.nameOf(pane, look, () => argumentsOf(pane)),
  });
  const queue = new ActionQueue({
    provider,
    hub,
    poller,
    log,
    pause: Bun.sleep,
    nowMs: () => performance.now(),
  });
  const legacy = new LegacyInput({ provider, hub, queue, log });
  const guarded = new GuardedInput({ provider, hub, queue, health: () => poller.health() });
  return { provider, mux, hub, matcher, namer, poller, queue, legacy, guarded };
}
