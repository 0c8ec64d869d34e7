import type { Context } from "hono";
import { FORM_FIELDS } from "../../src/config/fields.ts";
import { type Assets, readAssets } from "../../src/http/static.ts";
import type { ActStore } from "../../src/ledger/store/act-store.ts";
import { actStoreInMemory } from "../../src/ledger/store/open-store.ts";
import type { StoredAccess } from "../../src/config/stored-access.ts";
import type { Act } from "../../src/protocol/act.ts";
import type { AccessEvent } from "../../src/protocol/acts.ts";
import type { AgentEvent } from "../../src/protocol/agent-replies.ts";
import type { ConfigReply } from "../../src/protocol/config.ts";
import type { Styles } from "../../src/protocol/delta.ts";
import type { HostState } from "../../src/protocol/hosts.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { sameList } from "../../src/terminal/hub.ts";
import type { InputStep, SendOutcome } from "../../src/terminal/provider.ts";
import type { PaneReading } from "../../src/terminal/reading.ts";
import { ANYBODY, type RequestFacts, type StartSocket, type RawSocket } from "../../src/slice.ts";
import { behind } from "./before-handlers.ts";
import { FixtureAgents } from "./fixture-agents.ts";
import { FixtureOrigin } from "./fixture-origin.ts";
import { RunningClock } from "./clock.ts";
import { configReply, withWorkspace } from "./fixture-config.ts";
import { assess } from "./fixture-panes.ts";
import { readingOf, withGuard } from "./fixture-reading.ts";
import { OTHER_BROWSERS, type Reply, usualReplies } from "./fixture-replies.ts";
import { service } from "./service.ts";

export interface RecordedRequest {
  method: string;
  path: string;
  body: Record<string, unknown>;
}

type AssetOf = Assets extends ReadonlyMap<string, infer Asset> ? Asset : never;
type Hook = (request: RecordedRequest) => Response | Promise<Response> | undefined;

const ACTIONS = [
  "/api/key",
  "/api/text",
  "/api/select",
  "/api/input",
  "/api/broadcast",
  "/api/star",
];

/** Of a client whose buffer drains by a byte with every look. */
function slowSocket(): RawSocket {
  let bytes = 1e9;
  return { send: () => 0, getBufferedAmount: () => --bytes, ping: () => 0, close: () => {} };
}

/**
 * The server's own routes, sockets, guards and settings over panes that are the test's: no terminal
 * is behind them, and what is sent arrives in `sent`. In front of it stand the faults of a test, and
 * `replies`, for what no part that runs here could say.
 */
