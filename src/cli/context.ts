import { homedir } from "node:os";
import { readFlags, type Typed } from "../config/resolve.ts";
import { readSources, type Sources } from "../config/load.ts";
import { createLog } from "../lib/log.ts";
import { configPathOf } from "./state-dir.ts";

/**
 * What the configuration and the flags of this command line say.
 * @throws StartupError
 */
export function sourcesFor(flags: Typed): Promise<Sources> {
  const [configPath, home] = [configPathOf(flags), homedir()];
  return readSources({ configPath, flags: readFlags(flags), home, log: createLog() });
}
