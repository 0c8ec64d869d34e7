import type {
  AgentContextCapability,
  Capabilities,
  Info,
  ProviderHealth,
} from "../protocol/config.ts";
import type { PaneCapabilities, PaneState } from "../protocol/pane.ts";
import { MINIMUM_MOBILE_VERSION, PROTOCOL_VERSION, VERSION } from "../protocol/version.ts";

type CreationCapability = NonNullable<Capabilities["mux_create_v1"]>;

/** What the parts report; a part that does not run here has no report. */
export interface InfoDeps {
  host: string;
  /** The port that is bound, which `--port 0` leaves open. */
  port(): number;
  tokenSet: boolean;
  instanceId: string;
  allowedKeys: readonly string[];
  /** `labels_v1`: contract id -> display label. */
  labels: Readonly<Record<string, string>>;
  hub: { readonly current: { panes: readonly PaneState[] } };
  provider: { info: { id: string; socket: string | null }; capabilities: PaneCapabilities };
  health(): ProviderHealth;
  /** `experimental_agent_workspace_enabled`, and how long its history would be kept. */
  workspace(): { wanted: boolean; retentionDays: number };
  creation?: () => CreationCapability;
  usage?: () => Info["usage"];
  pairing?: () => Capabilities["pairing_v1"];
}

/** `_info` of `GET /api/config`. */
export function infoOf(deps: InfoDeps): Info {
  return {
    host: deps.host,
    port: deps.port(),
    token_set: deps.tokenSet,
    version: VERSION,
    compatibility: {
      protocol_version: PROTOCOL_VERSION,
      minimum_mobile_version: MINIMUM_MOBILE_VERSION,
    },
    targets: deps.hub.current.panes.map((pane) => pane.target),
    allowed_keys: [...deps.allowedKeys],
    push: { configured: false, available: false, enabled: false, devices: 0 },
    usage: deps.usage?.() ?? NO_USAGE,
    server_instance_id: deps.instanceId,
    terminal_socket: deps.provider.info.socket,
    capabilities: capabilitiesOf(deps),
    labels: { ...deps.labels },
  };
}

const NO_USAGE: Info["usage"] = {
  available: false,
  enabled: false,
  installed: false,
  resolved_path: null,
  quota_age: null,
  reports_age: null,
  last_error: null,
};

function capabilitiesOf(deps: InfoDeps): Capabilities {
  const { input, native_agent_state, delete: deletion } = deps.provider.capabilities;
  const creation = deps.creation?.();
  const pairing = deps.pairing?.();
  return {
    agent_context_v1: agentContextOf(deps.workspace()),
    ...(creation ? { mux_create_v1: creation } : {}),
    terminal_provider_v1: {
      version: 1,
      provider: deps.provider.info.id,
      mode: input,
      guarded_input: input === "guarded_v1",
      native_agent_state,
      creation: creation !== undefined && deps.provider.capabilities.create,
      deletion,
      event_subscription: { supported: false, active: false, minimum_protocol: null },
      health: deps.health(),
    },
    labels_v1: { version: 1 },
    pane_facts_v1: { version: 1 },
    legacy_guard_v1: { version: 1 },
    explain_v1: { version: 1 },
    state_delta_v1: { version: 1 },
    styled_lines_v1: { version: 1 },
    ...(pairing ? { pairing_v1: pairing } : {}),
  };
}

// The bundle does not run here yet: its switch is kept and reported, and does nothing.
function agentContextOf(workspace: { wanted: boolean; retentionDays: number }) {
  return {
    enabled: false,
    runtimes: ["agent_b", "agent_a"],
    websocket: false,
    websocket_path: null,
    mode: "disabled",
    retention_days: workspace.retentionDays,
    persistence: "structured_only",
    chat: "confirmed_idle_only",
    decisions: "verified_structured_only",
    degraded_reason: workspace.wanted
      ? "The agent workspace is switched on, but this version does not have it yet."
      : "This version does not have the agent workspace yet.",
  } satisfies AgentContextCapability;
}
