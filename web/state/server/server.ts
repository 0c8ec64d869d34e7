import { computed, effect, signal } from "@preact/signals";
import { allows, type Scope } from "../../../src/protocol/scope.ts";
import type { SeenFates } from "../../../src/protocol/tolerant-later.ts";
import type { SeenHost } from "../../../src/protocol/tolerant.ts";
import { hasListed, nothingRuns, outageOf } from "../../model/config.ts";
import type { Pane } from "../../model/pane.ts";
import { sameValue } from "../../model/reuse.ts";
import { forgetServer, StoredValue } from "../../model/stored.ts";
import { Api } from "../../net/api.ts";
import { allowsAnswers, INITIAL } from "../../net/connection.ts";
import type { Browser } from "../browser/browser.ts";
import type { BrowserStorage } from "../browser/storage.ts";
import { later } from "../later.ts";
import { Acts } from "./acts.ts";
import { Answers } from "./answers.ts";
import { ConfigStore } from "./config.ts";
import { Drafts } from "./drafts.ts";
import { Link } from "./link.ts";
import { Outbox } from "./outbox.ts";
import { Panes } from "./panes.ts";
import { Picks } from "./picks.ts";
import { QueueStore } from "./queue.ts";
import { WorkspaceSwitch } from "./workspace-switch.ts";

/**
 * One server: the way to it, what it tells, and what is on its way there. It is let go as a whole, with all
 * that it knows, when somebody signs out.
 */
