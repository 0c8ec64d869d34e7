import { z } from "zod";
import { PaneKind } from "./pane.ts";
import { SCOPES } from "./scope.ts";
import { PushInfo, WebPushCapability } from "./push.ts";

export const NamingMode = z.enum([
  "pane",
  "window_pane",
  "session_pane",
  "session_window_pane",
  "title",
  "window",
  "target",
  "command",
  "smart",
]);
export type NamingMode = z.infer<typeof NamingMode>;

export const MAX_OVERRIDES = 1000;

/** A member with its empty value (`""`, null, false) overrides nothing. */
export const PaneOverride = z.object({
  target: z.string(),
  name: z.string(),
  kind: PaneKind.nullable(),
  star: z.boolean(),
});
export type PaneOverride = z.infer<typeof PaneOverride>;

/** Settings that `PATCH /api/config` changes, with the names of the overlay file. */
export const LiveConfig = z.object({
  poll_interval: z.number(),
  capture_lines: z.number(),
  auto_discover: z.boolean(),
  include_shells: z.boolean(),
  naming_mode: NamingMode,
  overrides: z.array(PaneOverride),
  generic_prompt_patterns: z.array(z.string()),
  error_patterns: z.array(z.string()),
  usage_enabled: z.boolean(),
  usage_quota_refresh: z.number(),
  usage_report_refresh: z.number(),
  usage_alert_threshold: z.number(),
  experimental_agent_workspace_enabled: z.boolean(),
});
export type LiveConfig = z.infer<typeof LiveConfig>;

export const ProviderHealth = z.object({
  status: z.enum(["ready", "degraded", "unavailable"]),
  /** Epoch seconds; 0 when never. */
  last_success_at: z.number(),
  last_error: z.string().nullable(),
  /** Unless `ready`: what is wrong, and what to do. */
  message: z.string().optional(),
  protocol: z.number().nullable(),
  version: z.string().nullable(),
  /** In the last successful pass: the number of panes, and how many of them are not shown. */
  listed_panes: z.number().optional(),
  hidden_panes: z.number().optional(),
});
export type ProviderHealth = z.infer<typeof ProviderHealth>;

export const AgentContextCapability = z.object({
  enabled: z.boolean(),
  runtimes: z.array(z.string()),
  websocket: z.boolean(),
  websocket_path: z.string().nullable(),
  mode: z.string(),
  retention_days: z.number(),
  persistence: z.string(),
  chat: z.string(),
  decisions: z.string(),
  degraded_reason: z.string().nullable(),
  /** Whether sessions of other machines are read too; absent while none is watched. */
  hosts: z.boolean().optional(),
  /** While it runs: the number of known sessions, and the time of their newest record. */
  observed: z.object({ sessions: z.int(), last_record_at: z.number().nullable() }).optional(),
});
export type AgentContextCapability = z.infer<typeof AgentContextCapability>;

const TerminalProviderCapability = z.object({
  version: z.number(),
  provider: z.string(),
  mode: z.string(),
  guarded_input: z.boolean(),
  native_agent_state: z.boolean(),
  creation: z.boolean(),
  deletion: z.boolean(),
  event_subscription: z.object({
    supported: z.boolean(),
    active: z.boolean(),
    minimum_protocol: z.number().nullable(),
  }),
  health: ProviderHealth,
});

const Versioned = z.object({ version: z.number() });
/** Additions to the contract, each announced so that a client can rely on it. */
const announced = <Name extends string>(...names: readonly Name[]) =>
  // The entries are made of exactly these names.
  Object.fromEntries(names.map((name) => [name, Versioned.optional()])) as Record<
    Name,
    z.ZodOptional<typeof Versioned>
  >;

