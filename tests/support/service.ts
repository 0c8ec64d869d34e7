import { AgentFeed } from "../../src/agents/feed.ts";
import type { Layer } from "../../src/config/resolve.ts";
import { Settings } from "../../src/config/settings.ts";
import { Cards, cardsSlice } from "../../src/cards/cards.ts";
import { configSlice } from "../../src/config/routes.ts";
import { grantsSlice } from "../../src/grants/routes.ts";
import { httpApp } from "../../src/http/app.ts";
import { OpenSockets, socketFor } from "../../src/http/upgrade.ts";
import { TokenCheck } from "../../src/http/auth.ts";
import { type InfoDeps, infoOf } from "../../src/http/info.ts";
import { PaneSockets, paneSocketsSlice } from "../../src/http/pane-sockets.ts";
import { startServer } from "../../src/http/server.ts";
import type { Assets } from "../../src/http/static.ts";
import { GuardedInput } from "../../src/input/guarded.ts";
import { LegacyInput } from "../../src/input/legacy.ts";
import { ActionQueue } from "../../src/input/action-queue.ts";
import { inputSlice } from "../../src/input/routes.ts";
import type { LedgerDeps } from "../../src/ledger/ledger.ts";
import { createLog } from "../../src/lib/log.ts";
import { PairingCodes } from "../../src/pairing/pairing.ts";
import { pairingSlice } from "../../src/pairing/routes.ts";
import type { TailscaleFacts } from "../../src/pairing/tailscale.ts";
import type { Info } from "../../src/protocol/config.ts";
import type { ReviewGroup } from "../../src/protocol/review.ts";
import { StateEncoder } from "../../src/terminal/encode.ts";
import type { TerminalRoutesDeps } from "../../src/terminal/routes.ts";
import { ANYBODY, type Slice } from "../../src/slice.ts";
import { terminalSlice } from "../../src/terminal/routes.ts";
import { agentsPart } from "./agents-part.ts";
import { FakeClock } from "./clock.ts";
import { memoryLedger, memoryMessages, memoryScheduledSends } from "./in-memory.ts";
import { fakeCredentials } from "./credentials.ts";
import { FakeHub } from "./fake-hub.ts";
import { pane } from "./pane.ts";
import { ledgerSlice } from "../../src/ledger/routes.ts";

export interface ServiceOptions {
  token?: string;
  readToken?: string;
  publicUrls?: string[];
  /** Of `panewatch phone`. */
  keptToken?: string;
  localSecret?: string;
  tailscale?: () => TailscaleFacts;
  assets?: Assets;
  terminal?: Partial<TerminalRoutesDeps>;
  /** What of agents' work is to be reviewed. */
  groups?: () => readonly ReviewGroup[];
  /** Beside those that are always there. */
  slices?: readonly Slice[];
  clock?: FakeClock;
  /** What the configuration file says. */
  yaml?: Layer;
  /** What it says of itself; absent: what its slices report. */
  info?: () => Info;
  /** How what is sent reaches its pane; absent: it goes nowhere. */
  input?: Partial<ConstructorParameters<typeof ActionQueue>[0]>;
  ledger?: Partial<LedgerDeps>;
  /** What is published of a pane may differ now. */
  changed?: () => void;
  /** What stands before the handlers of all slices. */
  before?: (slices: readonly Slice[]) => readonly Slice[];
}

const HOST = "127.0.0.1";

