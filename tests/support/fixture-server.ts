import { type CardFacts, type Made, makeCards } from "../../src/cards/cards.ts";
import { assetReply, type Assets, readAssets } from "../../src/http/static.ts";
import { judged } from "./fixture-panes.ts";
import type { RecordReply } from "../../src/protocol/acts.ts";
import type { ConfigReply } from "../../src/protocol/config.ts";
import {
  diffCards,
  diffState,
  NO_VIEW,
  shownIn,
  type ViewedScene,
  type Styles,
  type ClientView,
} from "../../src/protocol/delta.ts";
import type { Card } from "../../src/protocol/cards.ts";
import type { HostState } from "../../src/protocol/hosts.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { FixtureAgents } from "./fixture-agents.ts";
import { configReply, withWorkspace } from "./fixture-config.ts";
import {
  caseDraft,
  creationState,
  directoryListing,
  explanation,
  pairingLink,
  phoneState,
  sessions,
  uploadedImage,
} from "./fixture-replies.ts";
import { usageHistory, usageReply } from "./fixture-usage.ts";

export interface RecordedRequest {
  method: string;
  path: string;
  body: Record<string, unknown>;
}

/** What a path answers with, from the body and the query. */
type Reply = (body: Record<string, unknown>, query: URLSearchParams) => unknown;

interface Outcome {
  readonly status: number;
  readonly reply: unknown;
}

const SID = "0badcafe";
/** As the real one sends what is long. */
const IS_DEFLATED = true;

interface Feed {
  server: FixtureServer;
  isDelta: boolean;
  hasEvents: boolean;
  view: ClientView;
  shown: (ViewedScene & { cards: readonly Card[] }) | null;
}
type Socket = Bun.ServerWebSocket<Feed>;

/** An address that answers for one server after another. */
export class FixtureOrigin {
  server: FixtureServer | null = null;
  readonly #listener = Bun.serve<Feed>({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request, listener) =>
      this.server?.answer(request, listener) ?? new Response("nobody is here", { status: 404 }),
    websocket: {
      perMessageDeflate: true,
      open: (socket) => socket.data.server.opened(socket),
      message: (socket, text) => socket.data.server.heard(socket, String(text)),
      close: (socket) => socket.data.server.closed(socket),
    },
  });

  get url(): string {
    return `http://127.0.0.1:${this.#listener.port}/`;
  }

  async close(): Promise<void> {
    await this.#listener.stop(true);
  }
}

type Hook = (request: RecordedRequest) => Response | Promise<Response> | undefined;

const ACTIONS = [
  "/api/key",
  "/api/text",
  "/api/select",
  "/api/input",
  "/api/broadcast",
  "/api/star",
];

/**
 * A server for the web client whose state is the test's: real sockets and routes, no terminal behind
 * them. It compares `expected` like the real one, so that a guard that is not sent is seen, takes guarded panes
 * by guarded input alone, and does what comes twice under one key once.
 */
export class FixtureServer {
  panes: PaneState[] = [];
  styles: Styles = new Map();
  /** Every machine; none while there is one alone. */
  hosts: readonly HostState[] | undefined;
  config: ConfigReply = configReply();
  token = "";
  /** Epoch seconds of the Date header; null for the real time. */
  now: number | null = null;
  /** Sockets are refused; REST stays. */
  hasSockets = true;
  /** Sockets stay open and say nothing. */
  isSilent = false;
  /** Nothing is answered: the machine is gone as far as the client can tell. */
  isUnreachable = false;
  /** Answers instead of the server where it returns a response. */
  hook: Hook = () => undefined;
  /** Answers with 200 by path; what is missing here is 404. */
  replies: Record<string, Reply> = {
    "/api/sessions": () => ({ sessions: this.sessions }),
    "/api/sessions/kill": ({ id }) => {
      this.sessions = this.sessions.filter((session) => session.id !== id);
      return { ok: true };
    },
    "/api/usage": () => usageReply(),
    "/api/usage/refresh": () => usageReply(),
    "/api/usage/history": (_, query) => usageHistory(query.get("period") ?? ""),
    "/api/mux/creation": () => creationState(),
    "/api/mux/directories": (_, query) => directoryListing(query.get("path") ?? ""),
    "/api/mux/create": () => ({ pane_id: "%14", target: "api:14.1" }),
    "/api/explain": ({ id }) => ({
      ...explanation(String(id)),
      sessions: this.agents.sessionsIn(String(id)),
    }),
    "/api/cases": () => caseDraft(),
    "/api/cases/save": () => ({ name: "agent_a-5f4f1d1f" }),
    "/api/pair/codes": () => pairingLink(),
    "/api/phone": () => phoneState(),
    "/api/acts": () => ({ acts: this.acts, events: [], before: null }),
    "/api/grants": () => ({ grants: [] }),
    "/api/images": () => uploadedImage(),
    "/api/hosts": () => ({ hosts: this.hosts ?? [] }),
  };
  sessions = sessions(SID);
  /** The record, newest first. */
  acts: RecordReply["acts"] = [];
  /** Paths of the actions that were carried out; a repeat under the same key is none. */
  readonly happened: string[] = [];
  #made: Made | undefined;
  readonly #outcomes = new Map<string, Outcome>();
  /** Of the agent workspace, which is off at first (`switchWorkspace`). */
  readonly agents = new FixtureAgents(
    () => this.panes,
    () => this.now ?? Date.now() / 1000,
  );
  readonly requests: RecordedRequest[] = [];
  #assets: Promise<Assets>;
  readonly #origin: FixtureOrigin;
  readonly #isOwnOrigin: boolean;
  readonly #sockets = new Set<Socket>();
  readonly #timer: ReturnType<typeof setInterval>;

