import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { StartupError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { quarantine, readText, writePrivateFile } from "../lib/json-file.ts";
import type { Log } from "../lib/log.ts";
import type { Flags } from "./resolve.ts";

const INSTANCE_ID_FILE = "server-instance-id";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function stateDirOf(options: { configPath: string | null; home: string }): string {
  if (options.configPath !== null) return dirname(resolve(options.configPath));
  return join(options.home, ".panewatch");
}

/** `--config`, or null. @throws StartupError for an empty one */
export function configPathOf({ config }: Flags): string | null {
  if (config === "") throw new StartupError("--config needs a path, not an empty text");
  return typeof config === "string" ? config : null;
}

export function stateDirFor(flags: Flags): string {
  return stateDirOf({ configPath: configPathOf(flags), home: homedir() });
}

/**
 * The lasting, non-secret id of this installation. A new one is made where there is none, or where
 * the file holds no UUID.
 * @throws UnreadableError
 */
export async function readInstanceId(
  stateDir: string,
  deps: { log: Log; clock: Clock },
): Promise<string> {
  const path = join(stateDir, INSTANCE_ID_FILE);
  const saved = await readText(path);
  if (saved !== null && UUID.test(saved.trim())) return saved.trim();
  const fresh = crypto.randomUUID();
  try {
    if (saved !== null) {
      const aside = await quarantine(path, deps);
      deps.log.warn(`${path} holds no id; moved to ${aside}`);
    }
    await writePrivateFile(path, `${fresh}\n`);
  } catch (error) {
    deps.log.warn(`notification links will not outlive this run: ${String(error)}`);
  }
  return fresh;
}
