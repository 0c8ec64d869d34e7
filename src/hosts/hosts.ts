import { Mutex } from "../lib/lock.ts";
import type { HostConfig, HostState } from "../protocol/hosts.ts";
import type { PaneState } from "../protocol/pane.ts";
import { hostNumberOf } from "../terminal/host-ids.ts";
import type { Hub } from "../terminal/hub.ts";
import { Host, type HostDeps } from "./host.ts";
import { twinOf } from "./twins.ts";
import type { HostNumbers } from "./numbers.ts";

export interface HostsDeps extends Omit<HostDeps, "twinOf"> {
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

  wake(): void {
    for (const { watched } of this.#hosts) watched.poller.wake();
  }

  /** In the order of the configuration, those that are not watched too. */
  states(panes: readonly PaneState[]): HostState[] {
    return this.#deps.configured().map((config) => {
      const { name, ssh, watch } = config;
      const host = this.named(name);
      if (host) return host.state(panes.filter((pane) => pane.host === name).length);
      return { ...NO_LINK, name, kind: "ssh", ssh, watch, status: "off" };
    });
  }

  async #watch(config: HostConfig): Promise<void> {
    try {
      const number = await this.#deps.numbers.of(config.name);
      const host = new Host(config, number, {
        ...this.#deps,
        twinOf: (each) => twinOf(each, this.#deps.local, this.#hosts),
      });
      this.#hosts = [...this.#hosts, host];
      host.watched.poller.start(this.#ready);
    } catch (error) {
      this.#deps.log.error(`host ${config.name} cannot be watched`, error);
    }
  }

  async #leave({ config, watched }: Host): Promise<void> {
    await watched.poller.stop();
    this.#deps.hub.leave(config.name, this.#deps.clock.now());
    this.#deps.log.info(`host ${config.name} is not watched any more`);
  }
}

function isSame(a: HostConfig, b: HostConfig): boolean {
  return a.name === b.name && a.ssh === b.ssh;
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
