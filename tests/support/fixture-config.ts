import { WORKSPACE_OFF } from "../../src/agents/workspace.ts";
import { FORM_FIELDS } from "../../src/config/fields.ts";
import { fixture } from "./fixture.ts";
import { KEYS, NOW } from "./fixture-panes.ts";
import { ConfigReply, type Info } from "../../src/protocol/config.ts";

/** A server with every addition announced. */
export function configReply(): ConfigReply {
  const announced = { version: 1 };
  return fixture(ConfigReply, {
    ...{ poll_interval: 0.7, capture_lines: 200, auto_discover: true, include_shells: true },
    naming_mode: "session_window_pane",
    generic_prompt_patterns: ["\\(y/n\\)", "Continue\\?"],
    error_patterns: ["^\\s*Error:", "panic:"],
    fields: FORM_FIELDS,
    ...{ usage_quota_refresh: 180, usage_report_refresh: 300, usage_alert_threshold: 20 },
    _info: {
      ...{ host: "127.0.0.1", port: 8787, version: "0.1.0" },
      compatibility: { protocol_version: 1, minimum_mobile_version: "1.0.0" },
      allowed_keys: KEYS,
      server_instance_id: "2f1c5d0e-8f0c-4c57-9a0e-5f4f1d1f0a11",
      capabilities: {
        agent_context_v1: { ...WORKSPACE_OFF, retention_days: 30 },
        pane_close_v1: { version: 1, enabled: true },
        mux_create_v1: { version: 1, supported: true, enabled: true },
        terminal_provider_v1: {
          ...{ version: 1, provider: "mux", mode: "legacy", creation: true },
          health: {
            ...{ status: "ready", last_success_at: 1_773_000_000, version: "3.3a" },
            ...{ listed_panes: 14, hidden_panes: 2 },
          },
        },
        ...{ phone_v1: announced, labels_v1: announced, pane_facts_v1: announced },
        ...{ legacy_guard_v1: announced, explain_v1: announced, parked_v1: announced },
        ...{ continue_v1: announced, screen_cases_v1: announced, state_delta_v1: announced },
        styled_lines_v1: announced,
      },
      labels: {
        ...{ agent_a: "Claude Code", agent_b: "Codex", agent_c: "Grok", agent_d: "OpenCode" },
        ...{ agent_e: "Antigravity", shell: "Shell", generic: "Program" },
        ...{ mux: "tmux", wsp: "herdr" },
      },
    },
  });
}

/** The same server with its agent workspace switched on. */
export function withWorkspace({ capabilities, ...info }: Info): Info {
  return {
    ...info,
    capabilities: {
      ...capabilities,
      agent_context_v1: {
        ...capabilities.agent_context_v1,
        enabled: true,
        websocket: true,
        websocket_path: "/ws/agents",
        mode: "log_observer",
        observed: { sessions: 13, last_record_at: NOW },
      },
      agent_review_v1: {
        enabled: true,
        version: 1,
        scheduling: true,
        min_interval_minutes: 5,
        max_interval_minutes: 1440,
      },
    },
  };
}
