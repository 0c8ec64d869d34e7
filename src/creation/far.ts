import type { CreationRoot } from "../protocol/creation.ts";
import { Creation, type CreationDeps } from "./creation.ts";
import { farDisk, farWhich, type RunScript } from "./far-disk.ts";
import { resolveRoots } from "./roots.ts";
import { Runtimes, type RuntimesDeps } from "./runtimes.ts";

/** Another machine that panes are created on. */
export interface FarPlace extends Pick<
  CreationDeps,
  "mux" | "muxUnavailable" | "paneDirectories" | "created"
> {
  name: string;
  /** As configured. */
  roots: readonly CreationRoot[];
  run: RunScript;
  /** @throws AppError conflict */
  requireLive(): void;
}

export type FarCreationDeps = Pick<
  CreationDeps,
  "enabled" | "lock" | "closes" | "firstMessages" | "log"
> &
  Pick<RuntimesDeps, "commands" | "label">;

/** For one request: what the machine's roots are is asked anew, since it may be another one by now. */
export async function openFarCreation(
  { name: _, roots, run, ...place }: FarPlace,
  { commands, label, ...deps }: FarCreationDeps,
): Promise<Creation> {
  const disk = farDisk(run);
  const isAsked = deps.enabled && place.muxUnavailable() === null;
  // The reply says where none can be used.
  const quiet = { warn: () => {} };
  return new Creation({
    ...deps,
    ...place,
    disk,
    roots: isAsked ? await resolveRoots(disk, roots, quiet) : roots,
    runtimes: new Runtimes({ commands, label, which: (program) => farWhich(run, program) }),
  });
}
