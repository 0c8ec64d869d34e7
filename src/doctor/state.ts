import { constants } from "node:fs";
import { access, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Field } from "../config/field.ts";
import { type Config, CONFIG_KEYS, FIELDS } from "../config/fields.ts";
import { isStateFile, ownershipFaults } from "../config/ownership.ts";
import { type Layers, type Source, sourceOf } from "../config/resolve.ts";
import { nearestReal } from "../lib/inside.ts";
import { VERSION } from "../protocol/version.ts";
import { type Check, type DoctorContext, fail, ok, warn } from "./topic.ts";

export interface StateFacts {
  path: string;
  exists: boolean;
  isWritable: boolean;
  /** Files and folders of ours that others may open, with their mode. */
  open: readonly { path: string; mode: string }[];
  /** Files that were moved aside as corrupt. */
  corrupt: readonly string[];
}

export async function lookAtState({ stateDir }: DoctorContext): Promise<readonly Check[]> {
  const faults = (await ownershipFaults(stateDir)).filter(({ isGrave }) => isGrave);
  return [
    ...stateChecks(await stateFacts(stateDir)),
    ...faults.map(({ text, remedy }) => fail(text, remedy)),
  ];
}

export function stateChecks(state: StateFacts): Check[] {
  const checks: Check[] = [];
  if (!state.isWritable)
    checks.push(
      fail(`${state.path} cannot be written`, `make it writable for this user, or use --config`),
    );
  else checks.push(ok(state.exists ? state.path : `${state.path} (made at the first start)`));
  for (const { path, mode } of state.open)
    checks.push(warn(`${path} has mode ${mode}: others may open it`, `chmod go= ${path}`));
  for (const path of state.corrupt)
    checks.push(warn(`${path} was set aside as corrupt`, "remove it when nothing in it is needed"));
  return checks;
}

async function stateFacts(path: string): Promise<StateFacts> {
  const names = await readdir(path).catch(() => null);
  if (names === null)
    return {
      path,
      exists: false,
      isWritable: await isWritable(await nearestReal(path)),
      open: [],
      corrupt: [],
    };
  const ours = names.filter(isStateFile);
  const paths = ours.map((name) => join(path, name));
  const modes = await Promise.all(
    paths.map(async (one) => ({ path: one, mode: await modeOf(one) })),
  );
  return {
    path,
    exists: true,
    isWritable: await isWritable(path),
    open: modes.flatMap((one) =>
      one.mode & 0o077 ? [{ path: one.path, mode: one.mode.toString(8) }] : [],
    ),
    corrupt: paths.filter((one) => one.includes(".corrupt-")),
  };
}

async function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function modeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ mode }) => mode & 0o777,
    () => 0,
  );
}

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
