import { join } from "node:path";
import type { Clock } from "../lib/clock.ts";
import { JsonFile } from "../lib/json-file.ts";
import type { Log } from "../lib/log.ts";
import { OVERLAY_FILE, parseOverlay } from "./overlay.ts";
import type { Layer } from "./resolve.ts";
import { Settings } from "./settings.ts";
import { readInstanceId, stateDirOf } from "./state-dir.ts";
import { readYaml } from "./yaml.ts";

export interface LoadOptions {
  /** `--config`, or null: then only defaults, overlay and flags speak. */
  configPath: string | null;
  flags: Layer;
  home: string;
  log: Log;
  clock: Clock;
}

export interface Loaded {
  settings: Settings;
  stateDir: string;
  instanceId: string;
}

/** @throws StartupError when the YAML file cannot be read or says something that is not allowed. */
export async function loadConfig(options: LoadOptions): Promise<Loaded> {
  const { configPath, flags, log, clock } = options;
  const yaml = configPath === null ? { layer: {}, warnings: [] } : await readYaml(configPath);
  for (const warning of yaml.warnings) log.warn(warning);
  const stateDir = stateDirOf(options);
  const file = new JsonFile(join(stateDir, OVERLAY_FILE), { log, clock });
  const overlay = await readOverlay(file, log);
  const layers = { yaml: yaml.layer, overlay, flags };
  const settings = new Settings({ layers, file, log });
  return { settings, stateDir, instanceId: await readInstanceId(stateDir, log) };
}

async function readOverlay(file: JsonFile, log: Log): Promise<Layer> {
  const content = await file.read();
  if (content === null) return {};
  const overlay = parseOverlay(content);
  if (overlay === null) {
    await file.moveAside("not a JSON object");
    return {};
  }
  for (const warning of overlay.warnings) log.warn(warning);
  return overlay.layer;
}
