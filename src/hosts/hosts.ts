import { persistError } from "../errors.ts";
import { Mutex } from "../lib/lock.ts";
import type { HostConfig, HostState } from "../protocol/hosts.ts";
import type { PaneState } from "../protocol/pane.ts";
import { hostNumberOf } from "../terminal/host-ids.ts";
import type { Hub } from "../terminal/hub.ts";
import { Host, type HostDeps } from "./host.ts";
import { twinOf } from "./twins.ts";
import type { HostNumbers } from "./numbers.ts";

export interface HostsDeps extends Omit<HostDeps, "before" | "twinOf" | "standInOf"> {
  /** This machine, whose own tmux nobody else watches. */
  local: { name: string; server(): string };
  configured: () => readonly HostConfig[];
  numbers: Pick<HostNumbers, "of">;
  hub: Pick<Hub, "leave">;
}

/** The machines that are watched over ssh: as many as the settings name, each on its own. */
export class Hosts {
  readonly #deps: HostsDeps;
  readonly #lock = new Mutex();
  #hosts: readonly Host[] = [];
  #ready: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(deps: HostsDeps) {
    this.#deps = deps;
  }

  /** Begins to watch; nothing is published before those who listen are `ready`. */
  start(ready: Promise<void>): void {
    this.#ready = ready;
    void this.settingsChanged();
  }

  /** Brings what is watched to what is configured; never rejects. */
  settingsChanged(): Promise<void> {
    return this.#lock.run(async () => {
      if (this.#isStopped) return;
      const wanted = this.#deps.configured().filter(({ watch }) => watch);
      const kept = this.#hosts.filter(({ config }) => wanted.some((each) => isSame(each, config)));
      const left = this.#hosts.filter((host) => !kept.includes(host));
      this.#hosts = kept;
      await Promise.all(left.map((host) => this.#leave(host)));
      for (const config of wanted)
        if (!kept.some(({ config: { name } }) => name === config.name)) await this.#watch(config);
      // In the order of the configuration: it says which of two names of one tmux is watched.
      this.#hosts = wanted.flatMap(({ name }) => this.named(name) ?? []);
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#lock.run(() =>
      Promise.all(this.#hosts.map(({ watched }) => watched.poller.stop())),
    );
  }

  /** Whose pane an id is; null for this machine's. */
  of(id: string): Host | null {
    const number = hostNumberOf(id);
    return number === 0 ? null : (this.#hosts.find((host) => host.number === number) ?? null);
  }

  named(name: string): Host | null {
    return this.#hosts.find(({ config }) => config.name === name) ?? null;
  }

  /** @throws AppError persist_failed, storage where it could not be watched for want of a number */
  async admit(name: string): Promise<void> {
    await this.#deps.numbers.of(name).catch((cause: unknown) => {
      throw persistError(`${name} cannot be watched: the numbers of hosts cannot be kept`, cause);
    });
  }

  wake(): void {
    for (const { watched } of this.#hosts) watched.poller.wake();
  }

  /** In the order of the configuration, those that are not watched too. */
  states(panes: readonly PaneState[]): HostState[] {
    return this.#deps.configured().map((config) => {
      const { name, ssh, watch } = config;
      const host = this.named(name);
      if (host)
        return host.state(panes.filter((pane) => pane.host === name && !isAbsent(pane)).length);
      const detail = watch ? "it cannot be watched; the log of the service says why" : null;
      return { ...NO_LINK, name, kind: "ssh", ssh, watch, status: "off", detail };
    });
  }

  #before(host: Host): readonly Host[] {
    const names = this.#deps.configured().map(({ name }) => name);
    const place = names.indexOf(host.config.name);
    return this.#hosts.filter(({ config }) => names.indexOf(config.name) < place);
  }

  async #watch(config: HostConfig): Promise<void> {
    try {
      const number = await this.#deps.numbers.of(config.name);
      const host = new Host(config, number, {
        ...this.#deps,
        before: (each) => this.#before(each),
        twinOf: (each) => twinOf(each, this.#deps.local, this.#before(each)),
        standInOf: (each) => this.#hosts.find((other) => isStandIn(other, each)) ?? null,
      });
      this.#hosts = [...this.#hosts, host];
      host.watched.poller.start(this.#ready);
    } catch (error) {
      this.#deps.log.error(`host ${config.name} cannot be watched`, error);
    }
  }

  async #leave({ config, watched }: Host): Promise<void> {
    await watched.poller.stop();
    for (const other of this.#hosts) if (other.twin === config.name) other.twin = null;
    this.#deps.hub.leave(config.name, this.#deps.clock.now());
    this.#deps.log.info(`host ${config.name} is not watched any more`);
  }
}

function isSame(a: HostConfig, b: HostConfig): boolean {
  const isRenamed = (host: HostConfig) => host.disable_auto_rename ?? false;
  return a.name === b.name && a.ssh === b.ssh && isRenamed(a) === isRenamed(b);
}

/** Configured, and not there. */
const isAbsent = ({ status }: PaneState): boolean => status === "offline";

/** Whether it is another name of that host's tmux, as its link says that stands now. */
function isStandIn(other: Host, host: Host): boolean {
  const isTwin = other.twin === host.config.name && other.server === host.server;
  return isTwin && other.isDecided && other.link.standing.status === "live";
}

export const NO_LINK = {
  since: 0,
  panes: 0,
  version: null,
  round_trip_ms: null,
  read_at: 0,
  reason: null,
  detail: null,
  retry_at: null,
} as const;
