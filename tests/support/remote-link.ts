import { join } from "node:path";
import { Link, type LinkDeps } from "../../src/hosts/link.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import { RemoteProcesses, RemoteTmux } from "../../src/terminal/mux/remote.ts";
import { MuxProvider } from "../../src/terminal/mux/provider.ts";
import type { PrivateTmux } from "./tmux.ts";
import { until } from "./until.ts";

/** The tmux behind a link, under its own ids, as on this machine. */
export function remoteProvider(link: Link): MuxProvider {
  const far = { client: new RemoteTmux(link), processes: new RemoteProcesses(link) };
  return new MuxProvider({ ...far, disableAutoRename: false, log: createLog(() => {}) });
}

/** The state after the first request to tmux: live or away. */
export async function settled(link: Link): Promise<Link["state"]> {
  await until(() => link.isReady || link.state.status === "away");
  const limits = { timeoutMs: 60_000, maxBytes: 4096 };
  if (link.isReady) await link.ask("tmux", "display-message -p there\n", limits).catch(() => null);
  return link.state;
}

/** A link that begins to connect by this command; the test stops it. */
export function startLink(command: readonly string[], deps: Partial<LinkDeps> = {}): Link {
  const link = new Link({
    command,
    versionFault: () => null,
    clock: systemClock,
    random: Math.random,
    onChange: () => {},
    ...deps,
  });
  link.start();
  return link;
}

/**
 * A link to a shell of this machine, in place of what ssh would start; its tmux is the test's own.
 * What travels takes `delayMs` each way.
 */
export async function openRemoteLink(tmux: PrivateTmux, delayMs = 0): Promise<Link> {
  const slow = [process.execPath, "--no-env-file", join(import.meta.dir, "slow-shell.ts")];
  const shell = delayMs === 0 ? ["/bin/sh"] : [...slow, String(delayMs)];
  const link = startLink(["env", "-u", "TMUX", `TMUX_TMPDIR=${tmux.folder}`, ...shell]);
  await settled(link);
  return link;
}

/** A pane that records its input, and how often a text has arrived there. */
export async function receiver(tmux: PrivateTmux) {
  const file = `${tmux.folder}/${crypto.randomUUID()}`;
  const id = await tmux.open([`stty raw -echo; echo set; exec cat > '${file}'`]);
  await until(async () => (await tmux.screen(id)).includes("set"));
  const arrivals = async (mark: string) => (await Bun.file(file).text()).split(mark).length - 1;
  return { id, arrivals };
}
