import type { ProviderHealth } from "../protocol/config.ts";
import type { HostState } from "../protocol/hosts.ts";
import type { PaneState } from "../protocol/pane.ts";
import { onHost } from "../terminal/join.ts";
import type {
  InputStep,
  ListedPane,
  PaneProcess,
  SendGuard,
  SendOutcome,
} from "../terminal/provider.ts";
import type { Reading } from "../terminal/reading.ts";
import type { Watched } from "./host.ts";
import { type Hosts, NO_LINK } from "./hosts.ts";

export interface FleetDeps {
  local: Watched;
  hosts: Hosts;
  /** Of this machine, for people. */
  name: string;
  isLocalWatched: boolean;
}

/** All machines as one: what is asked of a pane is asked of its machine. */
export class Fleet {
  readonly #local: Watched;
  readonly #hosts: Hosts;
  /** Of this machine, for people. */
  readonly #name: string;
  readonly #isLocalWatched: boolean;

  constructor(deps: FleetDeps) {
    this.#local = deps.local;
    this.#hosts = deps.hosts;
    this.#name = deps.name;
    this.#isLocalWatched = deps.isLocalWatched;
  }

  /** Of this machine; where it is not watched, of all the others. */
  health(): ProviderHealth {
    const own = this.#local.poller.health();
    if (this.#isLocalWatched) return own;
    const away = this.#hosts.states([]).filter(({ status }) => status === "away");
    if (away.length === 0) return own;
    const message = `away: ${away.map(({ name }) => name).join(", ")}`;
    return { ...own, status: "degraded", last_error: "host_away", message };
  }

  /** Every machine, this one first; none while it is alone. */
  states(panes: readonly PaneState[]): HostState[] {
    const far = this.#hosts.states(panes);
    return far.length === 0 ? [] : [this.#localState(panes), ...far];
  }

  async read(id: string): Promise<Reading | null> {
    const host = this.#hosts.of(id);
    if (!host) return this.#local.poller.read(id);
    const reading = await host.watched.poller.read(id);
    return reading && { ...reading, state: onHost(reading.state, host.config.name) };
  }

  recall(id: string): Reading | null {
    return this.#of(id).poller.recall(id);
  }

  acted(id: string): void {
    this.#of(id).poller.acted(id);
  }

  seen(id: string): void {
    this.#of(id).poller.seen(id);
  }

  wake(): void {
    this.#local.poller.wake();
    this.#hosts.wake();
  }

  send(id: string, steps: readonly InputStep[], guard: SendGuard | null): Promise<SendOutcome> {
    return this.#of(id).provider.send(id, steps, guard);
  }

  processes(pane: ListedPane, age: "recent" | "now"): Promise<readonly PaneProcess[]> {
    return this.#of(pane.id).provider.processes(pane, age);
  }

  #localState(panes: readonly PaneState[]): HostState {
    const { poller, provider } = this.#local;
    const { status, last_success_at } = poller.health();
    return {
      ...NO_LINK,
      name: this.#name,
      kind: "local",
      ssh: null,
      watch: this.#isLocalWatched,
      status: this.#isLocalWatched ? (status === "ready" ? "live" : "away") : "off",
      panes: panes.filter(({ host = null }) => host === null).length,
      version: provider.info.version,
      read_at: last_success_at,
    };
  }

  #of(id: string): Watched {
    return this.#hosts.of(id)?.watched ?? this.#local;
  }
}
