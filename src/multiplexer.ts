import type { Config } from "./config/fields.ts";
import type { Log } from "./lib/log.ts";
import { MuxProvider } from "./terminal/mux/provider.ts";
import type { TerminalProvider } from "./terminal/provider.ts";
import { openChannel, WspProvider } from "./terminal/wsp/provider.ts";

/** The one multiplexer that is watched. */
export interface Multiplexer {
  provider: TerminalProvider;
  /** What only tmux can: null elsewhere. */
  mux: MuxProvider | null;
}

/** A multiplexer that can be used; whose service uses it is known only later. */
export type FoundMultiplexer = (instanceId: string) => Multiplexer;

/** @throws StartupError when the multiplexer of the configuration cannot be used */
export async function openMultiplexer(config: Config, log: Log): Promise<FoundMultiplexer> {
  if (config["terminal.provider"] === "mux") {
    const mux = await MuxProvider.open({
      binary: config["mux.binary"],
      socket: config["mux.socket"],
      disableAutoRename: config["mux.disable_auto_rename"],
      log,
    });
    return () => ({ provider: mux, mux });
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
