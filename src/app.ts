import { homedir, hostname } from "node:os";
import { join } from "node:path";
import type { Settings } from "./config/settings.ts";
import { Connections } from "./connections/registry.ts";
import { openCreation } from "./creation/open.ts";
import { LABELS } from "./detect/agents.ts";
import { PatternMatcher } from "./detect/pattern-matcher.ts";
import { httpApp } from "./http/app.ts";
import { TokenCheck } from "./http/auth.ts";
import { socketFor } from "./http/door.ts";
import { infoOf } from "./http/info.ts";
import { PaneSockets } from "./http/pane-sockets.ts";
import { type HttpServer, startServer } from "./http/server.ts";
import { readAssets } from "./http/static.ts";
import { Images, UPLOADS_FOLDER } from "./images/images.ts";
import { LegacyInput } from "./input/legacy.ts";
import type { Clock } from "./lib/clock.ts";
import type { Log } from "./lib/log.ts";
import { urlHost } from "./lib/url-host.ts";
import { openAiNamer } from "./naming/ai.ts";
import { Namer } from "./naming/namer.ts";
import { PairingCodes } from "./pairing/codes.ts";
import { interfaceAddresses } from "./pairing/interfaces.ts";
import { Pairing } from "./pairing/pairing.ts";
import { ALLOWED_KEYS } from "./protocol/input.ts";
import { StateEncoder } from "./terminal/encode.ts";
import { Hub } from "./terminal/hub.ts";
import { LineAges } from "./terminal/line-ages.ts";
import { CREATED_OPTION } from "./terminal/mux/commands.ts";
import { MuxProvider } from "./terminal/mux/provider.ts";
import { Poller } from "./terminal/poller.ts";
import type { ListedPane } from "./terminal/provider.ts";
import { Collector } from "./usage/command.ts";
import { Usage } from "./usage/refresher.ts";

export interface AppOptions {
  settings: Settings;
  stateDir: string;
  instanceId: string;
  /** Folder of the built web client. */
  assets: string;
  /** Command line of the pattern worker. */
  patternWorker: readonly string[];
  log: Log;
  clock: Clock;
}

export interface App {
  /** Opens the port after the first pass; `url` has the port that was taken. */
  start(): Promise<{ url: string }>;
  stop(): Promise<void>;
}

/**
 * Creates and connects every object of the service; no decision is made here.
 * @throws StartupError when the multiplexer cannot be used.
 */
export async function createApp(options: AppOptions): Promise<App> {
  const watching = await createWatching(options);
  const parts = await createParts(options, watching);
  const shell = await createShell(options, watching, parts);
  const { poller, namer, matcher, legacy } = watching;
  const { images, usage } = parts;

  const unsubscribe = options.settings.subscribe(() => {
    poller.wake();
    usage.settingsChanged();
  });
  return {
    async start() {
      namer.start();
      poller.start();
      usage.start();
      await images.start();
      await poller.firstPass;
      return { url: shell.listen() };
    },
    async stop() {
      unsubscribe();
      await legacy.stop();
      await shell.stop();
      await poller.stop();
      await Promise.all([namer.stop(), usage.stop()]);
      await images.stop();
      await matcher.stop();
    },
  };
}

type Watching = Awaited<ReturnType<typeof createWatching>>;
type Parts = Awaited<ReturnType<typeof createParts>>;

