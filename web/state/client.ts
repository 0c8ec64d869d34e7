import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { nextWaiting } from "../model/queue.ts";
import { waits, type Pane } from "../model/pane.ts";
import { Api } from "../net/api.ts";
import { allowsAnswers, INITIAL, type Connection, type Phase } from "../net/connection.ts";
import { Link } from "../net/link.ts";
import { TokenStore } from "../net/token.ts";
import { connection as words } from "../words/connection.ts";
import { Alerts } from "./alerts.ts";
import { Arming } from "./arming.ts";
import { Answers } from "./answers.ts";
import { Attachments } from "./attachments.ts";
import { Broadcast } from "./broadcast.ts";
import { Clock } from "./clock.ts";
import { Creation } from "./creation.ts";
import { ConfigStore } from "./config.ts";
import { Doubts } from "./doubts.ts";
import { Drafts } from "./drafts.ts";
import { Finished } from "./finished.ts";
import { Input } from "./input.ts";
import { Install } from "./install.ts";
import { Layout } from "./layout.ts";
import { Messages } from "./messages.ts";
import { Near } from "./near.ts";
import { Panes } from "./panes.ts";
import { PreferenceStore } from "./preferences.ts";
import { Pulse, rememberedServer } from "./pulse.ts";
import { QueueStore } from "./queue.ts";
import { Router } from "./router.ts";
import { Shell } from "./shell.ts";
import { Settings } from "./settings.ts";
import { Shield } from "./shield.ts";
import { Stats } from "./stats.ts";
import { TerminalTools } from "./terminal-tools.ts";
import { Touch } from "./touch.ts";
import { Waits } from "./waits.ts";

const DEFAULT_POLL_SECONDS = 0.7;
const NEW_PANE_MS = 3000;
const NEW_PANE_AGAIN_MS = 150;

/** Everything the views stand on, made once. */
export class Client {
  readonly token: TokenStore;
  readonly api: Api;
  readonly clock = new Clock();
  readonly config: ConfigStore;
  readonly connection: ReadonlySignal<Connection>;
  readonly phase: ReadonlySignal<Phase>;
  /** Whether the connection lets answers through: Live, or Updating via REST. */
  readonly canAnswer: ReadonlySignal<boolean>;
  readonly near: Near;
  readonly alerts: Alerts;
  readonly sid = signal<string | null>(null);
  /** Why the link that opened this page did not sign in; empty when there was none or it did. */
  pairingFailure = "";
  readonly panes: Panes;
  readonly waits: Waits;
  readonly queue: QueueStore;
  readonly answers: Answers;
  readonly input: Input;
  readonly broadcast: Broadcast;
  readonly stats: Stats;
  readonly settings: Settings;
  readonly creation: Creation;
  readonly attachments: Attachments;
  readonly drafts: Drafts;
  readonly doubts: Doubts;
  readonly preferences: PreferenceStore;
  readonly router: Router;
  readonly layout: Layout;
  readonly messages = new Messages();
  readonly arming = new Arming();
  readonly finished = new Finished();
  readonly terminal = new TerminalTools();
  readonly shield: Shield;
  readonly touch: Touch;
  readonly shell: Shell;
  readonly install: Install;
  readonly link: Link;
  readonly #window: Window;