/** The HTTP shell with everything behind it faked; `log` collects what it says. */
export function service(options: ServiceOptions = {}) {
  const {
    token = "",
    readToken = "",
    publicUrls = [],
    keptToken = "",
    localSecret = "",
    tailscale = () => ({ state: "none" }),
    assets = new Map(),
    clock = new FakeClock(),
  } = options;
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line));
  const announced: string[] = [];
  const hub = new FakeHub(clock);
  const encoder = new StateEncoder();
  const { credentials, refuse, change } = fakeCredentials({
    flags: {
      "server.token": token,
      "server.read_token": readToken,
      "server.host": HOST,
      "server.public_urls": publicUrls,
    },
    access: { token: keptToken },
    localSecret,
    clock,
  });
  const ledger = memoryLedger({ clock, log, ...options.ledger });
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
    codes.keepOnly((key) => credentials.isRequired && credentials.holds(key));
    openSockets.recheck();
  });
  const shared = {
    log,
    tokens,
    openSockets,
    origins: () => ({
      bindHost: HOST,
      publicUrls: credentials.publicUrls,
      tokenRequired: credentials.isRequired,
    }),
  };
  const cards = new Cards({ hub, groups: options.groups ?? (() => []) });
  const cardsAt = (snapshot: object) => cards.at(snapshot);
  const feed = new AgentFeed(clock);
  const paneSockets = new PaneSockets({ hub, encoder, cardsAt, events: feed, clock });
  const settings = new Settings({
    ...{ yaml: options.yaml ?? {}, saved: {}, flags: {} },
    file: { write: async () => {} },
    log,
  });
  const { capabilities } = pane();
  const queue = new ActionQueue({
    ledger,
    machines: {
      of: () => ({
        provider: { send: async () => "sent" },
        poller: { read: async () => null, noteAction: () => {} },
      }),
    },
    hub,
    pause: async () => {},
    log,
    nowMs: () => performance.now(),
    ...options.input,
  });
  const scheduledSends = memoryScheduledSends({
    ...{ queue, clock, log },
    changed: () => options.changed?.(),
  });
  const legacy = new LegacyInput({
    provider: { capabilities, isPaneId: () => false },
    ...{ queue, log },
  });
  const guarded = new GuardedInput({ provider: {}, hub, queue, health: () => info().health() });
  const info = (): InfoDeps => ({
    host: HOST,
    port: () => 0,
    tokenSet: credentials.isRequired,
    instanceId: "an-id",
    hub,
    provider: {
      info: { id: "mux", version: null, protocol: null, socket: null },
      capabilities,
      events: () => ({ supported: false, active: false, minimum_protocol: null }),
    },
    health: () => ({
      ...{ status: "ready", last_success_at: 1000, last_error: null },
      ...{ protocol: null, version: null },
    }),
    slices,
    log,
  });
  const { before = (own) => own } = options;
  const slices = before([
    cardsSlice(cards),
    terminalSlice({
      hub,
      encoder,
      cards,
      read: async () => null,
      sessionsIn: () => [],
      star: async () => {},
      markSeen: () => {},
      ...options.terminal,
    }),
    paneSocketsSlice(paneSockets),
    inputSlice({
      legacy,
      guarded,
      scheduledSends,
      messages: memoryMessages({ queue, ledger, hub, clock, log }),
      queue,
    }),
    configSlice({
      settings,
      info: options.info ?? (() => infoOf(info())),
      hasWorkspace: true,
      record: ledger,
      patched: () => {
        announced.push("config");
        paneSockets.configChanged();
      },
    }),
    ledgerSlice(ledger),
    grantsSlice({
      credentials,
      sockets: (id) => openSockets.count(id),
      alerts: () => 0,
      record: ledger,
      log,
    }),
    pairingSlice({
      credentials,
      codes,
      address: () => ({ host: HOST, port: 8787 }),
      look: async () => tailscale(),
      guesses: tokens,
      letIn: () => {},
      record: ledger,
      log,
    }),
    ...(options.slices ?? workspaceOff()),
  ]);
  const app = httpApp({ ...shared, assets: async () => assets, slices });
  const sockets = slices.flatMap((slice) => slice.sockets ?? []);
  const outside: Pick<Parameters<typeof startServer>[0], "fetch" | "socketFor"> = {
    fetch: (request, facts) => app.fetch(request, facts),
    socketFor: (request, facts) => socketFor(request, facts, { ...shared, sockets }),
  };
  return {
    clock,
    log: lines,
    announced,
    ledger,
    hub,
    paneSockets,
    feed,
    slices,
    settings,
    scheduledSends,
    credentials,
    openSockets,
    changeAccess: change,
    outside,
    /** Makes the next write of what signs in fail. */
    refuse,
    /** In process; `peer` is the address that it seems to come from. */
    request: async (path: string, init: RequestInit = {}, peer = "127.0.0.1") =>
      app.request(path, init, { peer }),
    /** A real server on a free port. */
    listen: (more: { idleSeconds?: number } = {}) =>
      startServer({ host: HOST, port: 0, ...more, ...outside, log }),
  };
}

/** The agent workspace as it is until somebody switches it on. */
export const workspaceOff = (): readonly Slice[] => [
  agentsPart(new FakeClock(), { isWanted: () => false }),
];

export const endpointsOf = (slices: readonly Slice[]): string[] =>
  slices.flatMap(({ routes = {} }) => Object.keys(routes));
