import { homedir, hostname } from "node:os";
import { join } from "node:path";
import { AgentFeed } from "./agents/feed.ts";
import { agentsSlice } from "./agents/slice.ts";
import { StoreFile } from "./agents/store/store-file.ts";
import type { Workspace } from "./agents/workspace.ts";
import { AnswerCounts, ANSWERED_FILE, answeredSlice } from "./answered/answered.ts";
import { Cards, cardsSlice } from "./cards/cards.ts";
import { CASES_FOLDER, casesSlice } from "./cases/cases.ts";
import { changesSlice } from "./changes/changes.ts";
import { OWN_PATTERNS } from "./config/fields.ts";
import type { LoadedState } from "./config/load.ts";
import { configSlice } from "./config/routes.ts";
import { remotePlace } from "./creation/remote.ts";
import { creationSlice, noCreationSlice } from "./creation/routes.ts";
import { paneEnvironment } from "./creation/runtimes.ts";
import { PatternMatcher } from "./detect/pattern-matcher.ts";
import { grantsSlice } from "./grants/routes.ts";
import { checkHost } from "./hosts/check.ts";
import type { Host } from "./hosts/host.ts";
import { HOST_NUMBERS_FILE, HostNumbers, Machines } from "./hosts/machines.ts";
import { hostsSlice } from "./hosts/routes.ts";
import { httpApp } from "./http/app.ts";
import { TokenCheck } from "./http/auth.ts";
import { infoOf } from "./http/info.ts";
import type { OriginRules } from "./http/origin.ts";
import { PANES_PATH, PaneSockets, paneSocketsSlice } from "./http/pane-sockets.ts";
import { type HttpServer, LanServers, PeerUsers, startServer } from "./http/server.ts";
import { assetsIn } from "./http/static.ts";
import { OpenSockets, socketFor } from "./http/upgrade.ts";
import { imagesSlice } from "./images/images.ts";
import { ActionQueue } from "./input/action-queue.ts";
import { CONTINUATIONS_FILE, ScheduledSends } from "./input/scheduled-sends.ts";
import { FirstMessages } from "./input/first-messages.ts";
import { GuardedInput } from "./input/guarded.ts";
import { LegacyInput } from "./input/legacy.ts";
import { MessageQueue, MESSAGES_FILE } from "./input/message-queue.ts";
import { inputSlice } from "./input/routes.ts";
import { ledgerIn } from "./ledger/store/open-store.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { ledgerSlice } from "./ledger/routes.ts";
import type { Clock } from "./lib/clock.ts";
import { JsonFile } from "./lib/json-file.ts";
import type { Log } from "./lib/log.ts";
import { urlHost } from "./lib/address.ts";
import { type MultiplexerFactory, tmuxFault } from "./multiplexer.ts";
import { openAiNamer } from "./naming/ai.ts";
import { Namer } from "./naming/namer.ts";
import { PairingCodes } from "./pairing/pairing.ts";
import { interfaceAddresses } from "./pairing/links.ts";
import { pairingSlice } from "./pairing/routes.ts";
import { openPush } from "./push/slice.ts";
import { ANYBODY, type Slice, Slices } from "./slice.ts";
import { StateEncoder } from "./terminal/encode.ts";
import { Hub } from "./terminal/hub.ts";
import { MuxCreation } from "./terminal/mux/creation.ts";
import { RemoteTmux } from "./terminal/mux/remote.ts";
import { isLocalPane, THIS_MACHINE } from "./terminal/namespace.ts";
import { NoteSources } from "./terminal/pane-notes.ts";
import { Poller } from "./terminal/poller.ts";
import { readsInTurn } from "./terminal/reading.ts";
import { terminalSlice } from "./terminal/routes.ts";
import { usageSlice } from "./usage/usage.ts";

export interface AppOptions extends LoadedState {
  /** Opened before anything is written: a refused start leaves no files. */
  multiplexer: MultiplexerFactory;
  assets: string;
  /** The command line of a link to another machine; absent: this user's ssh. */
  linkCommand?: (ssh: string) => readonly string[];
  patternWorker: readonly string[];
  /** @throws AppError once another process may have the state directory: nothing is sent then */
  requireLock(): Promise<void>;
  log: Log;
  clock: Clock;
}

export type App = Awaited<ReturnType<typeof createApp>>;

