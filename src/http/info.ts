import { WORKSPACE_OFF } from "../agents/workspace.ts";
import { LABELS } from "../detect/agents.ts";
import type { Log } from "../lib/log.ts";
import type { Capabilities, Info, ProviderHealth } from "../protocol/config.ts";
import { ALLOWED_KEYS } from "../protocol/input.ts";
import type { PaneState } from "../protocol/pane.ts";
import { MINIMUM_MOBILE_VERSION, PROTOCOL_VERSION, VERSION } from "../protocol/version.ts";
import { PUSH_OFF } from "../push/slice.ts";
import type { Slice } from "../slice.ts";
import type { TerminalProvider } from "../terminal/provider.ts";
import { USAGE_OFF } from "../usage/usage.ts";

export interface InfoDeps {
  host: string;
  /** The bound port, which `--port 0` leaves to the system. */
  port(): number;
  tokenSet: boolean;
  instanceId: string;
  hub: { readonly current: { panes: readonly PaneState[] } };
  provider: Pick<TerminalProvider, "info" | "capabilities" | "events">;
  health(): ProviderHealth;
  slices: readonly Slice[];
  /** For a slice whose report throws: the others are not affected. */
  log: Pick<Log, "error">;
}

export function infoOf(deps: InfoDeps): Info {
  const info: Info = {
    host: deps.host,
    port: deps.port(),
    token_set: deps.tokenSet,
    version: VERSION,
    compatibility: {
      protocol_version: PROTOCOL_VERSION,
      minimum_mobile_version: MINIMUM_MOBILE_VERSION,
    },
    targets: deps.hub.current.panes.map((pane) => pane.target),
    allowed_keys: [...ALLOWED_KEYS],
    // Every client reads these two, also where the report of their slice fails.
    push: PUSH_OFF,
    usage: USAGE_OFF,
    server_instance_id: deps.instanceId,
    terminal_socket: deps.provider.info.socket,
    capabilities: capabilitiesOf(deps),
    labels: { ...LABELS },
  };
  return { ...info, ...reportsOf(deps, (slice) => slice.info?.()) };
}

function reportsOf<T>({ slices, log }: InfoDeps, ask: (slice: Slice) => Partial<T> | undefined) {
  const reports: Partial<T> = {};
  for (const slice of slices)
    try {
      Object.assign(reports, ask(slice));
    } catch (error) {
      log.error(`${slice.name} could not report itself`, error);
    }
  return reports;
}

function capabilitiesOf(deps: InfoDeps): Capabilities {
  const { input, native_agent_state, delete: deletion } = deps.provider.capabilities;
  const reports = reportsOf<Capabilities>(deps, (slice) => slice.capabilities?.());
  return {
    agent_context_v1: WORKSPACE_OFF,
    terminal_provider_v1: {
      version: 1,
      provider: deps.provider.info.id,
      mode: input === "legacy" ? "legacy" : "monitor_respond",
      guarded_input: input === "guarded_v1",
      native_agent_state,
      creation: deps.provider.capabilities.create && reports.mux_create_v1?.supported === true,
      deletion,
      event_subscription: deps.provider.events(),
      health: deps.health(),
    },
    labels_v1: { version: 1 },
    ...reports,
  };
}