  /** @param folder of the built web client @param origin where it answers; one of its own if absent */
  constructor(folder: string, passMs = 300, origin?: FixtureOrigin) {
    this.#assets = readAssets(folder);
    this.#isOwnOrigin = origin === undefined;
    this.#origin = origin ?? new FixtureOrigin();
    this.#origin.server = this;
    this.#timer = setInterval(() => this.pass(), passMs);
    this.agents.publish = (frame) => {
      for (const socket of this.#sockets)
        if (socket.data.hasEvents) socket.send(JSON.stringify(frame));
    };
  }

  /** Switches the agent workspace as its setting does, and tells of it. */
  switchWorkspace(isOn: boolean): void {
    this.config = withWorkspace(this.config, isOn);
    for (const socket of this.#sockets)
      if (socket.data.isDelta) socket.send(JSON.stringify({ type: "config_changed" }));
  }

  /** Serves another build from now on, as a server does after its update. */
  serve(folder: string): void {
    this.#assets = readAssets(folder);
  }

  get url(): string {
    return this.#origin.url;
  }

  /** What reached the server that could have typed into a terminal. */
  get actions(): readonly RecordedRequest[] {
    return this.requests.filter(({ path }) => ACTIONS.includes(path));
  }

  /** Replaces members of one pane and publishes at once. */
  change(id: string, members: Partial<PaneState>): void {
    this.panes = this.panes.map((pane) =>
      pane.id === id ? judged({ ...pane, ...members }, members) : pane,
    );
    this.pass();
  }

  /** One published pass. */
  pass(): void {
    if (this.isUnreachable || this.isSilent) return;
    for (const socket of this.#sockets) this.#show(socket);
  }

  closeSockets(code = 1001): void {
    for (const socket of this.#sockets) socket.close(code);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#origin.server = null;
    this.closeSockets();
    if (this.#isOwnOrigin) await this.#origin.close();
  }

  opened(socket: Socket): void {
    this.#sockets.add(socket);
    const events = socket.data.hasEvents ? { cursor: this.agents.cursor } : {};
    socket.send(JSON.stringify({ type: "hello", sid: SID, ...events }));
    this.#show(socket);
  }

  heard(socket: Socket, text: string): void {
    const frame: unknown = JSON.parse(text);
    const { type, ids, styles } = frame as { type: string; ids: string[]; styles: boolean };
    if (type !== "view") return;
    socket.data.view = { ids: new Set(ids), styles };
    this.#show(socket);
  }

  closed(socket: Socket): void {
    this.#sockets.delete(socket);
  }

  get #state() {
    return { type: "state", panes: this.#seen, hosts: this.hosts, cards: this.#cards };
  }

  /** As the service makes them. */
  get #cards(): readonly Card[] {
    const hasAgents = this.config.experimental_agent_workspace_enabled;
    const facts: CardFacts = {
      panes: this.#seen,
      groups: hasAgents ? this.agents.review().groups : [],
      now: this.now ?? Date.now() / 1000,
    };
    this.#made = makeCards(facts, this.#made);
    return this.#made.cards;
  }

  /** The panes with the sessions that are certainly in them, while sessions are read. */
  get #seen(): readonly PaneState[] {
    if (!this.config.experimental_agent_workspace_enabled) return this.panes;
    return this.panes.map((pane) => {
      const agent_id = this.agents.inPane(pane.id);
      return agent_id === pane.agent_id ? pane : { ...pane, agent_id };
    });
  }

  #show(socket: Socket): void {
    const feed = socket.data;
    const scene = { panes: this.#seen, styles: this.styles, hosts: this.hosts };
    if (!feed.isDelta) {
      socket.send(JSON.stringify(this.#state), IS_DEFLATED);
      return;
    }
    const sight = { scene, view: feed.view, cards: this.#cards };
    const frame =
      feed.shown === null
        ? { ...this.#state, panes: shownIn({ scene, view: NO_VIEW }).panes }
        : {
            ...diffState(feed.shown, sight),
            cards: diffCards(feed.shown.cards, sight.cards) ?? undefined,
          };
    feed.shown = feed.shown === null ? { ...sight, view: NO_VIEW } : sight;
    socket.send(JSON.stringify(frame), IS_DEFLATED);
  }

  async answer(request: Request, server: Bun.Server<Feed>): Promise<Response | undefined> {
    const url = new URL(request.url);
    if (url.pathname === "/ws") return this.#upgrade(request, url, server);
    if (!url.pathname.startsWith("/api/")) return this.#file(request, url.pathname);
    if (this.isUnreachable) return this.#dated(new Response("bad gateway", { status: 502 }));
    const given = request.headers.get("authorization");
    const isOpen = this.token === "" || url.pathname === "/api/pair";
    if (!isOpen && given !== `Bearer ${this.token}`)
      return json(401, { detail: "bad or missing token" });
    const response = await this.#api(request, url);
    return this.#dated(response);
  }

  #dated(response: Response): Response {
    if (this.now !== null) response.headers.set("Date", new Date(this.now * 1000).toUTCString());
    return response;
  }

  #upgrade(request: Request, url: URL, server: Bun.Server<Feed>): Response | undefined {
    if (!this.hasSockets || this.isUnreachable) return new Response(null, { status: 503 });
    const isDelta = url.searchParams.get("mode") === "delta";
    const hasEvents = url.searchParams.get("events") === "1";
    const data: Feed = { server: this, isDelta, hasEvents, view: NO_VIEW, shown: null };
    return server.upgrade(request, { data }) ? undefined : new Response(null, { status: 400 });
  }

  async #api(request: Request, { pathname: path, searchParams }: URL): Promise<Response> {
    const isJson = request.headers.get("content-type")?.startsWith("application/json") === true;
    const body = isJson ? ((await request.json()) as Record<string, unknown>) : {};
    const recorded = { method: request.method, path, body };
    this.requests.push(recorded);
    const own = this.hook(recorded);
    if (own !== undefined) return own;
    if (path === "/api/config") {
      const { _info, ...live } = this.config;
      if (request.method === "PATCH") this.config = { ...live, ...body, _info } as ConfigReply;
      const wanted = body["experimental_agent_workspace_enabled"];
      if (typeof wanted === "boolean") this.switchWorkspace(wanted);
      return json(200, this.config);
    }
    if (path === "/api/state") return json(200, this.#state);
    if (this.config.experimental_agent_workspace_enabled) {
      const answer = this.agents.answer(recorded, searchParams);
      if (answer !== null) return json(answer.status, answer.body);
    }
    const reply = this.replies[path];
    if (reply !== undefined) return json(200, await reply(body, searchParams));
    if (!ACTIONS.includes(path)) return json(404, { detail: "not found" });
    if (path === "/api/star") this.#star(body);
    return this.#once(body, () => this.#act(path, body));
  }

  /** What a key was answered with, it is answered with again; the action happens once. */
  #once(body: Record<string, unknown>, act: () => Outcome): Response {
    const key = typeof body["idempotency_key"] === "string" ? body["idempotency_key"] : null;
    const { status, reply } = (key === null ? null : this.#outcomes.get(key)) ?? act();
    if (key !== null) this.#outcomes.set(key, { status, reply });
    return json(status, reply);
  }

  #act(path: string, body: Record<string, unknown>): Outcome {
    const refusal = this.#refusal(path, body);
    if (refusal !== null) return { status: 409, reply: { detail: refusal } };
    this.happened.push(path);
    if (path === "/api/input") return { status: 200, reply: { ok: true, delivery: "accepted" } };
    return { status: 200, reply: { ok: true, sent: 1, errors: [] } };
  }

  #star({ target, starred }: Record<string, unknown>): void {
    this.panes = this.panes.map((pane) =>
      pane.target === target ? { ...pane, starred: starred === true } : pane,
    );
  }

  /** The 409 of a prompt that is not the one the client has seen. */
  #refusal(path: string, body: Record<string, unknown>): Record<string, unknown> | null {
    const expected = body["expected"] as Record<string, unknown> | undefined;
    const pane = this.panes.find(({ id }) => id === body["id"]);
    if (pane === undefined) return null;
    const isGuarded = pane.capabilities.input === "guarded_v1";
    if (isGuarded !== (path === "/api/input"))
      return { reason: isGuarded ? "guarded_input_required" : "capability_unavailable" };
    if (expected === undefined) return null;
    const guard: Record<string, unknown> | null = isGuarded ? pane.action_guard : pane.legacy_guard;
    for (const [member, reason] of [
      ["endpoint_revision", "revision_stale"],
      ["prompt_fingerprint", "prompt_changed"],
      ["options_fingerprint", "options_changed"],
    ] as const) {
      if (member in expected && expected[member] !== guard?.[member])
        return { reason, current: isGuarded ? guard : pane };
    }
    return null;
  }

  async #file(request: Request, path: string): Promise<Response> {
    const asset = (await this.#assets).get(path);
    return asset ? assetReply(path, asset, request) : new Response("not found", { status: 404 });
  }
}

function json(status: number, body: unknown): Response {
  return Response.json(body, { status, headers: { "Cache-Control": "no-store" } });
}
