import type { Slice } from "../slice.ts";
import { Collector } from "./command.ts";
import { Usage, type UsageDeps } from "./refresher.ts";
import { usageRoutes } from "./routes.ts";

export interface UsageSliceDeps extends Omit<UsageDeps, "collector"> {
  /** The collector's argument list. */
  command: readonly string[];
}

export function usageSlice({ command, ...deps }: UsageSliceDeps): Slice {
  const usage = new Usage({ ...deps, collector: new Collector({ command }) });
  return {
    name: "usage",
    routes: usageRoutes({ usage }),
    info: () => ({ usage: usage.info() }),
    start: () => usage.start(),
    stop: () => usage.stop(),
    settingsChanged: () => usage.settingsChanged(),
  };
}
