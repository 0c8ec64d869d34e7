import { join } from "node:path";
import type { Access } from "./access.ts";
import type { AppOptions } from "./app-options.ts";
import { agentsSlice } from "./agents/slice.ts";
import { StoreFile } from "./agents/store/store-file.ts";
import { type Workspace, WORKSPACE_OFF } from "./agents/workspace.ts";
import { answeredSlice } from "./answered/routes.ts";
import { Cards } from "./cards/cards.ts";
import { cardsSlice } from "./cards/routes.ts";
import { changesSlice } from "./changes/routes.ts";
import { configSlice } from "./config/routes.ts";
import { connectionsSlice } from "./connections/routes.ts";
import { paneEnvironment } from "./creation/runtimes.ts";
import type { FarPlace } from "./creation/far.ts";
import { creationSlice, noCreationSlice } from "./creation/routes.ts";
import { LABELS } from "./detect/agents.ts";
import { AppError } from "./errors.ts";
import { grantsSlice } from "./grants/routes.ts";
import { infoOf } from "./http/info.ts";
import { PaneSockets, paneSocketsSlice } from "./http/pane-sockets.ts";
import { checkHost } from "./hosts/check.ts";
import type { Host } from "./hosts/host.ts";
import { hostsSlice } from "./hosts/routes.ts";
import { ledgerSlice } from "./ledger/routes.ts";
import { imagesSlice } from "./images/routes.ts";
import { FirstMessages } from "./input/first-messages.ts";
import { inputSlice } from "./input/routes.ts";
import { tmuxFault } from "./multiplexer.ts";
import { pairingSlice } from "./pairing/routes.ts";
import { ALLOWED_KEYS } from "./protocol/input.ts";
import { Presence } from "./push/presence.ts";
import { openPush, PUSH_OFF } from "./push/slice.ts";
import { decisionAlert, reviewSlice } from "./review/slice.ts";
import type { Slice } from "./slice.ts";
import { StateEncoder } from "./terminal/encode.ts";
import { CASES_FOLDER } from "./cases/cases.ts";
import { casesSlice } from "./cases/routes.ts";
import { FarTmux } from "./terminal/mux/far.ts";
import { MuxCreation } from "./terminal/mux/creation.ts";
import { terminalSlice } from "./terminal/routes.ts";
import { USAGE_OFF } from "./usage/refresher.ts";
import { usageSlice } from "./usage/routes.ts";
import type { Watching } from "./watching.ts";

/**
 * Every slice of the service; a new one is a line here. Push subscribes to passes before agents and
 * review do, so that it has counted a pass before they alert anything of it.
 */
export async function createSlices(
  options: AppOptions,
  watching: Watching,
  { tokens, codes, admitted, address }: Access,
): Promise<readonly Slice[]> {
  const { settings, stateDir, instanceId, credentials, log, clock } = options;
  const { provider, mux, hub, machines, queue, ledger, connections } = watching;
  const config = settings.current;
  const encoder = new StateEncoder();
  const presence = new Presence();
  // `review` is created below; this is called only once passes are published.
  const cards = new Cards({ hub, groups: () => review.groups() });
  const paneSockets = new PaneSockets({
    hub,
    encoder,
    cardsAt: (snapshot) => cards.at(snapshot),
    connections,
    clock,
    presence(socket, frame, grant) {
      const isOwn = frame !== null && push.isOwn(frame.device, grant);
      if (frame === null || isOwn) presence.note(socket, frame);
    },
  });
  const read = (id: string) => machines.of(id).poller.read(id);
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
      health: () => machines.health(),
      slices,
      off: { push: PUSH_OFF, usage: USAGE_OFF, agent_context_v1: WORKSPACE_OFF },
      log,
    });
  const { slice: pushSlice, push } = await openPush({
    config,
    stateDir,
    instanceId,
    hub,
    presence,
    access: credentials,
    // `review` is created below; this is called only once passes are published.
    isBatched: (reason) =>
      (reason === "needs_input" || reason === "error") && review.isHeld(reason),
    quotaThreshold: () => settings.current["usage.alert_threshold"],
    waiting: () => cards.waiting,
    clock,
    log,
  });
  const agents = agentsSlice({
    storeFile: new StoreFile({ stateDir, clock, log }),
    homes: {
      agent_a: config["agents.agent_a_home"],
      agent_b: config["agents.agent_b_home"],
    },
    isWanted: () => settings.current.experimental_agent_workspace_enabled,
    unsupported: mux ? null : "The agent workspace works with the default multiplexer only.",
    hasHosts: () => settings.current.hosts.length > 0,
    retentionDays: config["agents.retention_days"],
    // Logs are read on this machine alone, and so are the panes that show their sessions.
    passes: {
      get current() {
        return hub.local;
      },
      subscribe: (listener) => hub.subscribe(listener),
    },
    processes: async (id) => {
      const pane = hub.resolve(id);
      return pane ? provider.processes(pane, "now") : [];
    },
    labelOf: (id) => hub.current.panes.find((pane) => pane.id === id)?.name ?? id,
    queue,
    verified(decision) {
      const session = agents.workspace.current?.store.sessions.get(decision.agent_id);
      const alert = decisionAlert(decision, session?.pane_id);
      if (alert) push.decision(alert);
    },
    pollInterval: () => settings.live().poll_interval,
    clock,
    log,
  });
  watching.agents.in = (id) => agents.workspace.current?.binder.sessionIn(id) ?? null;
  const review = reviewSlice({
    workspace: agents.workspace,
    passes: hub,
    onError: config["push.on_error"],
    sendDigest: () => push.digest(),
    clock,
    log,
  });
  const slices: readonly Slice[] = [
    cardsSlice(cards),
    terminalSlice({
      hub,
      encoder,
      read,
      star: (target, starred) => settings.star(target, starred),
      sessionsIn: (id) => agents.workspace.current?.binder.explain(id) ?? [],
      seen: (id) => machines.of(id).poller.seen(id),
    }),
    casesSlice({
      folder: join(stateDir, CASES_FOLDER),
      hub,
      read,
      clock,
    }),
    paneSocketsSlice(paneSockets),
    inputSlice(watching),
    ledgerSlice(ledger),
    answeredSlice(watching.answered),
    configSlice({
      settings,
      info,
      async patched() {
        await agents.workspace.settled();
        paneSockets.configChanged();
      },
      hasWorkspace: mux !== null,
      record: ledger,
      log,
    }),
    connectionsSlice(connections),
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
      log,
    }),
    mux
      ? await createCreation(options, {
          ...{ mux, hub, machines, queue, ledger },
          workspace: agents.workspace,
        })
      : noCreationSlice(),
    changesSlice({
      hub,
      isHere: (id) => machines.hostOf(id) === null,
      panes: () => hub.local.panes,
      roots: config["creation.enabled"] ? config["creation.roots"].map(({ path }) => path) : [],
      clock,
    }),
    imagesSlice({ stateDir, machineOf: (id) => machines.hostOf(id), clock, log }),
    usageSlice({
      command: config["usage.command"],
      settings: () => settings.live(),
      quotasSeen: (quotas) => push.quotasSeen(quotas),
      clock,
      log,
    }),
    pushSlice,
    agents,
    review,
    grantsSlice({
      credentials,
      sockets: (id) => admitted.count(id),
      alerts: (key) => push.count(key),
      record: ledger,
      log,
    }),
    pairingSlice({
      credentials,
      codes,
      address: () => address,
      guesses: tokens,
      letIn: (device) => push.letIn(device),
      record: ledger,
      ...{ clock, log },
    }),
  ];
  return slices;
}

