import { VERSION } from "../../protocol/version.ts";
import type { Typed } from "../../config/flags.ts";
import { findService } from "../claim.ts";
import { stateDirFor } from "../state-dir.ts";
import { serviceControl } from "../service.ts";
import { installedAt } from "./installed.ts";
import { RELEASE_KEYS } from "./signature.ts";
import { upgrade } from "./upgrade.ts";

/** `panewatch upgrade`: the only command that asks for a release, and only when it is given. */
export async function upgradeCommand(flags: Typed, keys = RELEASE_KEYS): Promise<number> {
  const executable = process.execPath;
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const installed = await installedAt(executable);
  if (!(await upgrade({ executable, installed, version: VERSION, keys, print }))) return 0;
  if (await serviceControl(flags).restart(executable)) return 0;
  const running = await findService(stateDirFor(flags));
  if (running) print(`panewatch ${VERSION} still runs (pid ${running.pid}): start it again`);
  return 0;
}
