import { constants } from "node:fs";
import { access, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Field } from "../config/field.ts";
import { CONFIG_KEYS, FIELDS } from "../config/fields.ts";
import { isStateFile, ownershipFaults } from "../config/ownership.ts";
import { type Source, sourceOf } from "../config/resolve.ts";
import { nearestReal } from "../lib/inside.ts";
import { VERSION } from "../protocol/version.ts";
import { type Check, type DoctorContext, fail, ok, warn } from "./topic.ts";

export function examineVersions(): readonly Check[] {
  return [ok(`panewatch ${VERSION}, Bun ${Bun.version}, ${process.platform} ${process.arch}`)];
}

export async function* examineState(context: DoctorContext): AsyncGenerator<Check, void> {
  const { stateDir, configPath } = context;
  const names = await readdir(stateDir).catch(() => null);
  if (!(await isWritable(names === null ? await nearestReal(stateDir) : stateDir)))
    yield fail(`${stateDir} cannot be written`, `make it writable for this user, or use --config`);
  else yield ok(names === null ? `${stateDir} (made at the first start)` : stateDir);
  const paths = (names ?? []).filter(isStateFile).map((name) => join(stateDir, name));
  for (const path of paths) {
    const mode = await modeOf(path);
    if (mode & 0o077)
      yield warn(`${path} has mode ${mode.toString(8)}: others may open it`, `chmod go= ${path}`);
  }
  for (const path of paths.filter((one) => one.includes(".corrupt-")))
    yield warn(`${path} was set aside as corrupt`, "remove it when nothing in it is needed");
  for (const { isGrave, text, remedy } of await ownershipFaults(stateDir, configPath))
    yield isGrave ? fail(text, remedy) : warn(text, remedy);
}

function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

function modeOf(path: string): Promise<number> {
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

export async function* examineConfig(context: DoctorContext): AsyncGenerator<Check, void> {
  const { configPath: path, refusal, warnings, layers } = context;
  if (refusal !== null) yield fail(refusal, "correct the file; the service does not start");
  else yield ok(path ?? "no file given; defaults hold");
  for (const warning of warnings) yield warn(warning, "correct or remove it");
  yield* changedValues(context);
  const isOpen = path !== null && ((await modeOf(path)) & 0o044) !== 0;
  if (isOpen && layers.yaml["server.token"] !== undefined)
    yield warn(`others may read ${path}, which holds the token`, `chmod 600 ${path}`);
}

function* changedValues({ layers, config }: DoctorContext): Generator<Check, void> {
  for (const key of CONFIG_KEYS) {
    const source = sourceOf(layers, key);
    if (source === "default") continue;
    const field: Field<unknown> = FIELDS[key];
    const value = field.secret ? "(set, not shown)" : JSON.stringify(config[key], shownAddress);
    const shown = value.length > MAX_SHOWN_CHARS ? `${value.slice(0, MAX_SHOWN_CHARS)}…` : value;
    yield ok(`${key} = ${shown} (${SOURCES[source]})`);
  }
}

function shownAddress(_: string, value: unknown): unknown {
  return typeof value === "string" ? withoutPath(value) : value;
}

/** Hides path and query of an address, which may be its only protection. */
export function withoutPath(value: string): string {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || url.href === `${url.origin}/`) return value;
  return `${url.origin}/…`;
}
