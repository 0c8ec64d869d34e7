import type { ProviderHealth } from "../protocol/config.ts";
import type { HostState } from "../protocol/hosts.ts";
import type { Hub } from "../terminal/hub.ts";

/** This machine, as it stands among the others. */
export function localState(facts: {
  hub: Pick<Hub, "current">;
  provider: { info: { version: string | null } };
  health: ProviderHealth;
  hostname: string;
}): HostState {
  const { hub, provider, health, hostname } = facts;
  const [name = "local"] = hostname.split(".");
  return {
    name,
    kind: "local",
    ssh: null,
    watch: true,
    status: health.status === "ready" ? "live" : "away",
    since: 0,
    panes: hub.current.panes.filter(({ host = null }) => host === null).length,
    version: provider.info.version,
    round_trip_ms: null,
    read_at: health.last_success_at,
    reason: null,
    detail: null,
    retry_at: null,
  };
}
