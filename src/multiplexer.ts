import type { Config } from "./config/fields.ts";
import type { HostConfig } from "./protocol/hosts.ts";
import type { Refusal } from "./hosts/refusal.ts";
import type { Log } from "./lib/log.ts";
import { HostProvider } from "./terminal/host-provider.ts";
import { Foreground } from "./terminal/mux/foreground.ts";
import { isTooOld, MuxClient, parseVersion } from "./terminal/mux/client.ts";
import { FarMachine, type FarShell, FarTmux } from "./terminal/mux/far.ts";
import { NoTmux } from "./terminal/mux/no-tmux.ts";
import { MuxProvider } from "./terminal/mux/provider.ts";
import type { TerminalProvider } from "./terminal/provider.ts";
import { openChannel, WspProvider } from "./terminal/wsp/provider.ts";

/** The one multiplexer that is watched. */
export interface Multiplexer {
  provider: TerminalProvider;
  /** The tmux of this machine; null with another multiplexer. */
  mux: MuxClient | NoTmux | null;
  /** Absent where panes of other machines cannot be watched. */
  openFar?: (host: FarHost) => TerminalProvider;
}

/** What is known of another machine whose tmux is watched. */
export interface FarHost {
  config: Pick<HostConfig, "name" | "disable_auto_rename">;
  number: number;
  shell: FarShell;
  stop(): void;
  start(wake: () => void): void;
  isLive(): boolean;
  claims(server: string): Promise<boolean>;
}

/** A multiplexer that can be used; whose service uses it is known only later. */
export type FoundMultiplexer = (instanceId: string) => Multiplexer;

/** @throws StartupError when the multiplexer of the configuration cannot be used */
export async function openMultiplexer(config: Config, log: Log): Promise<FoundMultiplexer> {
  if (config["terminal.provider"] === "mux") {
    const places = { binary: config["mux.binary"], socket: config["mux.socket"] };
    const mux = config["local.watch"] ? await MuxClient.open(places) : new NoTmux();
    const disableAutoRename = config["mux.disable_auto_rename"];
    const machine = new Foreground();
    const provider = new MuxProvider({ client: mux, machine, disableAutoRename, log });
    const openFar = (host: FarHost) => {
      const { shell, number, config } = host;
      const far = { client: new FarTmux(shell), machine: new FarMachine(shell) };
      const disableAutoRename = config.disable_auto_rename ?? false;
      return new HostProvider({
        inner: new MuxProvider({ ...far, disableAutoRename, log }),
        name: config.name,
        number,
        link: {
          start: (wake) => host.start(wake),
          stop: () => host.stop(),
          isLive: () => host.isLive(),
          claims: (server) => host.claims(server),
        },
      });
    };
    return () => ({ provider, mux, openFar });
  }
  const events = config["terminal.wsp.events"];
  const channel = await openChannel({
    binary: config["terminal.wsp.binary"],
    session: config["terminal.wsp.session"],
    events,
    reads: config["terminal.wsp.reads"],
    accept: config["terminal.wsp.accept"],
    env: process.env,
  });
  const hasEvents = events === "auto";
  return (instanceId) => ({
    provider: new WspProvider({ channel, instanceId, hasEvents, log }),
    mux: null,
  });
}

/** Why the tmux of another machine cannot be watched, by what `tmux -V` said there; else null. */
export function tmuxFault(said: string): Refusal | null {
  const version = parseVersion(said);
  if (version === null) return { reason: "no_tmux", detail: "tmux was not found in PATH there" };
  if (!isTooOld(version)) return null;
  return { reason: "old_tmux", detail: `tmux ${version}; 3.2 or newer is needed` };
}
