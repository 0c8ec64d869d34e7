import { join } from "node:path";
import { OVERLAY_FILE, parseOverlay, readFlags, resolve, type Flags } from "../config/resolve.ts";
import { configPathOf, stateDirFor } from "../config/state-dir.ts";
import { readYaml } from "../config/yaml.ts";
import { StartupError } from "../errors.ts";
import { readText, UnreadableError } from "../lib/json-file.ts";
import { isObject, parseJson } from "../lib/json.ts";
import { print } from "../lib/print.ts";
import { blankControls } from "../lib/words.ts";
import {
  examineAddress,
  examineCreation,
  examineNaming,
  examinePairing,
  examineRuntimes,
  examineService,
  examineUsage,
} from "./parts.ts";
import { examineAlerts } from "./alerts.ts";
import { examineConfig, examineState, examineVersions } from "./state.ts";
import { examineHosts, examineMultiplexer } from "./multiplexer.ts";
import { type Check, type DoctorContext, fail, type Examiner } from "./topic.ts";
import { examineWorkspace } from "./workspace.ts";

const TOPICS: Topics = {
  Versions: [examineVersions],
  Configuration: [examineConfig],
  Multiplexer: [examineMultiplexer],
  Hosts: [examineHosts],
  State: [examineState],
  Address: [examineAddress],
  Runtimes: [examineRuntimes],
  Alerts: [examineAlerts],
  "Optional parts": [
    ...[examineWorkspace, examineUsage, examineCreation, examineNaming],
    ...[examinePairing, examineService],
  ],
};

/** 1 when a fault keeps the service from working. */
export async function doctor(flags: Flags): Promise<number> {
  const { report, failures } = await examineTopics(TOPICS, await readContext(flags));
  print(report.replace(/[^\n]+/g, blankControls));
  return failures === 0 ? 0 : 1;
}

async function readContext(flags: Flags): Promise<DoctorContext> {
  const configPath = configPathOf(flags);
  const stateDir = stateDirFor(flags);
  let refusal: string | null = null;
  const refuse = (error: unknown) => {
    if (!(error instanceof StartupError || error instanceof UnreadableError)) throw error;
    refusal ??= error.message;
    return null;
  };
  const yaml = configPath === null ? null : await readYaml(configPath).catch(refuse);
  const saved = await readText(join(stateDir, OVERLAY_FILE)).catch(refuse);
  const content = saved === null ? {} : parseJson(saved);
  const overlay = isObject(content) ? parseOverlay(content) : CORRUPT;
  const warnings = [...(yaml?.warnings ?? []), ...overlay.warnings];
  const layers = { yaml: yaml?.layer ?? {}, overlay: overlay.layer, flags: readFlags(flags) };
  return { flags, configPath, stateDir, refusal, warnings, layers, config: resolve(layers) };
}

const CORRUPT = {
  layer: {},
  warnings: [`${OVERLAY_FILE} is corrupt; the next start sets it aside`],
};

type Topics = Readonly<Record<string, readonly Examiner[]>>;

const SIGNS = { ok: "ok  ", warn: "note", fail: "FAIL" } as const;

export async function examineTopics(
  topics: Topics,
  context: DoctorContext,
): Promise<{ report: string; failures: number }> {
  const blocks: string[] = [];
  let failures = 0;
  for (const [title, examiners] of Object.entries(topics)) {
    const lines = [title];
    for (const examiner of examiners)
      for await (const { level, text, remedy } of checksOf(examiner, context)) {
        if (level === "fail") failures += 1;
        lines.push(`  ${SIGNS[level]}  ${text}`);
        if (remedy !== undefined) lines.push(`        -> ${remedy}`);
      }
    blocks.push(lines.join("\n"));
  }
  const summary = failures === 0 ? "Ready." : `${failures} to mend before it works.`;
  return { report: `${blocks.join("\n\n")}\n\n${summary}\n`, failures };
}

/** A failed examiner becomes a failed check, and the others go on. */
async function* checksOf(examiner: Examiner, context: DoctorContext): AsyncGenerator<Check> {
  try {
    yield* examiner(context);
  } catch (error) {
    yield error instanceof UnreadableError
      ? fail(error.message, error.remedy)
      : fail(`this could not be looked at: ${String(error)}`, "this is a fault of panewatch");
  }
}
