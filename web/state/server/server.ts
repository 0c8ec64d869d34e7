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
import { ConfigStore, WorkspaceSwitch } from "./config.ts";
import { Drafts } from "./drafts.ts";
import { Link } from "./link.ts";
import { Outbox } from "./outbox.ts";
import { Panes } from "./panes.ts";
import { Picks } from "./picks.ts";
import { QueueStore } from "./queue.ts";

/**
 * One server: the connection, what it tells, and what is being sent. It is replaced as a whole at
 * sign-out.
 */
export class Server {
  readonly browser: Browser;
  /** `http://host:port`, as of the page. */
  readonly origin: string;
  readonly token: StoredValue<string>;
  /** Instance id, for a start without the network. */
  readonly lastInstance: StoredValue<string | null>;
  readonly api: Api;
  readonly link = new Link(this);
  readonly config = new ConfigStore(this);
  /** When an unreadable pane was last read: epoch seconds, 0 where that is not known. */
  readonly readAt = ({ host }: Pane): number =>
    this.hosts.value.find(({ name }) => name === host)?.read_at ??
    this.outage.value?.lastSuccessAt ??
    0;
  /**
   * Whether a pane has ended: not listed, although all of its machine is, or of every machine where
   * its own is not known.
   */
  readonly isGone = ({ id, host }: Pick<Pane, "id" | "host">): boolean => {
    const isIts = ({ name, kind }: SeenHost) => (host === null ? kind === "local" : name === host);
    const hosts = this.hosts.value.filter((one) => host === undefined || isIts(one));
    const isListed = hosts.every(({ status }) => status === "live");
    const isRead =
      this.outage.value === null && hasListed(this.panes.all.value, this.config.current.value);
    return isListed && isRead && this.panes.find(id) === null;
  };
  /** Why no pane can be read or answered. */
  readonly outage = computed(() => outageOf(this.panes.all.value, this.config.current.value));
  /** Name of a multiplexer that does not run at all; else null. */
  readonly nothingRuns = computed(() =>
    nothingRuns(this.panes.all.value, this.config.current.value),
  );
  readonly connection = signal(INITIAL);
  readonly phase = computed(() => this.connection.value.phase);
  /** The scope of this browser's grant; everything until the server says otherwise. */
  readonly #scope = computed((): Scope => {
    const { grant, access } = this.config.current.value?._info ?? {};
    return grant?.scope ?? (access === "read" ? "look" : "own");
  });
  /** Live or Updating via REST, with a token that may answer. */
  readonly canAnswer = computed(() => allowsAnswers(this.phase.value) && this.may("answer"));
  readonly sid = signal<string | null>(null);
  /** A code that signs this page in again, after a new token was made on this machine. */
  readonly invitation = signal<string | null>(null);
  readonly panes = new Panes(this);
  /** Every machine, the server's own first; empty where it is the only one. */
  readonly hosts = signal<readonly SeenHost[]>([]);
  readonly queue = new QueueStore(this);
  readonly acts = new Acts(this);
  readonly answers = new Answers(this);
  readonly picks = new Picks(this);
  /** Locks panes for everything that is sent to them. */
  readonly outbox: Outbox;
  readonly drafts = new Drafts(this);
  readonly workspace = new WorkspaceSwitch(this);
  readonly #parts: object[] = [];
  readonly #signOut = new AbortController();
  /** Aborted at sign-out: nothing of this server is read, sent or stored after that. */
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
    this.outbox = new Outbox(this);
  }

  get storage(): BrowserStorage {
    return this.browser.storage;
  }

  /** Monotonic milliseconds. */
  nowMs(): number {
    return performance.now();
  }

  /** The socket of the panes, with the token and the parameters that are not null. */
  openSocket(parameters: Readonly<Record<string, string | number | null>>): WebSocket {
    const all = Object.entries({ ...parameters, token: this.token.get() || null });
    const known = all.flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]));
    return new WebSocket(`${this.origin.replace(/^http/, "ws")}/ws?${new URLSearchParams(known)}`);
  }

  /** Fates of idempotency keys; null where the server has no record, or nothing answered. */
  async recordOf(keys: readonly string[]): Promise<SeenFates | null> {
    if (!this.config.has("act_ledger_v1")) return null;
    const late = await later.load().catch(() => null);
    if (late === null) return null;
    const query = { keys: keys.join(",") };
    const result = await this.api.call("GET /api/acts", { query, read: late.readFates });
    return result.ok ? result.value : null;
  }

  /** Names the run of the server that remembers keys; null where it remembers none. */
  incarnation(): string | null {
    return this.config.current.peek()?._info.capabilities.legacy_once_v1?.incarnation ?? null;
  }

  /**
   * Names the server in keys of drafts; remembered, so that a start without the network shows them.
   */
  instance(): string {
    const told = this.config.current.value?._info.server_instance_id;
    return told ?? this.lastInstance.get() ?? new URL(this.origin).host;
  }

  /** What the grant does not allow is not offered. */
  may(needed: Scope): boolean {
    return allows(this.#scope.value, needed);
  }

  /** `may`, and connected. */
  can(needed: Scope): boolean {
    return this.canAnswer.value && this.may(needed);
  }

  /** An effect that ends at sign-out. */
  follow(run: Parameters<typeof effect>[0]): void {
    this.signedOut.addEventListener("abort", effect(run));
  }

  /** State that only some views need, made at its first use. */
  part<P extends object>(kind: new (server: Server) => P): P {
    const known = this.#parts.find((part): part is P => part instanceof kind);
    if (known !== undefined) return known;
    const made = new kind(this);
    this.#parts.push(made);
    return made;
  }

  /** Every reply brings the list; an equal one draws nothing. */
  takeHosts(hosts: readonly SeenHost[]): void {
    if (!sameValue(this.hosts.peek(), hosts)) this.hosts.value = hosts;
  }

  /** Signs out: removes the credential and everything stored for this server. */
  leave(): void {
    // Listeners still use the credential to remove this device from the server.
    this.#signOut.abort();
    if (this.token.get() !== "") void this.api.call("DELETE /api/grants/self");
    this.browser.device.write(null);
    forgetServer(this.browser.storage);
    this.link.refuse("unauthorized");
  }

  /** Called when the terminal of a pane is opened: after a new snapshot it takes input again. */
  async inspected(id: string): Promise<void> {
    if (!this.outbox.isDoubted(id) && !this.answers.isLate(id)) return;
    if (!(await this.link.refresh())) return;
    this.outbox.inspected(id);
    this.answers.inspected(id);
  }

  /** The session in a pane, where that is certain. */
  agentIn(pane: Pane | null): string | null {
    const { step } = this.workspace.facts.value;
    const isRead = step === "on" || step === "starting" || this.config.current.value === null;
    return isRead ? (pane?.agent_id ?? null) : null;
  }
}
