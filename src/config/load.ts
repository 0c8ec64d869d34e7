import { join } from "node:path";
import { z } from "zod";
import { StartupError } from "../errors.ts";
import { JsonFile, UnreadableError } from "../lib/json-file.ts";
import type { Log } from "../lib/log.ts";
import { readStored, StoredJson } from "../lib/stored-json.ts";
import { Credentials } from "./credentials.ts";
import { accessPath, StoredAccess, NO_ACCESS, readStoredAccess } from "./stored-access.ts";
import { type Layer, OVERLAY_FILE, resolve } from "./resolve.ts";
import { Settings } from "./settings.ts";
import { readInstanceId, stateDirOf } from "./state-dir.ts";

/** The settings check the members one by one. */
const Overlay = z.record(z.string(), z.unknown());

interface SourceOptions {
  /** `--config`; null: only defaults, overlay and flags count. */
  configPath: string | null;
  flags: Layer;
  home: string;
  log: Log;
}

export type Sources = Awaited<ReturnType<typeof readSources>>;

/**
 * Reads what a person has written, and changes nothing on disk.
 * @throws StartupError when the YAML file cannot be read or holds something that is not allowed
 */
export async function readSources(options: SourceOptions) {
  const { configPath, flags, log } = options;
  const { layer, warnings } =
    configPath === null
      ? { layer: {}, warnings: [] }
      : await (await import("./yaml.ts")).readYaml(configPath);
  for (const warning of warnings) log.warn(warning);
  const config = resolve({ yaml: layer, overlay: {}, flags });
  const stateDir = stateDirOf(options);
  const access = await orStartupError(() => readStoredAccess(stateDir));
  return { configPath, yaml: layer, flags, stateDir, config, access };
}

export type LoadedState = Awaited<ReturnType<typeof loadState>>;

/**
 * Adds what the service itself has written. Call it while holding the lock of the state directory,
 * since a corrupt file is moved aside.
 * @throws StartupError when a file cannot be read
 */
export function loadState(
  { yaml, flags, stateDir, config }: Sources,
  deps: JsonFile["deps"] & { localSecret?: string },
) {
  const { log, localSecret = "" } = deps;
  return orStartupError(async () => {
    const file = new JsonFile(join(stateDir, OVERLAY_FILE), deps);
    const saved = (await readStored(file, Overlay)) ?? {};
    const settings = new Settings({ yaml, flags, saved, file, log });
    const stored = new StoredJson({
      file: new JsonFile(accessPath(stateDir), deps),
      schema: StoredAccess,
      empty: NO_ACCESS,
      name: "what signs in",
    });
    await stored.open();
    const credentials = new Credentials({ config, stored, localSecret, clock: deps.clock });
    return { settings, credentials, stateDir, instanceId: await readInstanceId(stateDir, deps) };
  });
}

/** @throws StartupError in place of UnreadableError */
async function orStartupError<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    throw new StartupError(`${error.message}: ${error.remedy}`, { cause: error });
  }
}