  constructor(window: Window & typeof globalThis) {
    this.#window = window;
    const nowMs = () => this.clock.monotonicMs();
    const connection = signal(INITIAL);
    this.connection = connection;
    this.phase = computed(() => connection.value.phase);
    this.canAnswer = computed(() => allowsAnswers(this.phase.value));
    this.near = new Near();
    this.alerts = new Alerts(window, (paneId) => this.router.goPane(paneId));
    this.token = new TokenStore(window.localStorage);
    this.preferences = new PreferenceStore(window.localStorage);
    this.layout = new Layout(window);
    this.shell = new Shell(window);
    this.install = new Install(window);
    this.shield = new Shield(nowMs);
    this.touch = new Touch(nowMs);
    this.router = new Router(window, () => this.shield.raise());
    this.api = new Api({
      fetch: (input, init) => window.fetch(input, init),
      token: () => this.token.get(),
      onServerTime: (epochMs) => this.clock.learn(epochMs),
    });
    this.config = new ConfigStore(this.api);
    this.panes = new Panes({ nowMs, nextFrame: (run) => this.#nextFrame(run) });
    this.waits = new Waits(window.sessionStorage);
    this.drafts = new Drafts(window.localStorage, () => this.#server());
    this.doubts = new Doubts(window.localStorage);
    this.link = new Link({
      api: this.api,
      token: () => this.token.get(),
      open: (url) => new WebSocket(url),
      origin: window.location.origin.replace(/^http/, "ws"),
      nowMs,
      pollIntervalSeconds: () => this.config.current.value?.poll_interval ?? DEFAULT_POLL_SECONDS,
      hasDeltas: () => this.config.has("state_delta_v1"),
      lowData: () => this.#wantsLowData(),
      onConnection: (next) => {
        connection.value = next;
      },
      onScene: (scene) => this.panes.take(scene),
      onConfigNeeded: () => this.config.load(),
      onSid: (sid) => {
        this.sid.value = sid;
      },
    });
    const deps = {
      api: this.api,
      panes: this.panes,
      doubts: this.doubts,
      nowMs,
      connected: () => this.canAnswer.value,
      refresh: () => this.link.refresh(),
      hasGuard: () => this.config.has("legacy_guard_v1"),
      onUnauthorized: () => this.link.refuse("unauthorized"),
      uuid: () => newUuid(window.crypto),
    };
    this.answers = new Answers({
      ...deps,
      untouchedMs: () => this.touch.untouchedMs(),
      isTyping: (id) => this.input.isTyping(id),
      onSent: ({ pane, text }) => {
        if (text !== null) this.drafts.sent(pane, text);
        this.install.answered();
      },
    });
    this.input = new Input({
      ...deps,
      isAnswering: (id) => this.answers.isUnderWay(id),
      onUncertain: (shown, label) => {
        if (waits(shown)) this.answers.doubt(shown, label);
      },
    });
    this.broadcast = new Broadcast(deps);
    this.stats = new Stats(deps);
    this.settings = new Settings(this.config, deps.onUnauthorized);
    this.attachments = new Attachments({
      drafts: this.drafts,
      token: () => this.token.get(),
      lowData: () => this.#wantsLowData(),
      onUnauthorized: deps.onUnauthorized,
    });
    this.creation = new Creation({ ...deps, storage: window.localStorage });
    this.queue = new QueueStore({
      panes: this.panes,
      since: (pane) => this.waits.since(pane),
      nowMs,
      held: (id) => this.answers.holds(id),
    });
  }

  start(): void {
    new Pulse(this, this.#window).start();
    this.link.start();
  }

  /** Connects anew now: after Retry, Reconnect or sign-in. */
  retry(): void {
    this.link.start();
  }

  /** Tries a token; it is kept when the server accepts it. */
  async signIn(token: string): Promise<"ok" | "refused" | "unreachable"> {
    const before = this.token.get();
    this.token.set(token);
    const loaded = await this.config.load();
    if (loaded === "ok" || loaded === "incompatible") {
      this.retry();
      return "ok";
    }
    this.token.set(before);
    return loaded === "unauthorized" ? "refused" : "unreachable";
  }

  /** Signs in with a single-use code; what it was before stays where that fails. */
  async pair(code: string): Promise<void> {
    const result = await this.api.pair(code);
    if (result.ok) return this.token.set(result.value.token);
    const isLost = result.failure.kind === "lost";
    this.pairingFailure = isLost ? words.pairingUnreachable : words.pairingRefused;
    this.messages.alert(this.pairingFailure);
  }

  /** Clears the credential and all drafts of this browser. */
  signOut(): void {
    this.token.clear();
    this.drafts.clear();
    this.doubts.clear();
    this.broadcast.clear();
    this.stats.clear();
    this.creation.clear();
    this.attachments.clear();
    this.panes.clear();
    this.link.refuse("unauthorized");
  }

  /** Shows the terminal of a pane whose last input may not have arrived. */
  inspect(id: string): void {
    this.router.goPane(id);
    this.terminal.isFollowing.value = true;
    void this.inspected(id);
  }

  /** The terminal of a pane is on the screen: with a new snapshot it takes input again. */
  async inspected(id: string): Promise<void> {
    if (!this.answers.needsLook(id) && !this.input.isUncertain(id)) return;
    if (!(await this.link.refresh())) return;
    this.answers.inspected(id);
    this.input.inspected(id);
  }

  /** The pane to answer after this one; with `step` -1 the one before it. */
  nextWaiting(id: string | null, step: 1 | -1 = 1): Pane | null {
    return nextWaiting(this.panes.all.value, (pane) => this.waits.since(pane), id, step);
  }

  /** Until a pane that was created is listed, or it takes too long. */
  async awaitPane(id: string): Promise<void> {
    const until = this.clock.monotonicMs() + NEW_PANE_MS;
    while (this.panes.latest(id) === null && this.clock.monotonicMs() < until) {
      await this.link.refresh();
      if (this.panes.latest(id) !== null) return;
      await new Promise((resolve) => this.#window.setTimeout(resolve, NEW_PANE_AGAIN_MS));
    }
  }

  #nextFrame(run: () => void): void {
    // A hidden page gets no frames, but still counts and alerts.
    if (this.#window.document.hidden) setTimeout(run, 0);
    else this.#window.requestAnimationFrame(run);
  }

  /** Whose drafts these are. Remembered, since a start without the network has them to show too. */
  #server(): string {
    const told = this.config.current.value?._info.server_instance_id;
    if (told !== undefined) return told;
    const { localStorage, location } = this.#window;
    return rememberedServer(localStorage) ?? location.host;
  }

  #wantsLowData(): boolean {
    const connection: unknown = Reflect.get(this.#window.navigator, "connection");
    const saves =
      typeof connection === "object" &&
      connection !== null &&
      Reflect.get(connection, "saveData") === true;
    return this.preferences.current.value.lowData || saves;
  }
}

/** `randomUUID` exists on secure origins only; plain HTTP on a private network is not one. */
function newUuid(crypto: Crypto): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

const Context = createContext<Client | null>(null);
export const ClientProvider = Context.Provider;

export function useClient(): Client {
  const client = useContext(Context);
  if (client === null) throw new Error("no client above this view");
  return client;
}
