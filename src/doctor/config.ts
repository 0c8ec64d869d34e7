import type { Field } from "../config/field.ts";
import { CONFIG_KEYS, FIELDS, type Config } from "../config/fields.ts";
import { sourceOf, type Layers, type Source } from "../config/resolve.ts";
import { type Check, type DoctorContext, fail, ok, warn } from "./topic.ts";
import { VERSION } from "../protocol/version.ts";
import { modeOf } from "./state.ts";

const MAX_SHOWN_CHARS = 120;

const SOURCES: Readonly<Record<Source, string>> = {
  default: "default",
  yaml: "configuration file",
  overlay: "changed in the settings page",
  flags: "command line",
};

interface ConfigFacts {
  path: string | null;
  /** Why the file stops the start. */
  refusal: string | null;
  warnings: readonly string[];
  /** Only what differs from the defaults; secrets are masked already. */
  values: readonly { key: string; value: string; source: string }[];
  /** Others on this machine may read the file, and the token is in it. */
  exposesToken: boolean;
}

export function lookAtVersions(): readonly Check[] {
  return [ok(`panewatch ${VERSION}, Bun ${Bun.version}, ${process.platform} ${process.arch}`)];
}

export async function lookAtConfig(context: DoctorContext): Promise<readonly Check[]> {
  const { configPath, refusal, warnings, layers, config } = context;
  return configChecks({
    path: configPath,
    refusal,
    warnings,
    values: valuesOf(layers, config),
    exposesToken: layers.yaml["server.token"] !== undefined && (await isOpen(configPath)),
  });
}

export function configChecks(facts: ConfigFacts): Check[] {
  const { path, refusal, warnings, values, exposesToken } = facts;
  const checks: Check[] = [];
  if (refusal !== null) checks.push(fail(refusal, "correct the file; the service does not start"));
  else checks.push(ok(path ?? "no file given; defaults hold"));
  for (const warning of warnings) checks.push(warn(warning, "correct or remove it"));
  for (const { key, value, source } of values) checks.push(ok(`${key} = ${value} (${source})`));
  if (exposesToken && path !== null)
    checks.push(warn(`others may read ${path}, which holds the token`, `chmod 600 ${path}`));
  return checks;
}

function valuesOf(layers: Layers, config: Config): ConfigFacts["values"] {
  return CONFIG_KEYS.flatMap((key) => {
    const source = sourceOf(layers, key);
    if (source === "default") return [];
    const field: Field<unknown> = FIELDS[key];
    const value = field.secret ? "(set, not shown)" : JSON.stringify(config[key], shownAddress);
    const shown = value.length > MAX_SHOWN_CHARS ? `${value.slice(0, MAX_SHOWN_CHARS)}…` : value;
    return [{ key, value: shown, source: SOURCES[source] }];
  });
}

function shownAddress(_: string, value: unknown): unknown {
  return typeof value === "string" ? withoutPath(value) : value;
}

/** An address as a report may show it: its path or query may be all that protects it. */
export function withoutPath(value: string): string {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || url.href === `${url.origin}/`) return value;
  return `${url.origin}/…`;
}

async function isOpen(path: string | null): Promise<boolean> {
  return path !== null && ((await modeOf(path)) & 0o044) !== 0;
}