/** Creates every object of the service and connects them, without logic; each knows only earlier ones. */
export async function createApp(options: AppOptions) {
  const ledger = createLedger(options);
  const access = createAccess(options, ledger);
  const watching = await createWatching(options, ledger, access);
  const { machines, ai, matcher, queue } = watching;
  // The first pass runs while the slices are made, and is published once they are started.
  const started = Promise.withResolvers<void>();
  machines.start(started.promise);
  const slices = await createSlices(options, watching, access).catch(async (error: unknown) => {
    await machines.stop();
    throw error;
  });
  const server = createServer(options, access, slices);
  const parts = new Slices({ slices, log: options.log });

  const unsubscribe = options.settings.subscribe(() => {
    machines.wake();
    void machines.settingsChanged();
    parts.settingsChanged();
  });
  return {
    slices,
    /** Opens the port after the first pass. */
    async start() {
      ai?.start();
      parts.start();
      started.resolve();
      await machines.local.poller.firstPass;
      return server.listen();
    },
    async stop() {
      unsubscribe();
      await queue.stop();
      await server.stop();
      await machines.stop();
      await Promise.all([ai?.stop(), parts.stop()]);
      await matcher.stop();
    },
  };
}

function createLedger({ settings, stateDir, requireLock, clock, log }: AppOptions): Ledger {
  const config = settings.current;
  return ledgerIn({
    ...{ stateDir, requireLock, isLocalPane, clock, log },
    keepDays: config["acts.keep_days"],
    keepsAbout: config["acts.keep_about"],
  });
}

type Access = ReturnType<typeof createAccess>;

function createAccess({ settings, credentials, clock }: AppOptions, ledger: Ledger) {
  const config = settings.current;
  const host = config["server.host"];
  const tokens = new TokenCheck({
    ...{ credentials, clock },
    signRefused: (peer) => ledger.signRefused(peer),
  });
  const codes = new PairingCodes(clock);
  const openSockets = new OpenSockets({
    tokens,
    invite: () => codes.issue({ scope: "own", by: ANYBODY }).code,
  });
  credentials.subscribe(() => {
    codes.keepOnly((key) => credentials.isRequired && credentials.holds(key, "own"));
    openSockets.recheck();
  });
  const origins = (): OriginRules => ({
    bindHost: host,
    publicUrls: credentials.publicUrls,
    tokenRequired: credentials.isRequired,
  });
  // The port is replaced by the bound one.
  const address = { host, port: config["server.port"] };
  return { tokens, codes, openSockets, origins, address };
}

type Watching = Awaited<ReturnType<typeof createWatching>>;

async function createWatching(options: AppOptions, ledger: Ledger, { openSockets }: Access) {
  const { settings, instanceId, stateDir, patternWorker: worker, log, clock } = options;
  const tools = { clock, log };
  const requireLock = () => options.requireLock();
  const file = (name: string) => new JsonFile(join(stateDir, name), { ...tools, requireLock });
  const config = settings.current;
  const { provider, mux, openRemote } = options.multiplexer(instanceId);
  const hub = new Hub({ log });
  const matcher = new PatternMatcher({ worker, trusted: OWN_PATTERNS, clock, warn: log.warn });
  const ai = await openAiNamer({ config, stateDir, env: process.env, ...tools });
  const namer = new Namer({
    mode: () => settings.current.naming_mode,
    prefixes: config["auto_naming.prefix_apps"],
    maxChars: config["auto_naming.max_len"],
    home: homedir(),
    hostname: hostname(),
    ...{ clock, ai },
  });
  const notes = new NoteSources();
  notes.add(({ identity }) => ({ act: ledger.of(identity) ?? null }));
  const machines = new Machines({
    local: {
      name: config["local.name"] || hostname().split(".")[0] || "local",
      hostname: hostname(),
      isWatched: config["local.watch"],
      provider,
    },
    configured: () => (openRemote ? settings.current.hosts : []),
    settings: () => settings.live(),
    isPageOpen: () => openSockets.areOpen(PANES_PATH),
    numbers: new HostNumbers(file(HOST_NUMBERS_FILE)),
    versionFault: tmuxFault,
    ...(options.linkCommand ? { command: options.linkCommand } : {}),
    hub,
    random: Math.random,
    ...tools,
    open(host) {
      if (!openRemote) throw new Error("this multiplexer is watched on this machine alone");
      return openRemote(host);
    },
    watch: (machine) =>
      new Poller({
        ...machine,
        ...{ clock, matcher },
        notesOf: (pane) => notes.of(pane),
        nameOf: (pane, look) =>
          namer.nameOf(pane, look, () => machine.provider.processes(pane, "recent")),
      }),
  });
  const answerCounts = new AnswerCounts({ file: file(ANSWERED_FILE), ...tools });
  hub.subscribe((snapshot) => ledger.follow(snapshot));
  const queue = new ActionQueue({
    ledger,
    noteChoice: (first, label) => answerCounts.note(first, label),
    machines,
    hub,
    log,
    pause: Bun.sleep,
    nowMs: () => performance.now(),
  });
  const changed = () => machines.wake();
  const scheduledSends = new ScheduledSends({
    file: file(CONTINUATIONS_FILE),
    ...{ queue, changed, random: Math.random },
    ...tools,
  });
  hub.subscribe((snapshot) => scheduledSends.follow(snapshot));
  const messages = new MessageQueue({
    file: file(MESSAGES_FILE),
    ...{ queue, hub, ledger, changed },
    ...tools,
  });
  hub.subscribe((snapshot) => messages.follow(snapshot));
  notes.add(({ identity }) => ({
    continue_then: scheduledSends.of(identity) ?? null,
    queued: messages.of(identity) ?? null,
  }));
  const legacy = new LegacyInput({ provider, queue, log });
  const guarded = new GuardedInput({
    ...{ provider, hub, queue },
    health: () => machines.local.poller.health(),
  });
  return {
    ...{ provider, mux, hub, matcher, ai, notes, machines, ledger },
    ...{ queue, answerCounts, legacy, guarded, scheduledSends, messages },
  };
}

