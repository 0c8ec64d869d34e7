import type { AppOptions } from "./app-options.ts";
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import { ANSWERED_FILE, Answered } from "./answered/answered.ts";
import { Connections } from "./connections/registry.ts";
import { OWN_PATTERNS } from "./config/default-patterns.ts";
import { PatternMatcher } from "./detect/pattern-matcher.ts";
import { Machines } from "./hosts/machines.ts";
import { HOST_NUMBERS_FILE, HostNumbers } from "./hosts/numbers.ts";
import { GuardedInput } from "./input/guarded.ts";
import { CONTINUATIONS_FILE, Continuations } from "./input/continuations.ts";
import { LegacyInput } from "./input/legacy.ts";
import { ActionQueue } from "./input/action-queue.ts";
import { MessageQueue, MESSAGES_FILE } from "./input/message-queue.ts";
import { Stops } from "./input/stop.ts";
import { ledgerIn } from "./ledger/in-state-dir.ts";
import { JsonFile } from "./lib/json-file.ts";
import { tmuxFault } from "./multiplexer.ts";
import { openAiNamer } from "./naming/ai.ts";
import { Namer } from "./naming/namer.ts";
import { Hub } from "./terminal/hub.ts";
import { Poller } from "./terminal/poller.ts";
import type { ListedPane, TerminalProvider } from "./terminal/provider.ts";

export type Watching = Awaited<ReturnType<typeof createWatching>>;

/** The way from the multiplexer to the hub, and the actions back to it. */
export async function createWatching(options: AppOptions) {
  const { settings, instanceId, stateDir, patternWorker, log, clock } = options;
  const config = settings.current;
  const { provider, mux, openFar } = options.multiplexer(instanceId);
  const hub = new Hub({ log });
  const matcher = new PatternMatcher({
    worker: patternWorker,
    trusted: OWN_PATTERNS,
    clock,
    warn: log.warn,
  });
  // The agent workspace is made behind what it looks at, and tells from then on (`parts.ts`).
  const agents = { in: (_paneId: string): string | null => null };
  const namer = new Namer({
    mode: () => settings.current.naming_mode,
    prefixes: config["auto_naming.prefix_apps"],
    maxChars: config["auto_naming.max_len"],
    home: homedir(),
    hostname: hostname(),
    clock,
    ai: await openAiNamer({ config, stateDir, env: process.env, clock, log }),
  });
  const connections = new Connections({ clock });
  const machines = new Machines({
    local: {
      name: config["local.name"] || hostname().split(".")[0] || "local",
      hostname: hostname(),
      isWatched: config["local.watch"],
      provider,
    },
    configured: () => (openFar ? settings.current.hosts : []),
    settings: () => settings.live(),
    isLookedAt: () => connections.list().length > 0,
    numbers: new HostNumbers(new JsonFile(join(stateDir, HOST_NUMBERS_FILE), { log, clock })),
    versionFault: tmuxFault,
    ...(options.linkCommand ? { command: options.linkCommand } : {}),
    hub,
    random: Math.random,
    clock,
    log,
    open(host) {
      if (!openFar) throw new Error("this multiplexer is watched on this machine alone");
      return openFar(host);
    },
    watch: (machine) =>
      new Poller({
        ...machine,
        clock,
        matcher,
        deliveries: (identity) => ({
          continue_then: continuations.of(identity),
          queued: messages.of(identity),
          act: ledger.of(identity),
        }),
        agentIn: (id) => agents.in(id),
        nameOf: (pane, look) => namer.nameOf(pane, look, () => argumentsOf(pane, machine.provider)),
      }),
  });
  const isHere = (id: string) => machines.hostOf(id) === null;
  const answered = new Answered({
    file: new JsonFile(join(stateDir, ANSWERED_FILE), { log, clock }),
    isHere,
    clock,
    log,
  });
  const ledger = ledgerIn({
    ...{ stateDir, clock, log },
    keepDays: config["acts.keep_days"],
    keepsAbout: config["acts.keep_about"],
    isHere,
  });
  hub.subscribe((snapshot) => ledger.follow(snapshot));
  const queue = new ActionQueue({
    ledger,
    answered: (first, label) => answered.note(first, label),
    machines,
    hub,
    log,
    pause: Bun.sleep,
    nowMs: () => performance.now(),
  });
  const continuations = new Continuations({
    file: new JsonFile(join(stateDir, CONTINUATIONS_FILE), { log, clock }),
    queue,
    hub,
    changed: () => machines.wake(),
    random: Math.random,
    clock,
    log,
  });
  hub.subscribe((snapshot) => continuations.follow(snapshot));
  const messages = new MessageQueue({
    file: new JsonFile(join(stateDir, MESSAGES_FILE), { log, clock }),
    ...{ queue, hub, ledger },
    isHere,
    changed: () => machines.wake(),
    clock,
    log,
  });
  hub.subscribe((snapshot) => messages.follow(snapshot));
  const stops = new Stops(queue, ledger);
  const legacy = new LegacyInput({ provider, hub, queue, ledger, log });
  const guarded = new GuardedInput({
    ...{ provider, hub, queue, ledger },
    health: () => machines.local.poller.health(),
  });
  return {
    ...{ provider, mux, hub, matcher, namer, machines, agents },
    connections,
    ledger,
    queue,
    answered,
    legacy,
    guarded,
    continuations,
    messages,
    stops,
  };
}

async function argumentsOf(pane: ListedPane, provider: Pick<TerminalProvider, "processes">) {
  return (await provider.processes(pane, "recent")).map(({ args }) => args);
}
