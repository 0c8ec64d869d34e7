import { AppError } from "../errors.ts";
import { USAGE_PERIODS, USAGE_SCOPES } from "../protocol/usage.ts";
import type { Handlers, Slice } from "../slice.ts";
import { Collector } from "./command.ts";
import { Usage, type UsageDeps } from "./refresher.ts";
import { HISTORY_DAYS } from "./summary.ts";

const MAX_ECHOED_CHARS = 40;

interface UsageSliceDeps extends Omit<UsageDeps, "collector"> {
  command: readonly string[];
}

export function usageSlice({ command, ...deps }: UsageSliceDeps): Slice {
  const usage = new Usage({ ...deps, collector: new Collector({ command }) });
  return {
    name: "usage",
    routes: usageRoutes(usage),
    info: () => ({ usage: usage.info() }),
    start: () => usage.settingsChanged(),
    stop: () => usage.stop(),
    settingsChanged: () => usage.settingsChanged(),
  };
}

export function usageRoutes(usage: Usage): Handlers {
  return {
    "GET /api/usage": (c) => c.json(usage.reply()),
    "GET /api/usage/history": (c) => {
      const { period, days = HISTORY_DAYS } = c.req.valid("query");
      const known = requireKnown(USAGE_PERIODS, "period", period);
      return c.json(usage.history(known, Math.min(HISTORY_DAYS, Math.max(1, days))));
    },
    "POST /api/usage/refresh": async (c) => {
      const { scope } = c.req.valid("json");
      return c.json(await usage.refresh(requireKnown(USAGE_SCOPES, "scope", scope)));
    },
  };
}

function requireKnown<T extends string>(known: readonly T[], what: string, value: string): T {
  const found = known.find((item) => item === value);
  if (found === undefined)
    throw new AppError("invalid", `bad ${what}: ${value.slice(0, MAX_ECHOED_CHARS)}`);
  return found;
}
