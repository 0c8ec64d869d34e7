import { createLog } from "../../src/lib/log.ts";
import { MuxClient } from "../../src/terminal/mux/client.ts";
import { Foreground } from "../../src/terminal/mux/foreground.ts";
import { MuxProvider } from "../../src/terminal/mux/provider.ts";

interface MuxOptions {
  socket: string;
  binary?: string;
  disableAutoRename?: boolean;
  log?: ConstructorParameters<typeof MuxProvider>[0]["log"];
}

/** The real provider, pointed at a test's own server. */
export async function openMux({
  socket,
  binary = "tmux",
  disableAutoRename = false,
  log = createLog(() => {}),
}: MuxOptions): Promise<MuxProvider> {
  const client = await MuxClient.open({ binary, socket });
  return new MuxProvider({ client, processes: new Foreground(), disableAutoRename, log });
}
