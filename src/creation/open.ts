import type { CreationRoot } from "../protocol/creation.ts";
import { Creation, type CreationDeps } from "./creation.ts";
import { resolveRoots } from "./roots.ts";
import { type RuntimeCommands, Runtimes, type RuntimesDeps } from "./runtimes.ts";

export interface OpenCreationDeps
  extends
    Pick<
      CreationDeps,
      "enabled" | "mux" | "muxUnavailable" | "paneDirectories" | "created" | "log"
    >,
    Pick<RuntimesDeps, "label"> {
  /** As configured; made canonical here, once. */
  roots: readonly CreationRoot[];
  runtimes: RuntimeCommands;
}

export async function openCreation(deps: OpenCreationDeps): Promise<Creation> {
  const { roots, runtimes, label, ...rest } = deps;
  return new Creation({
    ...rest,
    roots: rest.enabled ? await resolveRoots(roots, rest.log) : [],
    runtimes: new Runtimes({ commands: runtimes, label, which: (name) => Bun.which(name) }),
  });
}
