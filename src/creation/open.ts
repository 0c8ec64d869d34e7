import type { CreationRoot } from "../protocol/creation.ts";
import { Creation, type CreationDeps } from "./creation.ts";
import { paneEnvironment } from "./environment.ts";
import { CreationMux, type MuxDeps } from "./mux.ts";
import { resolveRoots } from "./roots.ts";
import { type RuntimeCommands, Runtimes, type RuntimesDeps } from "./runtimes.ts";

export interface OpenCreationDeps
  extends
    Pick<CreationDeps, "enabled" | "muxUnavailable" | "paneDirectories" | "created" | "log">,
    Pick<MuxDeps, "muxCommand" | "createdOption">,
    Pick<RuntimesDeps, "label"> {
  /** As configured; made canonical here, once. */
  roots: readonly CreationRoot[];
  runtimes: RuntimeCommands;
  env: Record<string, string | undefined>;
  /** Values that no pane may inherit. */
  secrets: readonly string[];
}

export async function openCreation(deps: OpenCreationDeps): Promise<Creation> {
  const { enabled, roots, runtimes, env, secrets, log, label, muxCommand, createdOption } = deps;
  return new Creation({
    enabled,
    roots: enabled ? await resolveRoots(roots, log) : [],
    runtimes: new Runtimes({ commands: runtimes, label, which: (name) => Bun.which(name) }),
    mux: new CreationMux({ muxCommand, createdOption, env: paneEnvironment(env, secrets) }),
    muxUnavailable: deps.muxUnavailable,
    paneDirectories: deps.paneDirectories,
    created: deps.created,
    log,
  });
}
