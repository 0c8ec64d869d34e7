import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { messageOf } from "../../model/message.ts";
import { nextWaiting } from "../../model/queue/order.ts";
import { allows, type Scope } from "../../../src/protocol/scope.ts";
import type { PairReply } from "../../../src/protocol/pairing.ts";
import type { SeenHost } from "../../../src/protocol/tolerant.ts";
import type { Pane } from "../../model/pane.ts";
import { Api, promised } from "../../net/api.ts";
import { allowsAnswers, INITIAL, type Connection, type Phase } from "../../net/connection.ts";
import { Link } from "../../net/link.ts";
import type { Browser } from "../browser/browser.ts";
import { Acts } from "./acts.ts";
import { nothingRuns, outageOf } from "../../model/outage.ts";
import { sameValue } from "../../model/reuse.ts";
import { forgetServer, Kept } from "../../model/stored.ts";
import { ConfigStore } from "./config.ts";
import { Drafts } from "./drafts.ts";
import { Once } from "./once.ts";
import type { Part, PartDeps, PartKind } from "./part.ts";
import { Outbox } from "./outbox.ts";
import { Panes } from "./panes.ts";
import { Picks } from "./picks.ts";
import { QueueStore } from "./queue.ts";
import { Settings } from "./settings.ts";
import { WorkspaceSwitch } from "./workspace-switch.ts";

const DEFAULT_POLL_SECONDS = 0.7;
const NEW_PANE_MS = 3000;
const NEW_PANE_AGAIN_MS = 150;

