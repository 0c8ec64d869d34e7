import { createLog } from "../../src/lib/log.ts";
import { MuxProvider } from "../../src/terminal/mux/provider.ts";
import type { PrivateTmux } from "./tmux.ts";

/** The real provider, pointed at a test's own server. */
export function openMux(tmux: PrivateTmux): Promise<MuxProvider> {
  return MuxProvider.open({
    ...{ binary: "tmux", socket: tmux.socket, disableAutoRename: false },
    log: createLog(() => {}),
  });
}
