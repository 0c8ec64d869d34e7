import { createLog } from "../../src/lib/log.ts";
import { MuxProvider } from "../../src/terminal/mux/provider.ts";
import type { PrivateTmux } from "./tmux.ts";

/** The real provider, pointed at a test's own server. */
export function openMux(tmux: PrivateTmux): Promise<MuxProvider> {
  const socket = `${tmux.folder}/tmux-${process.getuid?.() ?? 0}/default`;
  return MuxProvider.open({
    binary: "tmux",
    socket,
    disableAutoRename: false,
    log: createLog(() => {}),
  });
}
