import { join } from "node:path";
import { configPathOf, stateDirFor } from "../cli/state-dir.ts";
import {
  type Layers,
  OVERLAY_FILE,
  parseOverlay,
  readFlags,
  resolve,
  type Typed,
} from "../config/resolve.ts";
import { readYaml } from "../config/yaml.ts";
import { StartupError } from "../errors.ts";
import { readText, type UnreadableError } from "../lib/json-file.ts";
import { isObject, parseJson } from "../lib/json.ts";
import {
  lookAtAddress,
  lookAtCreation,
  lookAtImages,
  lookAtNaming,
  lookAtPairing,
  lookAtRuntimes,
  lookAtService,
  lookAtUsage,
} from "./parts.ts";
import { lookAtAlerts } from "./alerts.ts";
import { lookAtConfig, lookAtState, lookAtVersions } from "./state.ts";
import { lookAtHosts, lookAtMultiplexer } from "./multiplexer.ts";
import { type Check, type DoctorContext, fail, type Topic } from "./topic.ts";
import { lookAtWorkspace } from "./workspace.ts";

const TOPICS: readonly Topic[] = [
  { title: "Versions", looks: [lookAtVersions] },
  { title: "Configuration", looks: [lookAtConfig] },
  { title: "Multiplexer", looks: [lookAtMultiplexer] },
  { title: "Hosts", looks: [lookAtHosts] },
  { title: "State", looks: [lookAtState] },
  { title: "Address", looks: [lookAtAddress] },
  { title: "Runtimes", looks: [lookAtRuntimes] },
  { title: "Alerts", looks: [lookAtAlerts] },
  {
    title: "Optional parts",
    looks: [
      lookAtWorkspace,
      lookAtUsage,
      lookAtCreation,
      lookAtNaming,
      lookAtImages,
      lookAtPairing,
      lookAtService,
    ],
  },
];

/** Checks this machine and prints what it found; 1 when something keeps the service from working. */
export async function doctor(flags: Typed): Promise<number> {
  const sections = await examineTopics(TOPICS, await readContext(flags));
  process.stdout.write(renderReport(sections));
  return hasFailure(sections) ? 1 : 0;
}

async function readContext(flags: Typed): Promise<DoctorContext> {
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

export interface Section {
  title: string;
  checks: readonly Check[];
}

export async function examineTopics(
  topics: readonly Topic[],
  context: DoctorContext,
): Promise<readonly Section[]> {
  const sections: Section[] = [];
  for (const { title, looks } of topics) {
    const checks: Check[] = [];
    // A look that throws is a failed check, and the others go on.
    for (const look of looks)
      try {
        for await (const check of look(context)) checks.push(check);
      } catch (error) {
        checks.push(fail(`this could not be looked at: ${String(error)}`, FAULT));
      }
    sections.push({ title, checks });
  }
  return sections;
}

const FAULT = "this is a fault of panewatch";

export function hasFailure(sections: readonly Section[]): boolean {
  return sections.some(({ checks }) => checks.some(({ level }) => level === "fail"));
}

const SIGNS = { ok: "ok  ", warn: "note", fail: "FAIL" } as const;

export function renderReport(sections: readonly Section[]): string {
  const blocks = sections.map(({ title, checks }) =>
    [title, ...checks.flatMap((check) => checkLines(check))].join("\n"),
  );
  const failures = sections.flatMap(({ checks }) => checks).filter(({ level }) => level === "fail");
  const summary = failures.length === 0 ? "Ready." : `${failures.length} to mend before it works.`;
  return `${blocks.join("\n\n")}\n\n${summary}\n`;
}

function checkLines({ level, text, remedy }: Check): string[] {
  const line = `  ${SIGNS[level]}  ${text}`;
  return remedy === undefined ? [line] : [line, `        -> ${remedy}`];
}