export class FixtureServer {
  panes: PaneState[] = [];
  styles: Styles = new Map();
  /** A part of every fingerprint: in another edition the same words are another prompt. */
  edition = 0;
  /** Every machine; none while there is one alone. */
  hosts: readonly HostState[] | undefined;
  /** Epoch seconds, also of the Date header; null for the real time. */
  now: number | null = null;
  /** Sockets are refused; REST stays. */
  hasSockets = true;
  /** Sockets stay open and say nothing. */
  isSilent = false;
  /** Nothing is answered: the machine is gone as far as the client can tell. */
  isUnreachable = false;
  /** Answers instead of the server where it returns a response. */
  hook: Hook = () => undefined;
  /** Answers by path, instead of the server's handler and behind the same checks. */
  replies: Record<string, Reply> = {
    ...usualReplies(),
    "/api/hosts": () => ({ hosts: this.hosts ?? [] }),
  };
  /** What was done before the page came, newest first. */
  readonly record: (Act | AccessEvent)[] = [];
  /** What arrived in panes, in its order. */
  readonly sent: { id: string; input: string }[] = [];
  /** Of the agent workspace, which is off at first (`switchWorkspace`). */
  readonly agents = new FixtureAgents(
    () => this.#seen,
    () => this.#clock.now(),
  );
  readonly requests: RecordedRequest[] = [];
  readonly #clock = new RunningClock(() => this.now);
  readonly #assets = new Map<string, AssetOf>();
  #isBuilt: Promise<void>;
  readonly #origin: FixtureOrigin;
  readonly #isOwnOrigin: boolean;
  readonly #rawSockets = new Set<RawSocket>();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #guarded = new WeakMap<PaneState, PaneState>();
  #lastSeen: readonly PaneState[] = [];
  #info = configReply()._info;
  #token = "";
  /** Put into every request, as a proxy that signs in does; null: the page signs in itself. */
  #secret: string | null = null;
  readonly #parts = service({
    clock: this.#clock,
    assets: this.#assets,
    yaml: SETTINGS,
    localSecret: "of-the-commands-here",
    info: () => this.#infoNow,
    groups: () => (this.#hasAgents ? this.agents.groups() : []),
    terminal: {
      read: async (id) => this.#read(id),
      star: async (target, starred) => this.#star(target, starred),
      markSeen: (id) => this.change(id, { finished_at: null }),
      sessionsIn: (id) => (this.#hasAgents ? this.agents.sessionsIn(id) : []),
    },
    input: {
      pause: Bun.sleep,
      machines: {
        of: () => ({
          provider: { send: async (id, steps) => this.#send(id, steps) },
          poller: { read: async (id) => this.#read(id), noteAction: () => {} },
        }),
      },
    },
    ledger: { open: () => this.#openRecord(), keepDays: 0 },
    changed: () => this.pass(),
    slices: [this.agents.slice(() => this.#hasAgents)],
    before: (slices) => behind(slices, (c) => this.#reply(c)),
  });

  /** @param folder of the built web client @param origin where it answers; one of its own if absent */
  constructor(folder: string, passMs = 300, origin?: FixtureOrigin) {
    this.#isBuilt = this.#build(folder);
    this.#isOwnOrigin = origin === undefined;
    this.#origin = origin ?? new FixtureOrigin();
    this.#origin.server = this;
    this.#timer = setInterval(() => this.pass(), passMs);
    for (const { age, ...browser } of OTHER_BROWSERS) {
      this.#clock.advance(-age);
      const client = { ...browser, grant: ANYBODY, query: new URLSearchParams() };
      this.#parts.paneSockets.accept(client)(slowSocket());
      this.#clock.advance(age);
    }
    void this.#parts.scheduledSends.open();
    this.agents.publish = (event: AgentEvent) => this.#parts.feed.publish(event);
  }

  get config(): ConfigReply {
    return { ...this.#parts.settings.live(), fields: FORM_FIELDS, _info: this.#info };
  }

  /** Changes the settings and tells no page. */
  set config({ _info, ...live }: ConfigReply) {
    this.#info = _info;
    void this.#parts.settings.patch(live);
  }

  get token(): string {
    return this.#token;
  }

  /** What everybody has to sign in with from now on; "" for nothing. */
  set token(token: string) {
    this.letIn(token, []);
  }

  /** These devices beside the token; the page is `self`, with no need to sign in. */
  letIn(token: string, grants: StoredAccess["grants"], self: string | null = null): void {
    this.#token = token;
    this.#secret = self;
    void this.#parts.changeAccess({ token, grants });
  }

  /** Switches the agent workspace as its setting does, and tells of it. */
  switchWorkspace(isOn: boolean): void {
    const { settings, paneSockets } = this.#parts;
    void settings
      .patch({ experimental_agent_workspace_enabled: isOn })
      .then(() => paneSockets.configChanged());
  }

  /** Serves another build from now on, as a server does after its update. */
  serve(folder: string): void {
    // One after the other: of two folders read at once the first could end last.
    this.#isBuilt = this.#isBuilt.then(() => this.#build(folder));
  }

  get url(): string {
    return this.#origin.url;
  }

  /** What reached the server that could have typed into a terminal. */
  get actions(): readonly RecordedRequest[] {
    return this.requests.filter(({ path }) => ACTIONS.includes(path));
  }

  /** What was asked of paths with this end, with `method` alone if it is given. */
  asked(end: string, method?: string): readonly RecordedRequest[] {
    return this.requests.filter(
      (one) => one.path.endsWith(end) && (method === undefined || one.method === method),
    );
  }

  /** What is asked of paths with this end, or of one with its method before it, is refused from now on. */
  refuse(end: string, detail: unknown, status = 409): void {
    this.#answerLike(end, () => Response.json({ detail }, { status }));
  }

  /** A gateway fails for paths with this end: nobody knows whether a request has arrived. */
  lose(end: string): void {
    this.#answerLike(end, () => new Response("bad gateway", { status: 502 }));
  }

  /** Nothing stands in front of the server any more. */
  takes(): void {
    this.hook = () => undefined;
  }

  /** What is asked of paths with this end gets no reply from now on until the test gives it. */
  hold(end: string): { reply: (body: unknown, status?: number) => void } {
    const held = Promise.withResolvers<Response>();
    this.#answerLike(end, async () => (await held.promise).clone());
    return { reply: (body, status = 200) => held.resolve(Response.json(body, { status })) };
  }

  #answerLike(end: string, reply: () => Response | Promise<Response>): void {
    this.hook = ({ method, path }) => (`${method} ${path}`.endsWith(end) ? reply() : undefined);
  }

  /** A pane as everybody is shown it. */
  find(id: string): PaneState {
    const pane = this.#seen.find((one) => one.id === id);
    if (pane === undefined) throw new Error(`no pane ${id}`);
    return pane;
  }

  /** Replaces members of one pane and publishes at once. */
  change(id: string, members: Partial<PaneState>): void {
    this.changeUnseen(id, members);
    this.pass();
  }

  /** Replaces members of one pane, of which the page hears with the next pass. */
  changeUnseen(id: string, members: Partial<PaneState>): void {
    this.panes = this.panes.map((pane) =>
      pane.id === id ? assess({ ...pane, ...members }, members) : pane,
    );
  }

  /** One published pass. */
  pass(): void {
    if (this.isUnreachable || this.isSilent) return;
    this.#hold();
    this.#parts.hub.tell();
  }

  /** How many sockets of pages are open. */
  get sockets(): number {
    return this.#rawSockets.size;
  }

  closeSockets(code = 1001): void {
    for (const rawSocket of [...this.#rawSockets]) rawSocket.close(code, "");
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#origin.server = null;
    this.closeSockets();
    this.#parts.ledger.close();
    if (this.#isOwnOrigin) await this.#origin.close();
  }

  async fetch(request: Request, facts: RequestFacts): Promise<Response> {
    const { pathname: path } = new URL(request.url);
    await this.#isBuilt;
    if (!path.startsWith("/api/")) return this.#parts.outside.fetch(request, facts);
    const response = this.isUnreachable
      ? new Response("bad gateway", { status: 502 })
      : await this.#api(request, path, facts);
    if (this.now !== null) response.headers.set("Date", new Date(this.now * 1000).toUTCString());
    return response;
  }

  socketFor(request: Request, facts: RequestFacts): StartSocket | Response | null {
    const url = new URL(request.url);
    if (url.pathname !== "/ws") return null;
    if (!this.hasSockets || this.isUnreachable) return new Response(null, { status: 503 });
    this.#hold();
    if (this.#secret !== null) url.searchParams.set("token", this.#secret);
    const start = this.#parts.outside.socketFor(new Request(url, request), facts);
    return typeof start === "function" ? (rawSocket) => this.#opened(rawSocket, start) : start;
  }

  #opened(rawSocket: RawSocket, start: StartSocket): ReturnType<StartSocket> {
    const session = start(rawSocket);
    if (session === null) return null;
    this.#rawSockets.add(rawSocket);
    return {
      receive: (message) => this.isSilent || session.receive(message),
      answered: () => session.answered(),
      drained: () => session.drained(),
      closed: () => {
        this.#rawSockets.delete(rawSocket);
        session.closed();
      },
    };
  }

  async #api(request: Request, path: string, facts: RequestFacts): Promise<Response> {
    const isJson = request.headers.get("content-type")?.startsWith("application/json") === true;
    const body = isJson ? ((await request.clone().json()) as Record<string, unknown>) : {};
    const recorded = { method: request.method, path, body };
    this.requests.push(recorded);
    const own = this.hook(recorded);
    if (own !== undefined) return own;
    this.#hold();
    if (this.#secret !== null) request.headers.set("authorization", `Bearer ${this.#secret}`);
    return this.#parts.outside.fetch(request, facts);
  }

  async #reply(c: Context): Promise<Response | null> {
    const query = new URL(c.req.url).searchParams;
    const isJson = c.req.header("content-type")?.startsWith("application/json") === true;
    const body = isJson ? ((await c.req.json()) as Record<string, unknown>) : {};
    const reply = this.replies[c.req.path];
    return reply === undefined ? null : c.json((await reply(body, query)) as object);
  }

  get #hasAgents(): boolean {
    return this.#parts.settings.live().experimental_agent_workspace_enabled;
  }

  get #infoNow(): ConfigReply["_info"] {
    return this.#hasAgents ? withWorkspace(this.#info) : this.#info;
  }

  /**
   * The panes with their guards, the sessions that are certainly in them, and what they go on with;
   * the same list until one of them changes.
   */
  get #seen(): readonly PaneState[] {
    const panes = this.panes.map((pane) => {
      const agent_id = this.#hasAgents ? this.agents.inPane(pane.id) : pane.agent_id;
      const continue_then = this.#parts.scheduledSends.of(pane.id) ?? pane.continue_then;
      const known = this.#guarded.get(pane);
      if (known?.agent_id === agent_id && known.continue_then === continue_then) return known;
      const seen = withGuard({ ...pane, agent_id, continue_then }, this.edition);
      this.#guarded.set(pane, seen);
      return seen;
    });
    return (this.#lastSeen = sameList(this.#lastSeen, panes));
  }

  /** Hands the hub what the next pass publishes, and what requests are answered with until then. */
  #hold(): void {
    this.#parts.hub.hold({ panes: this.#seen, styles: this.styles, hosts: this.hosts });
  }

  #read(id: string): PaneReading | null {
    const listed = this.#parts.hub.resolve(id);
    if (!listed) return null;
    const typed = this.sent.findLast((sent) => sent.id === listed.id)?.input ?? "";
    return readingOf(this.find(listed.id), listed, { edition: this.edition, typed });
  }

  #send(id: string, steps: readonly InputStep[]): SendOutcome {
    const input = steps.map((step) => (step.do === "key" ? `<${step.key}>` : step.text)).join("");
    this.sent.push({ id, input });
    return "sent";
  }

  #star(target: string, starred: boolean): void {
    this.panes = this.panes.map((pane) => (pane.target === target ? { ...pane, starred } : pane));
  }

  async #openRecord(): Promise<ActStore> {
    const store = await actStoreInMemory();
    for (const row of this.record.toReversed())
      if ("state" in row) store.add({ ...row, identity: null });
      else store.note(row);
    return store;
  }

  async #build(folder: string): Promise<void> {
    const assets = await readAssets(folder);
    this.#assets.clear();
    for (const [path, asset] of assets) this.#assets.set(path, asset);
  }
}

const SETTINGS = {
  "discovery.include_shells": true,
  "detectors.generic_prompt_patterns": ["\\(y/n\\)", "Continue\\?"],
  "detectors.error_patterns": ["^\\s*Error:", "panic:"],
};