/** One server: the way to it, what it tells, and what is on its way there. */
export class Server {
  readonly token: Kept<string>;
  /** Instance id of the server that was last looked at, for a start without the network. */
  readonly remembered: Kept<string | null>;
  readonly api: Api;
  readonly link: Link;
  readonly config: ConfigStore;
  /** When a pane that cannot be read now was read last: epoch seconds, 0 where nobody knows. */
  readonly readAt = ({ host }: Pane): number =>
    this.hosts.value.find(({ name }) => name === host)?.read_at ??
    this.outage.value?.lastSuccessAt ??
    0;
  /** What keeps every pane from being read or answered. */
  readonly outage = computed(() => outageOf(this.panes.all.value, this.config.current.value));
  /** The multiplexer that does not run at all, by its name; null while anything of it is seen. */
  readonly nothingRuns = computed(() =>
    nothingRuns(this.panes.all.value, this.config.current.value),
  );
  readonly connection: ReadonlySignal<Connection>;
  readonly phase: ReadonlySignal<Phase>;
  /** What this browser is let in for; without a word of the server everything. */
  readonly #scope = computed((): Scope => {
    const { grant, access } = this.config.current.value?._info ?? {};
    return grant?.scope ?? (access === "read" ? "look" : "own");
  });
  /** Whether answers get through: Live, or Updating via REST, with a token that may act. */
  readonly canAnswer: ReadonlySignal<boolean>;
  readonly sid = signal<string | null>(null);
  /** A code that signs this page in again, once, after a token was made elsewhere on this machine. */
  readonly invitation = signal<string | null>(null);
  readonly panes: Panes;
  /** Every machine, this server's own first; none where it is alone. */
  readonly hosts = signal<readonly SeenHost[]>([]);
  readonly queue: QueueStore;
  readonly acts: Acts;
  readonly picks: Picks;
  /** Who may send to a pane: everything that is sent to one has claimed it. */
  readonly outbox: Outbox;
  readonly drafts: Drafts;
  readonly settings: Settings;
  readonly workspace: WorkspaceSwitch;
  readonly #browser: Browser;
  readonly #partDeps: PartDeps;
  /** Made so far. */
  readonly #parts: Part[] = [];

  /** `origin` as of the page: `http://host:port`. */
  constructor(browser: Browser, origin: string) {
    this.#browser = browser;
    const { clock, shield, storage, touch, window } = browser;
    const nowMs = () => clock.monotonicMs();
    const connection = signal(INITIAL);
    this.connection = connection;
    this.phase = computed(() => connection.value.phase);
    this.canAnswer = computed(() => allowsAnswers(this.phase.value) && this.may("answer"));
    this.remembered = new Kept(storage, "server", (stored) => stored);
    this.token = new Kept(storage, "token", (stored) => stored ?? "");
    this.api = new Api({
      fetch: (input, init) => window.fetch(input, init),
      token: () => this.token.get(),
      sid: () => this.sid.peek(),
      onServerTime: (epochMs) => clock.learn(epochMs),
      onUnauthorized: () => this.link.refuse("unauthorized"),
    });
    this.config = new ConfigStore(this.api);
    this.panes = new Panes({ nowMs, nextFrame: (run) => browser.nextFrame(run) });
    this.drafts = new Drafts({
      storage,
      server: () => this.#instance(origin),
      panes: () => this.panes.all.peek(),
    });
    this.link = new Link({
      api: this.api,
      token: () => this.token.get(),
      open: (url) => new WebSocket(url),
      origin: origin.replace(/^http/, "ws"),
      nowMs,
      pollIntervalSeconds: () => this.config.current.value?.poll_interval ?? DEFAULT_POLL_SECONDS,
      isKnown: () => this.config.current.peek() !== null,
      hasDeltas: () => this.config.has("state_delta_v1"),
      lowData: () => browser.wantsLowData,
      onConnection: (next) => {
        connection.value = next;
      },
      onScene: (scene) => this.panes.take(scene),
      onHosts: (hosts) => this.takeHosts(hosts),
      onConfigNeeded: () => this.config.load(),
      onInvited: (code) => {
        this.invitation.value = code;
      },
      onSid: (sid) => {
        this.sid.value = sid;
      },
    });
    const once = new Once({
      incarnation: () => this.#incarnation(),
      uuid: () => browser.uuid(),
    });
    this.outbox = new Outbox({
      ...{ storage, once, nowMs },
      connected: () => this.canAnswer.peek(),
      fates: async (keys) => {
        if (!this.config.has("act_ledger_v1")) return null;
        const { fatesOf } = await import("./fates.ts");
        return fatesOf(this.api, keys);
      },
      onFate: (doubt, fate) => this.acts.learn(doubt, fate),
    });
    const deps = {
      storage,
      api: this.api,
      panes: this.panes,
      outbox: this.outbox,
      nowMs,
      connected: () => this.canAnswer.value,
      refresh: () => this.link.refresh(),
      untouchedMs: () => touch.untouchedMs(),
      onDone: (paneId: string) => this.queue.answered(paneId),
      once,
      uuid: () => browser.uuid(),
    };
    this.acts = new Acts({
      ...deps,
      hasGuard: () => this.config.has("legacy_guard_v1"),
      onAnswered: () => browser.install.answered(),
      onArrived: (pane, text) => {
        const draft = this.drafts.of(pane).peek();
        this.drafts.sent(pane, messageOf(draft) === text ? draft : { text });
      },
    });
    this.settings = new Settings(this.config);
    this.workspace = new WorkspaceSwitch({
      config: this.config,
      load: async () => {
        const { Workspace } = await import("./agents/workspace.ts");
        return new Workspace({
          ...deps,
          token: () => this.token.get(),
          open: (url) => new WebSocket(url),
          origin: origin.replace(/^http/, "ws"),
          onEnded: () => void this.config.load(),
          isRead: (agentId) => this.#isRead(`agent:${agentId}`),
        });
      },
    });
    this.queue = new QueueStore({
      panes: this.panes,
      nowMs,
      held: ({ key, paneId }) => this.#isRead(key) || (paneId !== null && this.acts.holds(paneId)),
      untouchedMs: () => touch.untouchedMs(),
      onOrdered: () => shield.raise(),
      nowSeconds: () => clock.now.peek(),
      groups: () => {
        const cards = this.workspace.current.value?.board.drawn.value ?? null;
        return cards?.flatMap(({ latest }) => latest ?? []) ?? null;
      },
      waitingAgents: () => this.workspace.current.value?.summary.value.value?.waiting ?? [],
    });
    const { queue } = this;
    this.picks = new Picks({
      waiting: computed(() => queue.order.value.waiting.flatMap(({ paneId }) => paneId ?? [])),
      isHere: () => browser.router.beside.value === "queue",
    });
    this.#partDeps = {
      ...deps,
      queue,
      offers: (what) => this.config.has(what),
      acts: this.acts,
      picks: this.picks,
      drafts: this.drafts,
      token: () => this.token.get(),
      lowData: () => browser.wantsLowData,
      device: browser.device,
      pushCapability: () => this.config.current.value?._info.capabilities.web_push_v1,
      instance: () => this.config.current.value?._info.server_instance_id ?? null,
    };
  }

  /** Whether the grant of this browser allows it; what is not allowed is not offered. */
  may(needed: Scope): boolean {
    return allows(this.#scope.value, needed);
  }

  /** Whether it gets through now, too. */
  can(needed: Scope): boolean {
    return this.canAnswer.value && this.may(needed);
  }

  /** State that views of one kind bring along; the same one whenever it is asked for. */
  part<P extends Part>(kind: PartKind<P>): P {
    const known = this.#parts.find((part): part is P => part instanceof kind);
    if (known !== undefined) return known;
    const made = new kind(this.#partDeps);
    this.#parts.push(made);
    return made;
  }

  /** Connects anew now: at first, after Retry, Reconnect or sign-in, and when the network is back. */
  connect(): void {
    this.link.start();
    this.workspace.current.peek()?.reconnect();
  }

  /** Lets go of the network while nobody looks. */
  sleep(): void {
    this.link.sleep();
    this.workspace.current.peek()?.sleep();
  }

  /** Tries a token; it is kept when the server accepts it. */
  async signIn(token: string): Promise<"ok" | "refused" | "unreachable"> {
    const before = this.token.get();
    this.token.set(token);
    const loaded = await this.config.load();
    if (loaded === "ok" || loaded === "incompatible") {
      this.connect();
      return "ok";
    }
    this.token.set(before);
    return loaded === "unauthorized" ? "refused" : "unreachable";
  }

  /** Signs in with a single-use code; what it was before stays where that fails. */
  async pair(code: string): Promise<"ok" | "refused" | "unreachable"> {
    this.invitation.value = null;
    const naming = await import("../../model/browser-name.ts").catch(() => null);
    if (naming === null) return "unreachable";
    const name = naming.deviceName(this.#browser.window.navigator.userAgent);
    const result = await this.api.call("POST /api/pair", {
      json: { code, name },
      read: promised<PairReply>,
    });
    if (!result.ok) return result.failure.kind === "lost" ? "unreachable" : "refused";
    this.token.set(result.value.token);
    return "ok";
  }

  /** Every reply brings the list: what has not changed draws nothing. */
  takeHosts(hosts: readonly SeenHost[]): void {
    if (!sameValue(this.hosts.peek(), hosts)) this.hosts.value = hosts;
  }

  /** Clears the credential and everything that this browser has of the server. */
  signOut(): void {
    // Before the credential goes: the server is told with it that this device is none any more.
    for (const part of this.#parts) part.clear();
    if (this.token.get() !== "") void this.api.call("DELETE /api/grants/self");
    this.#browser.device.forget();
    this.token.set(null);
    this.drafts.clear();
    this.acts.clear();
    this.picks.clear();
    this.settings.clear();
    this.panes.clear();
    this.hosts.value = [];
    this.workspace.close();
    this.outbox.clear();
    this.queue.clear();
    this.config.clear();
    this.sid.value = null;
    forgetServer(this.#browser.storage);
    void this.#browser.alerts.keepOnly(new Set());
    this.link.refuse("unauthorized");
  }

  /** The terminal of a pane is on the screen: with a new snapshot it takes input again. */
  async inspected(id: string): Promise<void> {
    if (!this.outbox.isDoubted(id) && !this.acts.isLate(id)) return;
    if (!(await this.link.refresh())) return;
    this.outbox.inspected(id);
    this.acts.inspected(id);
  }

  /** The session that is read in a pane, where that is certain. */
  agentIn(pane: Pane | null): string | null {
    const { step } = this.workspace.facts.value;
    const isRead = step === "on" || step === "starting" || this.config.current.value === null;
    return isRead ? (pane?.agent_id ?? null) : null;
  }

  /** The pane to answer after this one; with `step` -1 the one before it. */
  nextWaiting(id: string | null, step: 1 | -1 = 1): Pane | null {
    return nextWaiting(this.panes.all.value, id, step);
  }

  /** Until a pane that was created is listed, or it takes too long. */
  async awaitPane(id: string): Promise<void> {
    const { clock } = this.#browser;
    const until = clock.monotonicMs() + NEW_PANE_MS;
    while (this.panes.latest(id) === null && clock.monotonicMs() < until) {
      await this.link.refresh();
      if (this.panes.latest(id) !== null) return;
      await new Promise((resolve) => setTimeout(resolve, NEW_PANE_AGAIN_MS));
    }
  }

  /** Whether this card stands beside the list: what is being read stays. */
  #isRead(key: string): boolean {
    return this.#browser.layout.columns.peek() > 1 && this.queue.chosen.key.peek() === key;
  }

  /** Of the server's memory of keys, where it has one. */
  #incarnation(): string | null {
    return this.config.current.peek()?._info.capabilities.legacy_once_v1?.incarnation ?? null;
  }

  /** Whose drafts these are. Remembered, since a start without the network has them to show too. */
  #instance(origin: string): string {
    const told = this.config.current.value?._info.server_instance_id;
    return told ?? this.remembered.get() ?? new URL(origin).host;
  }
}
