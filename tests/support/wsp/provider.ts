import { createLog } from "../../../src/lib/log.ts";
import { openChannel, WspProvider, type WspOptions } from "../../../src/terminal/wsp/provider.ts";
import { until } from "../until.ts";
import { WspDouble } from "./double.ts";
import type { Pane, World } from "./world.ts";

export interface WspStage {
  double: WspDouble;
  world: World;
  provider: WspProvider;
  /** A shell in a tab of its own; the first ones share the first workspace. */
  open(options?: { workspace?: string; tab?: string }): Pane;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A provider over a double whose session runs and has no pane yet. Its socket has answered in time, which
 * the first ping on a busy machine may not: the executable would be asked instead.
 */
export async function wspStage(
  options: Partial<WspOptions> & {
    /** More variables in the environment of the service. */
    inherited?: Record<string, string>;
    nowMs?: () => number;
    /** Instead of the verified one. */
    release?: { version: string; protocol: number };
    /** Runs the executable as a process; else its work is done in this one. */
    runsExecutable?: boolean;
  } = {},
): Promise<WspStage> {
  const { inherited, nowMs, release, runsExecutable, ...rest } = options;
  const double = await WspDouble.start();
  if (release) double.become(release);
  const channel = await openChannel({
    binary: double.binary,
    session: "demo",
    events: "auto",
    reads: "auto",
    accept: "verified",
    env: { ...double.env, ...inherited },
    ...(runsExecutable ? {} : { run: double.start }),
    ...rest,
  });
  if (rest.reads !== "cli")
    await until(async () => {
      await channel.verify();
      return channel.socket !== null;
    });
  const provider = new WspProvider({
    channel,
    instanceId: "instance",
    log: createLog(() => {}),
    ...(nowMs ? { nowMs } : {}),
  });
  const { world } = double.session();
  return {
    double,
    world,
    provider,
    open: ({ workspace = "main", tab } = {}) => openPane(world, workspace, tab),
    async [Symbol.asyncDispose]() {
      await provider.stop();
      await double.stop();
    },
  };
}

export function openPane(world: World, label: string, tab?: string): Pane {
  const workspace =
    world.workspaces.find((each) => each.label === label) ?? world.openWorkspace(label);
  return world.openPane(world.openTab(workspace, tab));
}
