import { homedir, hostname } from "node:os";
import { openAgents } from "./agents/open.ts";
import type { Settings } from "./config/settings.ts";
import { OWN_PATTERNS } from "./config/default-patterns.ts";
import { configSlice } from "./config/slice.ts";
import { Connections } from "./connections/registry.ts";
import { connectionsSlice } from "./connections/slice.ts";
import { paneEnvironment } from "./creation/environment.ts";
import { creationSlice } from "./creation/slice.ts";
import { LABELS } from "./detect/agents.ts";
import { PatternMatcher } from "./detect/pattern-matcher.ts";
import { ABSENT, NO_CREATION } from "./http/absent.ts";
import { httpApp } from "./http/app.ts";
import { TokenCheck } from "./http/auth.ts";
import { infoOf } from "./http/info.ts";
import { PaneSockets, paneSocketsSlice } from "./http/pane-sockets.ts";
import { type HttpServer, startServer } from "./http/server.ts";
import { readAssets } from "./http/static.ts";
import { socketFor } from "./http/upgrade.ts";
import { imagesSlice } from "./images/slice.ts";
import { LegacyInput } from "./input/legacy.ts";
import { inputSlice } from "./input/slice.ts";
import { Turns } from "./input/turns.ts";
import type { Clock } from "./lib/clock.ts";
import type { Log } from "./lib/log.ts";
import { urlHost } from "./lib/url-host.ts";
import { openAiNamer } from "./naming/ai.ts";
import type { FoundMultiplexer } from "./multiplexer.ts";
import { Namer } from "./naming/namer.ts";
import { pairingSlice } from "./pairing/slice.ts";
import { ALLOWED_KEYS } from "./protocol/input.ts";
import { Presence } from "./push/presence.ts";
import { openPush } from "./push/slice.ts";
import type { Slice } from "./slice.ts";
import { Slices } from "./slices.ts";
import { StateEncoder } from "./terminal/encode.ts";
import { Hub } from "./terminal/hub.ts";
import { LineAges } from "./terminal/line-ages.ts";
import { MuxCreation } from "./terminal/mux/creation.ts";
import type { MuxProvider } from "./terminal/mux/provider.ts";
import { Poller } from "./terminal/poller.ts";
import type { ListedPane } from "./terminal/provider.ts";
import { terminalSlice } from "./terminal/slice.ts";
import { usageSlice } from "./usage/slice.ts";

export interface AppOptions {
  settings: Settings;
  /** Opened before anything is written: a start that it refuses leaves no trace. */
  multiplexer: FoundMultiplexer;
  stateDir: string;
  instanceId: string;
  /** Folder of the built web client. */
  assets: string;
  /** Command line of the pattern worker. */
  patternWorker: readonly string[];
  log: Log;
  clock: Clock;
}

export interface Listening {
  url: string;
  /** With the port that was taken. */
  address: { host: string; port: number };
}

export interface App {
  /** The parts that it is made of. */
  readonly slices: readonly Slice[];
  /** Opens the port after the first pass; `url` has the port that was taken. */
  start(): Promise<Listening>;
  stop(): Promise<void>;
}

/** Creates and connects every object of the service; no decision is made here. */
export async function createApp(options: AppOptions): Promise<App> {
  const watching = await createWatching(options);
  const access = createAccess(options);
  const slices = await createSlices(options, watching, access);
  const server = await createServer(options, access, slices);
  const { poller, namer, matcher, turns } = watching;
  const parts = new Slices({ slices, log: options.log });

  const unsubscribe = options.settings.subscribe(() => {
    poller.wake();
    parts.settingsChanged();
  });
  return {
    slices,
    async start() {
      namer.start();
      poller.start();
      parts.start();
      await poller.firstPass;
      return server.listen();
    },
    async stop() {
      unsubscribe();
      await turns.stop();
      await server.stop();
      await poller.stop();
      await Promise.all([namer.stop(), parts.stop()]);
      await matcher.stop();
    },
  };
}

type Watching = Awaited<ReturnType<typeof createWatching>>;
type Access = ReturnType<typeof createAccess>;

/** From the multiplexer to the hub, and back to it. */
async function createWatching(options: AppOptions) {
  const { settings, instanceId, stateDir, patternWorker, log, clock } = options;
  const config = settings.current;
  const { provider, mux } = options.multiplexer(instanceId);
  const hub = new Hub({ log });
  const matcher = new PatternMatcher({
    worker: patternWorker,
    trusted: OWN_PATTERNS,
    warn: log.warn,
  });
  const namer = new Namer<ListedPane>({
    mode: () => settings.current.naming_mode,
    processes: async (pane) => (await provider.processes(pane, "recent")).map(({ args }) => args),
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
    nameOf: (pane, look) => namer.nameOf(pane, look),
  });
  const turns = new Turns({
    provider,
    hub,
    poller,
    log,
    pause: Bun.sleep,
    nowMs: () => performance.now(),
  });
  const legacy = new LegacyInput({ provider, hub, turns, log });
  return { provider, mux, hub, matcher, namer, poller, turns, legacy };
}

