import { homedir } from "node:os";
import type { Typed } from "../config/resolve.ts";
import { stateDirOf } from "../config/state-dir.ts";

/** `--config`, or null. */
export function configPathOf({ config }: Typed): string | null {
  return typeof config === "string" ? config : null;
}

export function stateDirFor(flags: Typed): string {
  return stateDirOf({ configPath: configPathOf(flags), home: homedir() });
}
