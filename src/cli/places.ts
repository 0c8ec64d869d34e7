import { realpathSync } from "node:fs";
import { join } from "node:path";
import { PATTERN_WORD } from "../pattern-worker.ts";
import { commandOf, type Places } from "./serve.ts";

// In the executable the web client lies beside this module, in the source tree in dist/.
const isExecutable = import.meta.url.includes("/$bunfs/");

export const SELF = isExecutable ? [process.execPath] : [process.execPath, Bun.main];

export function places(): Places {
  const which = Bun.which("panewatch");
  return {
    assets: join(import.meta.dir, isExecutable ? "web" : "../../dist/web"),
    patternWorker: [...SELF, PATTERN_WORD],
    command: commandOf(SELF, { folder: process.cwd(), found: which && realpathSync(which) }),
  };
}
