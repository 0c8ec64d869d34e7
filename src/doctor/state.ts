import { constants } from "node:fs";
import { access, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Check, type DoctorContext, fail, ok, warn } from "./topic.ts";
import { isStateFile, ownershipFaults } from "../config/ownership.ts";
import { nearestReal } from "../lib/inside.ts";

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

export async function modeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ mode }) => mode & 0o777,
    () => 0,
  );
}