/** New sessions, windows and panes. */
async function createCreation(
  { settings, credentials, clock, log }: AppOptions,
  {
    mux,
    hub,
    machines,
    queue,
    ledger,
    workspace,
  }: Pick<Watching, "hub" | "machines" | "queue" | "ledger"> & {
    mux: NonNullable<Watching["mux"]>;
    workspace: Workspace;
  },
): Promise<Slice> {
  const config = settings.current;
  const firstMessages = new FirstMessages({ queue, clock, log });
  hub.subscribe((snapshot) => firstMessages.follow(snapshot));
  return creationSlice({
    enabled: config["creation.enabled"],
    roots: config["creation.roots"],
    closes: config["creation.close"],
    firstMessages,
    runtimes: config["creation.runtimes"],
    label: (id) => LABELS[id] ?? id,
    mux: new MuxCreation(mux.inEnvironment(paneEnvironment(process.env, credentials.secrets))),
    muxUnavailable() {
      if (!config["local.watch"]) return "This machine is not watched.";
      return machines.local.poller.health().status === "ready"
        ? null
        : "The multiplexer is not available.";
    },
    paneDirectories: () => hub.local.panes.map(({ cwd }) => cwd),
    created: () => machines.local.poller.pass(),
    hasSessions: () => workspace.current !== null,
    session(agentId) {
      const known = workspace.current?.store.sessions.known(agentId) ?? null;
      if (known === null) return null;
      const { runtime, native_session_id: nativeId, lifecycle, pane_id } = known.session;
      const isOver = lifecycle === "offline" || lifecycle === "completed";
      const hasEnded = isOver && pane_id === null;
      return { runtime, nativeId, cwd: known.facts.cwd, hasEnded };
    },
    ...{ clock, ledger },
    far: {
      named(name) {
        const host = machines.named(name);
        if (!host) throw new AppError("not_found", `no host is watched as ${name}`);
        return farPlace(host, { hub, settings });
      },
      of(paneId) {
        const host = machines.hostOf(paneId);
        return host && farPlace(host, { hub, settings });
      },
    },
    log,
  });
}

/** Another machine, as creation sees it. */
function farPlace(
  host: Host,
  { hub, settings }: Pick<Watching, "hub"> & Pick<AppOptions, "settings">,
): FarPlace {
  const { shell, namespace, poller } = host;
  const { name } = host.config;
  // Its roots may have changed since it is watched.
  const configured = settings.current.hosts.find((each) => each.name === name);
  return {
    name,
    roots: configured?.roots ?? [{ label: "~", path: "~" }],
    mux: new MuxCreation(new FarTmux(shell), namespace),
    muxUnavailable: () => (host.isLive() ? null : `${name} is away.`),
    requireLive: () => host.requireLive(),
    run: (script) => host.run(script),
    paneDirectories: () =>
      hub.current.panes.filter((pane) => pane.host === name).map(({ cwd }) => cwd),
    created: () => poller.pass(),
  };
}
