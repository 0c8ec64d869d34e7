import { expect, test } from "bun:test";
import { WORKSPACE_OFF } from "../../src/agents/workspace.ts";
import { infoOf, type InfoDeps } from "../../src/http/info.ts";
import { createLog } from "../../src/lib/log.ts";
import { LABELS } from "../../src/detect/agents.ts";
import { Info } from "../../src/protocol/config.ts";
import { ALLOWED_KEYS } from "../../src/protocol/input.ts";
import { PUSH_OFF } from "../../src/push/slice.ts";
import { USAGE_OFF } from "../../src/usage/usage.ts";
import type { Slice } from "../../src/slice.ts";
import { pane } from "../support/pane.ts";

const health = {
  status: "ready" as const,
  last_success_at: 1000.5,
  last_error: null,
  protocol: null,
  version: "3.3a",
};
const deps: InfoDeps = {
  host: "127.0.0.1",
  port: () => 8787,
  tokenSet: true,
  instanceId: "an-id",
  hub: { current: { panes: [pane(), pane({ id: "cfg:x:1.1", target: "x:1.1" })] } },
  provider: {
    info: { id: "mux", version: null, protocol: null, socket: "/run/x" },
    capabilities: pane().capabilities,
    events: () => ({ supported: false, active: false, minimum_protocol: null }),
  },
  health: () => health,
  slices: [],
  log: createLog(() => {}),
};

test("missing slices are reported as absent or disabled", () => {
  const info = infoOf(deps);
  expect(info).toEqual({
    host: "127.0.0.1",
    port: 8787,
    token_set: true,
    version: "0.2.0",
    compatibility: { protocol_version: 1, minimum_mobile_version: "1.0.0" },
    targets: ["work:1.1", "x:1.1"],
    allowed_keys: [...ALLOWED_KEYS],
    push: PUSH_OFF,
    usage: USAGE_OFF,
    server_instance_id: "an-id",
    terminal_socket: "/run/x",
    capabilities: {
      agent_context_v1: WORKSPACE_OFF,
      terminal_provider_v1: {
        version: 1,
        provider: "mux",
        mode: "legacy",
        guarded_input: false,
        native_agent_state: false,
        creation: false,
        deletion: false,
        event_subscription: { supported: false, active: false, minimum_protocol: null },
        health,
      },
      labels_v1: { version: 1 },
    },
    labels: { ...LABELS },
  });
  Info.parse(info);
  const { push, usage, capabilities } = info;
  for (const part of [push, usage, capabilities.agent_context_v1]) expect(part.enabled).toBe(false);
});

test("a slice reports itself, and a slice whose report throws is left out and logged", () => {
  const lines: string[] = [];
  const broken = () => {
    throw new Error("no disk");
  };
  const creation = { version: 1, supported: true, enabled: false, reason: "No roots." };
  const usage = { ...USAGE_OFF, enabled: true, quota_age: 1 };
  const slices: Slice[] = [
    { name: "broken", info: broken, capabilities: broken },
    { name: "creation", capabilities: () => ({ mux_create_v1: creation }) },
    { name: "usage", info: () => ({ usage }) },
    { name: "silent" },
  ];
  const info = infoOf({ ...deps, slices, log: createLog((line) => lines.push(line)) });
  expect(info.capabilities.mux_create_v1).toEqual(creation);
  expect(info.capabilities.terminal_provider_v1.creation).toBe(true);
  expect(info.usage).toEqual(usage);
  Info.parse(info);
  expect(lines.join("")).toContain("broken could not report itself");
  expect(lines.join("")).toContain("Error: no disk");
});
