import type { Config } from "./config/fields.ts";
import type { Log } from "./lib/log.ts";
import { MuxClient } from "./terminal/mux/client.ts";
import { MuxProvider } from "./terminal/mux/provider.ts";
import type { TerminalProvider } from "./terminal/provider.ts";
import { openChannel, WspProvider } from "./terminal/wsp/provider.ts";

/** The one multiplexer that is watched. */
export interface Multiplexer {
  provider: TerminalProvider;
  /** The tmux of this machine, which alone can create; null elsewhere. */
  mux: MuxClient | null;
}

/** A multiplexer that can be used; whose service uses it is known only later. */
export type FoundMultiplexer = (instanceId: string) => Multiplexer;

/** @throws StartupError when the multiplexer of the configuration cannot be used */
export async function openMultiplexer(config: Config, log: Log): Promise<FoundMultiplexer> {
  if (config["terminal.provider"] === "mux") {
    const mux = await MuxClient.open({
      binary: config["mux.binary"],
      socket: config["mux.socket"],
    });
    const disableAutoRename = config["mux.disable_auto_rename"];
    const provider = new MuxProvider(mux, { disableAutoRename, log });
    return () => ({ provider, mux });
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
