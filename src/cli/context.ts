import { homedir } from "node:os";
import { tokenOf } from "../config/stored-access.ts";
import { readSources, type Sources } from "../config/load.ts";
import { readFlags, type Flags } from "../config/resolve.ts";
import { configPathOf } from "../config/state-dir.ts";
import { StartupError } from "../errors.ts";
import { createLog } from "../lib/log.ts";

/** @throws StartupError */
export function sourcesFor(flags: Flags): Promise<Sources> {
  const [configPath, home] = [configPathOf(flags), homedir()];
  return readSources({ configPath, flags: readFlags(flags), home, log: createLog() });
}

export async function printToken(flags: Flags): Promise<string> {
  const { config, access } = await sourcesFor(flags);
  const token = tokenOf(config, access);
  if (token === "") throw new StartupError("there is no token: panewatch phone makes one");
  return `${token}\n`;
}