/** Who may ask, and under which addresses. */
function createAccess({ settings, clock }: AppOptions) {
  const config = settings.current;
  const host = config["server.host"];
  const tokens = new TokenCheck({ token: config["server.token"], clock });
  const origins = {
    bindHost: host,
    publicUrls: config["server.public_urls"],
    tokenRequired: tokens.isRequired,
  };
  // Until it listens, the port that was asked for.
  const address = { host, port: config["server.port"] };
  return { tokens, origins, address };
}

/** Every part of the service; a new one is a line here. */
async function createSlices(
  options: AppOptions,
  watching: Watching,
  { tokens, origins, address }: Access,
): Promise<readonly Slice[]> {
  const { settings, stateDir, instanceId, log, clock } = options;
  const { provider, mux, hub, poller, turns, legacy } = watching;
  const config = settings.current;
  const encoder = new StateEncoder();
  const connections = new Connections({ clock });
  const presence = new Presence();
  const paneSockets = new PaneSockets({
    hub,
    encoder,
    connections,
    clock,
    presence: (socket, frame) => presence.note(socket, frame),
  });
  const info = () =>
    infoOf({
      host: address.host,
      port: () => address.port,
      tokenSet: tokens.isRequired,
      instanceId,
      allowedKeys: ALLOWED_KEYS,
      labels: LABELS,
      hub,
      provider,
      health: () => poller.health(),
      slices,
    });
  const { slice: pushSlice, push } = await openPush({
    config,
    stateDir,
    instanceId,
    hub,
    presence,
    quotaThreshold: () => settings.current["usage.alert_threshold"],
    clock,
    log,
  });
  const agents = openAgents({
    stateDir,
    homes: {
      agent_a: config["agents.agent_a_home"],
      agent_b: config["agents.agent_b_home"],
    },
    isWanted: () => settings.current.experimental_agent_workspace_enabled,
    unsupported: mux ? null : "The agent workspace works with the default multiplexer only.",
    retentionDays: config["agents.retention_days"],
    passes: hub,
    processes: async (id) => {
      const pane = hub.resolve(id);
      return pane ? provider.processes(pane, "now") : [];
    },
    labelOf: (id) => hub.current.panes.find((pane) => pane.id === id)?.name ?? id,
    turns,
    verified: () => {},
    pollInterval: () => settings.live().poll_interval,
    clock,
    log,
  });
  const slices: readonly Slice[] = [
    terminalSlice({
      hub,
      encoder,
      read: (id) => poller.read(id),
      lineAges: new LineAges({ hub }),
      star: (target, starred) => settings.star(target, starred),
      clock,
    }),
    paneSocketsSlice(paneSockets),
    inputSlice(legacy),
    configSlice({
      settings,
      info,
      async patched() {
        await agents.workspace.settled();
        paneSockets.configChanged();
      },
      hasWorkspace: mux !== null,
    }),
    connectionsSlice(connections),
    mux ? await createCreation(options, { mux, hub, poller }) : NO_CREATION,
    imagesSlice({ stateDir, clock, log }),
    usageSlice({
      command: config["usage.command"],
      settings: () => settings.live(),
      quotasSeen: (quotas) => push.quotasSeen(quotas),
      clock,
      log,
    }),
    pushSlice,
    agents,
    pairingSlice({
      token: config["server.token"],
      address: () => ({ ...origins, port: address.port }),
      guessedWrong: (peer) => tokens.guessedWrong(peer),
      clock,
    }),
    ...ABSENT,
  ];
  return slices;
}

/** New sessions, windows and panes. */
async function createCreation(
  { settings, log }: AppOptions,
  { mux, hub, poller }: Pick<Watching, "hub" | "poller"> & { mux: MuxProvider },
): Promise<Slice> {
  const config = settings.current;
  return creationSlice({
    enabled: config["creation.enabled"],
    roots: config["creation.roots"],
    runtimes: config["creation.runtimes"],
    label: (id) => LABELS[id] ?? id,
    mux: new MuxCreation({
      command: (args) => mux.client.command(args),
      env: paneEnvironment(process.env, [config["server.token"]]),
    }),
    muxUnavailable: () =>
      poller.health().status === "ready" ? null : "The multiplexer is not available.",
    paneDirectories: () => hub.current.panes.map((pane) => pane.cwd),
    created: () => poller.wake(),
    log,
  });
}

/** What the outside sees: REST, sockets, the web client. */
async function createServer(options: AppOptions, access: Access, slices: readonly Slice[]) {
  const { log } = options;
  const { tokens, origins, address } = access;
  const assets = await readAssets(options.assets);
  const app = httpApp({ origins, tokens, assets, slices, log });
  const sockets = slices.flatMap((slice) => slice.sockets ?? []);
  let server: HttpServer | null = null;
  return {
    listen(): Listening {
      server = startServer({
        ...address,
        fetch: (request, facts) => app.fetch(request, facts),
        socketFor: (request, peer) => socketFor(request, peer, { origins, tokens, sockets, log }),
        log,
      });
      address.port = server.port;
      return { url: `http://${urlHost(address.host)}:${server.port}`, address };
    },
    async stop() {
      await server?.stop();
    },
  };
}
