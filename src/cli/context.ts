import { homedir } from "node:os";
import { readFlags } from "../config/flags.ts";
import { readSources, type Sources } from "../config/load.ts";
import { stateDirOf } from "../config/state-dir.ts";
import { createLog } from "../lib/log.ts";
import type { Flags } from "./arguments.ts";

/** `--config`, or null. */
export function configPathOf(flags: Flags): string | null {
  const path = flags.get("config");
  return typeof path === "string" ? path : null;
}

/** Where the service of this command line keeps its state. */
export function stateDirFor(flags: Flags): string {
  return stateDirOf({ configPath: configPathOf(flags), home: homedir() });
}

/**
 * What the configuration and the flags of this command line say.
 * @throws StartupError
 */
export function sourcesFor(flags: Flags): Promise<Sources> {
  const [configPath, home] = [configPathOf(flags), homedir()];
  return readSources({ configPath, flags: readFlags(flags), home, log: createLog() });
}