export class Server {
  readonly browser: Browser;
  /** As of the page: `http://host:port`. */
  readonly origin: string;
  readonly token: StoredValue<string>;
  /** Instance id of the server that was last looked at, for a start without the network. */
  readonly lastInstance: StoredValue<string | null>;
  readonly api: Api;
  readonly link = new Link(this);
  readonly config: ConfigStore;
  /** When a pane that cannot be read now was read last: epoch seconds, 0 where nobody knows. */
  readonly readAt = ({ host }: Pane): number =>
    this.hosts.value.find(({ name }) => name === host)?.read_at ??
    this.outage.value?.lastSuccessAt ??
    0;
  /** Whether a pane is listed no more, by one who lists all of its machine. */
  readonly isGone = ({ id, host }: Pane): boolean => {
    const isIts = ({ name, kind }: SeenHost) => (host === null ? kind === "local" : name === host);
    const isListed = (this.hosts.value.find(isIts)?.status ?? "live") === "live";
    const isRead =
      this.outage.value === null && hasListed(this.panes.all.value, this.config.current.value);
    return isListed && isRead && this.panes.find(id) === null;
  };
  /** What keeps every pane from being read or answered. */
  readonly outage = computed(() => outageOf(this.panes.all.value, this.config.current.value));
  /** The multiplexer that does not run at all, by its name; null while anything of it is seen. */
  readonly nothingRuns = computed(() =>
    nothingRuns(this.panes.all.value, this.config.current.value),
  );
  readonly connection = signal(INITIAL);
  readonly phase = computed(() => this.connection.value.phase);
  /** What this browser is let in for; without a word of the server everything. */
  readonly #scope = computed((): Scope => {
    const { grant, access } = this.config.current.value?._info ?? {};
    return grant?.scope ?? (access === "read" ? "look" : "own");
  });
  /** Whether answers get through: Live, or Updating via REST, with a token that may act. */
  readonly canAnswer = computed(() => allowsAnswers(this.phase.value) && this.may("answer"));
  readonly sid = signal<string | null>(null);
  /** A code that signs this page in again, once, after a token was made elsewhere on this machine. */
  readonly invitation = signal<string | null>(null);
  readonly panes = new Panes(this);
  /** Every machine, this server's own first; none where it is alone. */
  readonly hosts = signal<readonly SeenHost[]>([]);
  readonly queue = new QueueStore(this);
  readonly acts = new Acts(this);
  readonly answers = new Answers(this);
  readonly picks = new Picks(this);
  /** Who may send to a pane: everything that is sent to one has claimed it. */
  readonly outbox: Outbox;
  readonly drafts = new Drafts(this);
  readonly workspace: WorkspaceSwitch;
  /** Made so far. */
  readonly #parts: object[] = [];
  readonly #signOut = new AbortController();
  /** Somebody has signed out: nothing of this server is read, sent or kept any more. */
  readonly signedOut = this.#signOut.signal;

  constructor(browser: Browser, origin: string) {
    this.browser = browser;
    this.origin = origin;
    const { clock, storage, window } = browser;
    this.lastInstance = new StoredValue(storage, "server", (stored) => stored);
    this.token = new StoredValue(storage, "token", (stored) => stored ?? "");
    this.api = new Api({
      fetch: (input, init) => window.fetch(input, init),
      token: () => this.token.get(),
      sid: () => this.sid.peek(),
      signedOut: this.signedOut,
      onServerTime: (epochMs) => clock.learn(epochMs),
      onUnauthorized: () => this.link.refuse("unauthorized"),
      onForbidden: () => void this.config.load(),
    });
    this.config = new ConfigStore(this.api);
    this.outbox = new Outbox(this);
    this.workspace = new WorkspaceSwitch(this.config);
  }

  get storage(): BrowserStorage {
    return this.browser.storage;
  }

  /** Monotonic milliseconds. */
  nowMs(): number {
    return this.browser.clock.monotonicMs();
  }

  openSocket(url: string): WebSocket {
    return new WebSocket(url);
  }

  /** Of one of its sockets, with the token and what else is known. */
  socketUrl(path: string, parameters: Readonly<Record<string, string | number | null>>): string {
    const all = Object.entries({ ...parameters, token: this.token.get() || null });
    const known = all.flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]));
    const query = new URLSearchParams(known);
    return `${this.origin.replace(/^http/, "ws")}${path}${query.size === 0 ? "" : `?${query}`}`;
  }

  /** What became of keys, by the record of the server; null where it has none, or did not answer. */
  async recordOf(keys: readonly string[]): Promise<SeenFates | null> {
    if (!this.config.has("act_ledger_v1")) return null;
    const { readFates: read } = await later.load();
    const query = { keys: keys.join(",") };
    const result = await this.api.call("GET /api/acts", { query, read });
    return result.ok ? result.value : null;
  }

  /** Of the server's memory of keys, where it has one. */
  incarnation(): string | null {
    return this.config.current.peek()?._info.capabilities.legacy_once_v1?.incarnation ?? null;
  }

  /** Whose drafts these are. Remembered, since a start without the network has them to show too. */
  instance(): string {
    const told = this.config.current.value?._info.server_instance_id;
    return told ?? this.lastInstance.get() ?? new URL(this.origin).host;
  }

  /** Whether the grant of this browser allows it; what is not allowed is not offered. */
  may(needed: Scope): boolean {
    return allows(this.#scope.value, needed);
  }

  /** Whether it gets through now, too. */
  can(needed: Scope): boolean {
    return this.canAnswer.value && this.may(needed);
  }

  /** Runs now and with every change of what it reads, until somebody signs out. */
  follow(run: () => void): void {
    this.signedOut.addEventListener("abort", effect(run));
  }

  /** State that views of one kind bring along; made when it is first asked for. */
  part<P extends object>(kind: new (server: Server) => P): P {
    const known = this.#parts.find((part): part is P => part instanceof kind);
    if (known !== undefined) return known;
    const made = new kind(this);
    this.#parts.push(made);
    return made;
  }

  /** Every reply brings the list: what has not changed draws nothing. */
  takeHosts(hosts: readonly SeenHost[]): void {
    if (!sameValue(this.hosts.peek(), hosts)) this.hosts.value = hosts;
  }

  /** Clears the credential and everything that this browser has of the server. */
  leave(): void {
    // Whoever follows it tells the server with the credential that this device is none any more.
    this.#signOut.abort();
    if (this.token.get() !== "") void this.api.call("DELETE /api/grants/self");
    this.browser.device.set(null);
    this.token.set(null);
    forgetServer(this.browser.storage);
    this.link.refuse("unauthorized");
  }

  /** The terminal of a pane is on the screen: with a new snapshot it takes input again. */
  async inspected(id: string): Promise<void> {
    if (!this.outbox.isDoubted(id) && !this.answers.isLate(id)) return;
    if (!(await this.link.refresh())) return;
    this.outbox.inspected(id);
    this.answers.inspected(id);
  }

  /** The session that is read in a pane, where that is certain. */
  agentIn(pane: Pane | null): string | null {
    const { step } = this.workspace.facts.value;
    const isRead = step === "on" || step === "starting" || this.config.current.value === null;
    return isRead ? (pane?.agent_id ?? null) : null;
  }
}
