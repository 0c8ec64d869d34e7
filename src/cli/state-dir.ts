import { homedir } from "node:os";
import type { Flags } from "../config/resolve.ts";
import { stateDirOf } from "../config/state-dir.ts";
import { StartupError } from "../errors.ts";

/** `--config`, or null. @throws StartupError for an empty one */
export function configPathOf({ config }: Flags): string | null {
  if (config === "") throw new StartupError("--config needs a path, not an empty text");
  return typeof config === "string" ? config : null;
}

export function stateDirFor(flags: Flags): string {
  return stateDirOf({ configPath: configPathOf(flags), home: homedir() });
}
