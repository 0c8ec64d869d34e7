import { tokenOf } from "../config/kept-access.ts";
import { StartupError } from "../errors.ts";
import type { Typed } from "../config/resolve.ts";
import { sourcesFor } from "./context.ts";

export async function printToken(flags: Typed): Promise<string> {
  const { config, kept } = await sourcesFor(flags);
  const token = tokenOf(config, kept);
  if (token === "") throw new StartupError("there is no token: panewatch phone makes one");
  return `${token}\n`;
}
