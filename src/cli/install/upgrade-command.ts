import { VERSION } from "../../protocol/version.ts";
import type { Flags } from "../arguments.ts";
import { findService } from "../claim.ts";
import { stateDirFor } from "../context.ts";
import { serviceControl } from "../service.ts";
import { installedAt } from "./installed.ts";
import { upgrade } from "./upgrade.ts";

/** `panewatch upgrade`: the only command that asks for a release, and only when it is given. */
export async function upgradeCommand(flags: Flags, self: readonly string[]): Promise<number> {
  const executable = process.execPath;
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const installed = await installedAt(executable);
  if (!(await upgrade({ executable, installed, version: VERSION, print }))) return 0;
  if (await serviceControl(flags, self).restart(executable)) return 0;
  const running = await findService(stateDirFor(flags));
  if (running) print(`panewatch ${VERSION} still runs (pid ${running.pid}): start it again`);
  return 0;
}