/** Push must subscribe to passes before agents start: it counts a pass before they alert of it. */
async function createSlices(
  options: AppOptions,
  watching: Watching,
  { tokens, codes, openSockets, address }: Access,
): Promise<readonly Slice[]> {
  const { settings, stateDir, instanceId, credentials, log, clock } = options;
  const tools = { clock, log };
  const { provider, mux, hub, notes, machines, queue, ledger, messages } = watching;
  const config = settings.current;
  const feed = new AgentFeed(clock);
  const agents = agentsSlice({
    feed,
    storeFile: new StoreFile({ stateDir, ...tools }),
    homes: {
      agent_a: config["agents.agent_a_home"],
      agent_b: config["agents.agent_b_home"],
    },
    isWanted: () => settings.current.experimental_agent_workspace_enabled,
    unsupported: mux ? null : "The agent workspace works with the default multiplexer only.",
    hasHosts: () => settings.current.hosts.length > 0,
    retentionDays: config["agents.retention_days"],
    hub,
    processes: async (id) => {
      const pane = hub.resolve(id);
      return pane ? provider.processes(pane, "now") : [];
    },
    ...{ queue, ledger },
    alertsErrors: config["push.on_error"],
    pollInterval: () => settings.live().poll_interval,
    ...tools,
  });
  const { workspace } = agents;
  messages.onSent((id, message) => workspace.current?.acts.noteTyped(id, message));
  notes.add(({ id }) => ({ agent_id: workspace.current?.binder.sessionIn(id) ?? null }));
  const cards = new Cards({ hub, groups: () => workspace.groups() });
  const { slice: pushSlice, push } = await openPush({
    config,
    stateDir,
    instanceId,
    hub,
    access: credentials,
    isBatched: (reason) => workspace.isHeld(reason),
    quotaThreshold: () => settings.current["usage.alert_threshold"],
    cards,
    ...tools,
  });
  workspace.alert(push);
  const encoder = new StateEncoder();
  const paneSockets = new PaneSockets({
    hub,
    encoder,
    cardsAt: (snapshot) => cards.at(snapshot),
    events: feed,
    clock,
    presence: (socket, frame, grant) => push.notePage(socket, frame, grant),
  });
  // After `openSockets` has closed the sockets of those who were signed out.
  credentials.subscribe(() => paneSockets.configChanged());
  const read = readsInTurn((id) => machines.of(id).poller.read(id));
  const others: readonly Slice[] = [
    cardsSlice(cards),
    terminalSlice({
      hub,
      encoder,
      cards,
      read,
      star: (target, starred) => settings.star(target, starred),
      sessionsIn: (id) => workspace.current?.binder.explain(id) ?? [],
      markSeen: (id) => machines.of(id).poller.markSeen(id),
    }),
    casesSlice({ folder: join(stateDir, CASES_FOLDER), hub, read, clock }),
    paneSocketsSlice(paneSockets),
    inputSlice(watching),
    ledgerSlice(ledger),
    answeredSlice(watching.answerCounts),
    hostsSlice({
      machines,
      settings,
      check: (ssh) =>
        checkHost(ssh, {
          versionFault: tmuxFault,
          ...(options.linkCommand ? { command: options.linkCommand(ssh) } : {}),
        }),
      unsupported: mux ? null : "Panes of other machines are watched with tmux only.",
      record: ledger,
    }),
    mux ? await createCreation(options, { ...watching, mux, workspace }) : noCreationSlice(),
    changesSlice({
      hub,
      panes: () => hub.local.panes,
      roots: config["creation.enabled"] ? config["creation.roots"].map(({ path }) => path) : [],
    }),
    imagesSlice({ stateDir, machineOf: (id) => machines.hostOf(id), ...tools }),
    usageSlice({
      command: config["usage.command"],
      settings: () => settings.live(),
      quotasSeen: (quotas) => push.noteQuotas(quotas),
      ...tools,
    }),
    pushSlice,
    agents,
    grantsSlice({
      credentials,
      sockets: (id) => openSockets.count(id),
      alerts: (key) => push.count(key),
      record: ledger,
      log,
    }),
    pairingSlice({
      credentials,
      codes,
      address: () => address,
      guesses: tokens,
      letIn: (device) => push.announceGrant(device),
      record: ledger,
      log,
    }),
  ];
  const reportsOthers = configSlice({
    settings,
    info: () =>
      infoOf({
        host: address.host,
        port: () => address.port,
        tokenSet: credentials.isRequired,
        health: () => machines.health(),
        slices: others,
        ...{ instanceId, hub, provider, log },
      }),
    async patched() {
      await workspace.settled();
      paneSockets.configChanged();
    },
    hasWorkspace: mux !== null,
    record: ledger,
  });
  return [...others, reportsOthers];
}

