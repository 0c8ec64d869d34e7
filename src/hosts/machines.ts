import { z } from "zod";
import { persistError } from "../errors.ts";
import { Semaphore } from "../lib/lock.ts";
import type { Log } from "../lib/log.ts";
import { type JsonStore, readStored } from "../lib/stored-json.ts";
import type { LiveConfig, PaneOverride, ProviderHealth } from "../protocol/config.ts";
import type { HostConfig, HostState } from "../protocol/hosts.ts";
import type { Hub, Publication } from "../terminal/hub.ts";
import { machineNumberOf, Namespace } from "../terminal/namespace.ts";
import type { Poller, PollerDeps } from "../terminal/poller.ts";
import type { TerminalProvider } from "../terminal/provider.ts";
import { Host, type HostDeps, lastReading, NO_LINK, serverOn } from "./host.ts";

interface MachinesDeps extends Omit<HostDeps, "local" | "hosts" | "watch"> {
  /** `hostname` is the system's own. */
  local: { name: string; hostname: string; isWatched: boolean; provider: TerminalProvider };
  configured: () => readonly HostConfig[];
  settings: () => LiveConfig;
  watch(deps: Pick<PollerDeps, "provider" | "hub" | "settings" | "log">): Poller;
  numbers: Pick<HostNumbers, "of">;
  hub: Pick<Hub, "publish" | "leave">;
}

/** This machine and the hosts that are watched over ssh, each by a poller of its own. */
export class Machines {
  readonly local: { readonly provider: TerminalProvider; readonly poller: Poller };
  readonly #deps: MachinesDeps;
  readonly #lock = new Semaphore(1);
  #hosts: readonly Host[] = [];
  #ready: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(deps: MachinesDeps) {
    this.#deps = deps;
    const { provider } = deps.local;
    this.local = { provider, poller: this.#poller(provider, null, deps.log) };
  }