export const Capabilities = z.object({
  agent_context_v1: AgentContextCapability,
  agent_review_v1: z
    .object({
      enabled: z.boolean(),
      version: z.number(),
      scheduling: z.boolean(),
      min_interval_minutes: z.number(),
      max_interval_minutes: z.number(),
      degraded_reason: z.string().nullable().optional(),
    })
    .optional(),
  /**
   * Without `all`, only panes with the capability `delete` can be closed: the server created them.
   */
  pane_close_v1: z
    .object({ version: z.number(), enabled: z.boolean(), all: z.boolean() })
    .optional(),
  mux_create_v1: z
    .object({
      version: z.number(),
      supported: z.boolean(),
      enabled: z.boolean(),
      reason: z.string().nullable(),
    })
    .optional(),
  terminal_provider_v1: TerminalProviderCapability,
  ...announced("labels_v1", "pane_facts_v1", "cards_v1", "legacy_guard_v1", "explain_v1"),
  ...announced("screen_cases_v1", "state_delta_v1", "styled_lines_v1", "pairing_v1", "phone_v1"),
  ...announced("grants_v1", "pane_done_v1", "parked_v1", "continue_v1", "context_v1", "queue_v1"),
  ...announced("stop_v1", "search_v1", "session_resume_v1", "changes_v1", "answered_v1"),
  /** `incarnation` names the run of the server that remembers keys; absent from older servers. */
  act_ledger_v1: Versioned.extend({ incarnation: z.string() }).optional(),
  legacy_once_v1: Versioned.extend({ incarnation: z.string().optional() }).optional(),
  hosts_v1: z
    .object({
      version: z.number(),
      enabled: z.boolean(),
      max: z.number(),
      reason: z.string().optional(),
    })
    .optional(),
  web_push_v1: WebPushCapability.optional(),
});
export type Capabilities = z.infer<typeof Capabilities>;

export const Info = z.object({
  /** The grant of the request; absent from earlier releases. */
  grant: z.object({ id: z.string(), name: z.string(), scope: z.enum(SCOPES) }).optional(),
  /** `read`: the scope is `look`. */
  access: z.enum(["all", "read"]).optional(),
  host: z.string(),
  port: z.number(),
  token_set: z.boolean(),
  version: z.string(),
  compatibility: z.object({
    protocol_version: z.number(),
    minimum_mobile_version: z.string(),
  }),
  targets: z.array(z.string()),
  allowed_keys: z.array(z.string()),
  push: PushInfo,
  usage: z.object({
    /** False where the subsystem does not exist, otherwise absent. */
    available: z.boolean().optional(),
    enabled: z.boolean(),
    installed: z.boolean(),
    resolved_path: z.string().nullable(),
    quota_age: z.number().nullable(),
    reports_age: z.number().nullable(),
    last_error: z.string().nullable(),
  }),
  server_instance_id: z.string(),
  /** Path of the multiplexer's server socket; null where it has none. */
  terminal_socket: z.string().nullable().optional(),
  capabilities: Capabilities,
  /** `labels_v1`: contract id -> display label. */
  labels: z.record(z.string(), z.string()),
});
export type Info = z.infer<typeof Info>;

export const FieldKind = z.enum([
  "number",
  "integer",
  "boolean",
  "text",
  "choice",
  "texts",
  "patterns",
  "command",
  "overrides",
  "roots",
  "runtimes",
  "hosts",
  "map",
]);
export type FieldKind = z.infer<typeof FieldKind>;

export const ConfigField = z.object({
  key: z.string(),
  live: z.string(),
  kind: FieldKind,
  label: z.string(),
  group: z.string(),
  help: z.string(),
  min: z.number().nullable(),
  max: z.number().nullable(),
  values: z.array(z.string()).readonly().nullable(),
  default: z.unknown(),
});
export type ConfigField = z.infer<typeof ConfigField>;

export const ConfigReply = LiveConfig.extend({
  _info: Info,
  /** Sent to owners alone, who may change them. */
  fields: z.array(ConfigField).readonly().optional(),
});
export type ConfigReply = z.infer<typeof ConfigReply>;
