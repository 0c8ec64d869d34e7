import { expect, test } from "bun:test";
import type { ProviderHealth } from "../../src/protocol/config.ts";
import { areAllOff, outageOf } from "../../web/model/config.ts";
import { configReply } from "../support/fixture-config.ts";
import { pane } from "../support/pane.ts";

const AWAY: Partial<ProviderHealth> = {
  status: "unavailable",
  last_success_at: 1000,
  last_error: "session_unavailable",
  message: "wsp server: session work does not run; start it with: herdr --session work",
};
const withHealth = (health: Partial<ProviderHealth>) => {
  const reply = configReply();
  const provider = reply._info.capabilities.terminal_provider_v1;
  if (!provider) throw new Error("the fixture has a provider");
  Object.assign(provider, { provider: "wsp" });
  Object.assign(provider.health, health);
  reply._info.labels = { wsp: "herdr" };
  return reply;
};
const off = (id: string, stale: boolean) => pane({ id, stale, actionable: false });

test("panes that all cannot be read are told of once, with the remedy and the last good time", () => {
  const placeholder = pane({ id: "cfg:x", actionable: false });
  expect(outageOf([off("h:1", true), off("h:2", true), placeholder], withHealth(AWAY))).toEqual({
    provider: "herdr",
    isReadOnly: false,
    lastSuccessAt: 1000,
    message: AWAY.message ?? "",
  });
});

test("panes that are read but may not be answered are told of as such", () => {
  const health = { status: "degraded", last_error: "incompatible", message: "not tried" } as const;
  const outage = outageOf([off("h:1", false)], withHealth(health));
  expect(outage).toMatchObject({ isReadOnly: true, message: "not tried" });
});

test("one pane that can be acted on, or a provider that is well, is no outage", () => {
  const live = pane({ id: "h:1", actionable: true });
  expect(outageOf([live, off("h:2", true)], withHealth(AWAY))).toBeNull();
  expect(outageOf([off("h:2", true)], withHealth({ status: "ready" }))).toBeNull();
  expect(outageOf([off("h:2", true)], null)).toBeNull();
  expect([areAllOff([]), areAllOff([off("h:1", true)]), areAllOff([live])]).toEqual([
    ...[false, true, false],
  ]);
});
