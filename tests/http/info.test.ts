import { expect, test } from "bun:test";
import { infoOf, type InfoDeps } from "../../src/http/info.ts";
import { createLog } from "../../src/lib/log.ts";
import { Info } from "../../src/protocol/config.ts";
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
  allowedKeys: ["Enter", "Up"],
  labels: { agent_a: "A", mux: "M" },
  hub: { current: { panes: [pane(), pane({ id: "cfg:x:1.1", target: "x:1.1" })] } },
  provider: {
    info: { id: "mux", socket: "/run/x" },
    capabilities: pane().capabilities,
    events: () => ({ supported: false, active: false, minimum_protocol: null }),
  },
  health: () => health,
  slices: [],
  log: createLog(() => {}),
};

test("parts that do not exist are reported as absent or disabled", () => {
  const info = infoOf(deps);
  expect(info).toEqual({
    host: "127.0.0.1",
    port: 8787,
    token_set: true,
    version: "0.2.0",
    compatibility: { protocol_version: 1, minimum_mobile_version: "1.0.0" },
    targets: ["work:1.1", "x:1.1"],
    allowed_keys: ["Enter", "Up"],
    push: { configured: false, available: false, enabled: false, devices: 0 },
    usage: {
      available: false,
      enabled: false,
      installed: false,
      resolved_path: null,
      quota_age: null,
      reports_age: null,
      last_error: null,
    },
    server_instance_id: "an-id",
    terminal_socket: "/run/x",
    capabilities: {
      agent_context_v1: {
        enabled: false,
        runtimes: ["agent_b", "agent_a"],
        websocket: false,
        websocket_path: null,
        mode: "disabled",
        retention_days: 0,
        persistence: "structured_only",
        chat: "confirmed_idle_only",
        decisions: "verified_structured_only",
        degraded_reason: "There is no agent workspace here.",
      },
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
    labels: { agent_a: "A", mux: "M" },
  });
  Info.parse(info);
});

test("parts that exist report for themselves", () => {
  const creation = { version: 1, supported: true, enabled: false, reason: "No roots." };
  const usage = {
    enabled: true,
    installed: true,
    resolved_path: "/bin/x",
    quota_age: 1,
    reports_age: null,
    last_error: null,
  };
  const slices: Slice[] = [
    { name: "creation", capabilities: () => ({ mux_create_v1: creation }) },
    { name: "usage", info: () => ({ usage }) },
    { name: "silent" },
  ];
  const info = infoOf({ ...deps, slices });
  expect(info.capabilities.mux_create_v1).toEqual(creation);
  expect(info.capabilities.terminal_provider_v1.creation).toBe(true);
  expect(info.usage).toEqual(usage);
});

test("a part whose report fails is left out, and told of; the others are there", () => {
  const lines: string[] = [];
  const broken = () => {
    throw new Error("no disk");
  };
  const slices: Slice[] = [
    { name: "broken", info: broken, capabilities: broken },
    { name: "sound", capabilities: () => ({ pairing_v1: { version: 1 } }) },
  ];
  const info = infoOf({ ...deps, slices, log: createLog((line) => lines.push(line)) });
  expect(info.capabilities.pairing_v1).toEqual({ version: 1 });
  Info.parse(info);
  expect(lines.join("")).toContain("broken could not report itself");
  expect(lines.join("")).toContain("Error: no disk");
});