  #poller(provider: TerminalProvider, host: Host | null, log: Log): Poller {
    const publish = (publication: Publication) => {
      host?.recordPanes(publication.panes);
      const machine = host?.config.name ?? null;
      this.#deps.hub.publish(publication, { machine, hosts: this.states() });
    };
    const settings = () => this.#settingsOf(host);
    return this.#deps.watch({ provider, hub: { publish }, settings, log });
  }

  /** Begins to watch; publishes when the listeners are `ready`. */
  start(ready: Promise<void>): void {
    this.#ready = ready;
    this.local.poller.start(ready);
    void this.settingsChanged();
  }

  /** Watches what is configured now; never rejects. */
  settingsChanged(): Promise<void> {
    return this.#lock.run(async () => {
      if (this.#isStopped) return;
      const configs = this.#deps.configured().filter(({ watch }) => watch);
      const same = this.#hosts.filter(({ config }) => configs.some((each) => isSame(each, config)));
      // The other members, as its roots, may have changed.
      for (const host of same)
        host.config = configs.find((each) => isSame(each, host.config)) ?? host.config;
      const removed = this.#hosts.filter((host) => !same.includes(host));
      this.#hosts = this.#inOrder(same);
      await Promise.all(removed.map((host) => this.#leave(host)));
      for (const config of configs)
        if (!same.some(({ config: { name } }) => name === config.name)) await this.#watch(config);
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([
      this.local.poller.stop(),
      this.#lock.run(() => Promise.all(this.#hosts.map(({ poller }) => poller.stop()))),
    ]);
  }

  of(id: string): Pick<Host, "provider" | "poller"> {
    return this.hostOf(id) ?? this.local;
  }

  /** Null for a pane of this machine. */
  hostOf(id: string): Host | null {
    const number = machineNumberOf(id);
    if (number === 0) return null;
    return this.#hosts.find(({ namespace }) => namespace.number === number) ?? null;
  }

  findHost(name: string): Host | null {
    return this.#hosts.find(({ config }) => config.name === name) ?? null;
  }

  /** @throws AppError persist_failed, storage where it cannot be given a number */
  async admit(name: string): Promise<void> {
    await this.#deps.numbers.of(name).catch((cause: unknown) => {
      throw persistError(`${name} cannot be watched: the numbers of hosts cannot be kept`, cause);
    });
  }

  wake(): void {
    this.local.poller.wake();
    for (const { poller } of this.#hosts) poller.wake();
  }

  health(): ProviderHealth {
    const own = this.local.poller.health();
    if (this.#deps.local.isWatched) return own;
    const away = this.states().filter(({ status }) => status === "away");
    if (away.length === 0) return own;
    const message = `away: ${away.map(({ name }) => name).join(", ")}`;
    return { ...own, status: "degraded", last_error: "host_away", message };
  }

  /** This machine first, then all configured hosts; empty where there are none. */
  states(): HostState[] {
    const remote = this.#deps.configured().map((config) => {
      const { name, ssh, watch } = config;
      const host = this.findHost(name);
      if (host) return host.state();
      const detail = watch ? "it cannot be watched; the log of the service says why" : null;
      return { ...NO_LINK, name, kind: "ssh" as const, ssh, watch, status: "off" as const, detail };
    });
    return remote.length === 0 ? [] : [this.#localState(), ...remote];
  }

  #localState(): HostState {
    const { name, isWatched } = this.#deps.local;
    const health = this.local.poller.health();
    const watched = health.status === "ready" ? "live" : "away";
    return {
      ...{ ...NO_LINK, name, kind: "local", ssh: null, watch: isWatched },
      status: isWatched ? watched : "off",
      ...lastReading(health),
    };
  }

  #settingsOf(host: Host | null) {
    const live = this.#deps.settings();
    if (host === null && this.#deps.configured().length === 0) return live;
    const name = host?.config.name ?? null;
    return {
      ...live,
      host: name,
      overrides: overridesOf(live.overrides, name),
      poll_interval: host?.interval(live.poll_interval) ?? live.poll_interval,
    };
  }

  /** In the order of the configuration: of two hosts with one tmux the first watches it. */
  #inOrder(hosts: readonly Host[]): readonly Host[] {
    const names = this.#deps.configured().map(({ name }) => name);
    const place = ({ config }: Host) => names.indexOf(config.name);
    return hosts.toSorted((a, b) => place(a) - place(b));
  }

  async #watch(config: HostConfig): Promise<void> {
    const { log, local } = this.#deps;
    const { name } = config;
    const localServer = () => serverOn(local.hostname, local.provider.server?.() ?? "");
    try {
      const namespace = new Namespace(await this.#deps.numbers.of(name), name);
      const host = new Host(config, namespace, {
        ...this.#deps,
        local: { name: local.name, server: localServer },
        hosts: () => this.#hosts,
        watch: (provider, itself) =>
          this.#poller(provider, itself, {
            ...log,
            // The host itself logs that it is away.
            warn: (text) => (itself.isLive() ? log.warn(`${name}: ${text}`) : undefined),
            info: (text) => log.debug(`${name}: ${text}`),
          }),
      });
      this.#hosts = this.#inOrder([...this.#hosts, host]);
      host.poller.start(this.#ready);
    } catch (error) {
      log.error(`host ${name} cannot be watched`, error);
    }
  }

  async #leave({ config, poller }: Host): Promise<void> {
    await poller.stop();
    for (const other of this.#hosts) if (other.watchedAs === config.name) other.watchedAs = null;
    this.#deps.hub.leave(config.name, { at: this.#deps.clock.now(), hosts: this.states() });
    this.#deps.log.info(`host ${config.name} is not watched any more`);
  }
}

function isSame(a: HostConfig, b: HostConfig): boolean {
  const factsOf = ({ name, ssh, disable_auto_rename = false }: HostConfig) =>
    JSON.stringify([name, ssh, disable_auto_rename]);
  return factsOf(a) === factsOf(b);
}

/**
 * The overrides of one machine: those of others would become placeholders there. A target of a host is
 * `host:session:window.pane`; a name in tmux has no colon, so that a target of this machine has only one.
 */
export function overridesOf(
  overrides: readonly PaneOverride[],
  machine: string | null,
): PaneOverride[] {
  return overrides.filter(({ target }) => {
    const [first = "", ...rest] = target.split(":");
    return (rest.length === 2 ? first : null) === machine;
  });
}

export const HOST_NUMBERS_FILE = "panewatch-hosts.json";

const Saved = z.object({
  version: z.literal(1),
  numbers: z.record(z.string(), z.int().positive()),
});

/** The number of each host, which pane ids hold: it is never given to another name. */
export class HostNumbers {
  readonly #file: JsonStore;
  readonly #lock = new Semaphore(1);
  #numbers: Readonly<Record<string, number>> | null = null;

  constructor(file: JsonStore) {
    this.#file = file;
  }

  /** @throws UnreadableError, UnwritableError */
  of(name: string): Promise<number> {
    return this.#lock.run(async () => {
      const known = (this.#numbers ??= (await readStored(this.#file, Saved))?.numbers ?? {});
      const number = known[name];
      if (number !== undefined) return number;
      const next = Math.max(0, ...Object.values(known)) + 1;
      const numbers = { ...known, [name]: next };
      await this.#file.write({ version: 1, numbers });
      this.#numbers = numbers;
      return next;
    });
  }
}