/** From the multiplexer to the hub, and back to it. */
async function createWatching({ settings, stateDir, patternWorker, log, clock }: AppOptions) {
  const config = settings.current;
  const provider = await MuxProvider.open({
    binary: config["mux.binary"],
    socket: config["mux.socket"],
    disableAutoRename: config["mux.disable_auto_rename"],
    log,
  });
  const hub = new Hub({ log });
  const matcher = new PatternMatcher({ worker: patternWorker, warn: log.warn });
  const namer = new Namer<ListedPane>({
    mode: () => settings.current.naming_mode,
    processes: (pane) => provider.processes(pane),
    prefixes: config["auto_naming.prefix_apps"],
    maxChars: config["auto_naming.max_len"],
    home: homedir(),
    hostname: hostname(),
    clock,
    ai: await openAiNamer({ config, cwd: stateDir, clock, log }),
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
  const legacy = new LegacyInput({
    provider,
    hub,
    poller,
    log,
    pause: Bun.sleep,
    nowMs: () => performance.now(),
  });
  return { provider, hub, matcher, namer, poller, legacy };
}

/** What may be switched off or fail without the watching knowing. */
async function createParts(options: AppOptions, { provider, hub, poller }: Watching) {
  const { settings, stateDir, log, clock } = options;
  const config = settings.current;
  const creation = await openCreation({
    enabled: config["creation.enabled"],
    roots: config["creation.roots"],
    runtimes: config["creation.runtimes"],
    label: (id) => LABELS[id] ?? id,
    env: process.env,
    secrets: [config["server.token"]],
    muxCommand: (args) => provider.client.command(args),
    createdOption: CREATED_OPTION,
    muxUnavailable: () =>
      poller.health().status === "ready" ? null : "The multiplexer is not available.",
    paneDirectories: () => hub.current.panes.map((pane) => pane.cwd),
    created: () => poller.wake(),
    log,
  });
  const images = new Images({ folder: join(stateDir, UPLOADS_FOLDER), clock, log });
  const usage = new Usage({
    collector: new Collector({ command: config["usage.command"] }),
    settings: () => settings.live(),
    clock,
    log,
  });
  return { creation, images, usage };
}

/** What the outside sees: REST, sockets, the web client. */
async function createShell(options: AppOptions, watching: Watching, parts: Parts) {
  const { settings, instanceId, log, clock } = options;
  const { provider, hub, poller, legacy } = watching;
  const { creation, images, usage } = parts;
  const config = settings.current;
  const host = config["server.host"];
  const token = config["server.token"];
  const encoder = new StateEncoder();
  const connections = new Connections({ clock });
  const paneSockets = new PaneSockets({ hub, encoder, connections, clock });
  const tokens = new TokenCheck({ token, clock });
  const origins = {
    bindHost: host,
    publicUrls: config["server.public_urls"],
    tokenRequired: tokens.isRequired,
  };
  let server: HttpServer | null = null;
  const port = () => server?.port ?? config["server.port"];
  const pairing = new Pairing({
    token,
    codes: new PairingCodes(clock),
    addresses: () => ({
      publicUrls: origins.publicUrls,
      bindHost: host,
      port: port(),
      interfaces: interfaceAddresses(),
    }),
  });
  const info = () =>
    infoOf({
      host,
      port,
      tokenSet: tokens.isRequired,
      instanceId,
      allowedKeys: ALLOWED_KEYS,
      labels: LABELS,
      hub,
      provider,
      health: () => poller.health(),
      workspace: () => ({
        wanted: settings.current.experimental_agent_workspace_enabled,
        retentionDays: settings.current["agents.retention_days"],
      }),
      creation: () => creation.capability,
      usage: () => usage.info(),
      pairing: () => pairing.capability,
    });
  const app = httpApp({
    origins,
    tokens,
    assets: await readAssets(options.assets),
    log,
    connections: { connections },
    terminal: {
      hub,
      encoder,
      inspect: (id) => poller.inspect(id),
      lineAges: new LineAges({ hub }),
      star: (target, starred) => settings.star(target, starred),
      clock,
    },
    input: { legacy },
    config: { settings, info },
    creation: { creation },
    images: { images },
    usage: { usage },
    pairing: { pairing, guessedWrong: (peer) => tokens.guessedWrong(peer) },
    configChanged: () => paneSockets.configChanged(),
  });
  return {
    /** The address, with the port that was taken. */
    listen(): string {
      server = startServer({
        host,
        port: config["server.port"],
        fetch: (request, facts) => app.fetch(request, facts),
        socketFor: (request, peer) =>
          socketFor(request, peer, { origins, tokens, paneSockets, log }),
        log,
      });
      return `http://${urlHost(host)}:${server.port}`;
    },
    async stop() {
      paneSockets.stop();
      await server?.stop();
    },
  };
}
