import { join } from "node:path";
import { configPathOf, stateDirFor } from "../cli/state-dir.ts";
import { isObject } from "../config/field.ts";
import { readFlags, type Typed } from "../config/flags.ts";
import { OVERLAY_FILE, parseOverlay } from "../config/overlay.ts";
import { resolve, type Layers } from "../config/resolve.ts";
import { readYaml } from "../config/yaml.ts";
import { StartupError } from "../errors.ts";
import { parseJson } from "../lib/json.ts";
import { readText, type UnreadableError } from "../lib/json-file.ts";
import type { DoctorContext } from "./topic.ts";

/** The configuration as far as it can be read; what is wrong with it is a finding. */
export async function readContext(flags: Typed): Promise<DoctorContext> {
  const configPath = configPathOf(flags);
  const stateDir = stateDirFor(flags);
  const read = await readLayers(flags, configPath, stateDir);
  return { flags, configPath, stateDir, ...read, config: resolve(read.layers) };
}

async function readLayers(flags: Typed, path: string | null, stateDir: string) {
  const warnings: string[] = [];
  let refusal: string | null = null;
  const layers: Layers = { yaml: {}, overlay: {}, flags: readFlags(flags) };
  try {
    if (path !== null) {
      const yaml = await readYaml(path);
      layers.yaml = yaml.layer;
      warnings.push(...yaml.warnings);
    }
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    refusal = error.message;
  }
  const saved = await readText(join(stateDir, OVERLAY_FILE)).catch((error: UnreadableError) => {
    refusal ??= error.message;
    return null;
  });
  const content = saved === null ? {} : parseJson(saved);
  if (isObject(content)) {
    const overlay = parseOverlay(content);
    layers.overlay = overlay.layer;
    warnings.push(...overlay.warnings);
  } else warnings.push(`${OVERLAY_FILE} is corrupt; the next start sets it aside`);
  return { layers, refusal, warnings };
}