async function createCreation(
  { settings, credentials, clock, log }: AppOptions,
  watching: Watching & { mux: NonNullable<Watching["mux"]>; workspace: Workspace },
): Promise<Slice> {
  const { mux, hub, machines, queue, ledger, workspace } = watching;
  const config = settings.current;
  const placeOf = (host: Host | null) =>
    host && remotePlace(host, new MuxCreation(new RemoteTmux(host), host.namespace));
  const firstMessages = new FirstMessages({ queue, clock, log });
  hub.subscribe((snapshot) => firstMessages.follow(snapshot));
  return creationSlice({
    enabled: config["creation.enabled"],
    roots: config["creation.roots"],
    closes: config["creation.close"],
    firstMessages,
    runtimes: config["creation.runtimes"],
    mux: new MuxCreation(mux, THIS_MACHINE, paneEnvironment(process.env, credentials.secrets)),
    muxUnavailable() {
      if (!config["local.watch"]) return "This machine is not watched.";
      return machines.local.poller.health().status === "ready"
        ? null
        : "The multiplexer is not available.";
    },
    paneDirectories: () => hub.local.panes.map(({ cwd }) => cwd),
    created: () => machines.local.poller.pass(),
    hasSessions: () => workspace.current !== null,
    session: (agentId) => workspace.session(agentId),
    remote: {
      named: (name) => placeOf(machines.findHost(name)),
      of: (paneId) => placeOf(machines.hostOf(paneId)),
    },
    ...{ clock, ledger, log },
  });
}

function createServer(options: AppOptions, access: Access, slices: readonly Slice[]) {
  const { credentials, clock, log } = options;
  const peerUsers = new PeerUsers({ clock });
  const { tokens, openSockets, origins, address } = access;
  const assets = assetsIn(options.assets);
  const app = httpApp({ origins, tokens, assets, slices, log });
  const sockets = slices.flatMap((slice) => slice.sockets ?? []);
  const start = (host: string) =>
    startServer({
      ...{ host, port: address.port, log },
      isOtherUser: (peer, ownPort) => peerUsers.isOther(peer, ownPort),
      fetch: (request, facts) => app.fetch(request, facts),
      socketFor: (request, facts) =>
        socketFor(request, facts, { origins, tokens, openSockets, sockets, log }),
    });
  const lan = new LanServers({
    bound: () => address,
    addresses: () => credentials.addresses,
    interfaces: interfaceAddresses,
    ...{ start, log },
  });
  let server: HttpServer | null = null;
  return {
    listen() {
      server = start(address.host);
      address.port = server.port;
      credentials.subscribe(() => lan.follow());
      lan.follow();
      return { url: `http://${urlHost(address.host)}:${server.port}`, address };
    },
    async stop() {
      await Promise.all([server?.stop(), lan.stop()]);
    },
  };
}
