import type { Config } from "./config/fields.ts";
import type { Host } from "./hosts/host.ts";
import type { Refusal } from "./hosts/link-state.ts";
import type { Log } from "./lib/log.ts";
import { localProcesses } from "./terminal/mux/foreground.ts";
import { isTooOld, MuxClient, NoTmux, parseVersion } from "./terminal/mux/client.ts";
import { RemoteProcesses, RemoteTmux } from "./terminal/mux/remote.ts";
import { MuxProvider } from "./terminal/mux/provider.ts";
import type { TerminalProvider } from "./terminal/provider.ts";
import { openChannel, WspProvider } from "./terminal/wsp/provider.ts";

export interface Multiplexer {
  provider: TerminalProvider;
  /** Null with another multiplexer. */
  mux: MuxClient | NoTmux | null;
  openRemote?: (host: Host) => TerminalProvider;
}

/** A usable multiplexer; the id of the service is known only later. */
export type MultiplexerFactory = (instanceId: string) => Multiplexer;

/** @throws StartupError when the multiplexer of the configuration cannot be used */
export async function openMultiplexer(config: Config, log: Log): Promise<MultiplexerFactory> {
  if (config["terminal.provider"] === "mux") {
    const places = { binary: config["mux.binary"], socket: config["mux.socket"] };
    const mux = config["local.watch"] ? await MuxClient.open(places) : new NoTmux();
    const disableAutoRename = config["mux.disable_auto_rename"];
    const provider = new MuxProvider({
      ...{ client: mux, disableAutoRename, log },
      processes: localProcesses(),
    });
    const openRemote = (host: Host) =>
      new MuxProvider({
        client: new RemoteTmux(host),
        processes: new RemoteProcesses(host),
        namespace: host.namespace,
        link: host,
        disableAutoRename: host.config.disable_auto_rename ?? false,
        log,
      });
    return () => ({ provider, mux, openRemote });
  }
  const channel = await openChannel({
    binary: config["terminal.wsp.binary"],
    session: config["terminal.wsp.session"],
    events: config["terminal.wsp.events"],
    reads: config["terminal.wsp.reads"],
    accept: config["terminal.wsp.accept"],
    env: process.env,
  });
  return (instanceId) => ({
    provider: new WspProvider({ channel, instanceId, log }),
    mux: null,
  });
}

/** Why the tmux of another machine cannot be watched, by the output of `tmux -V` there. */
export function tmuxFault(output: string): Refusal | null {
  const version = parseVersion(output);
  if (version === null) return { reason: "no_tmux", detail: "tmux was not found in PATH there" };
  if (!isTooOld(version)) return null;
  return { reason: "old_tmux", detail: `tmux ${version}; 3.2 or newer is needed` };
}
